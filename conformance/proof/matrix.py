"""The mutants' matrix: which case kills which mutant, and what else each mutant trips.

    rpcrdma dev matrix [--processes N] [MUTANT ...]

The whole suite runs on loopback against every mutant of `targets.mutants`.  A mutant is *killed* by
a case that cites the requirement that the mutant breaks and fails, or warns.  Other cases that fail
or warn, or are not decided, are *tripped*: the mutant's `also_trips` says why the same deviation
breaks, or hides, what they are about.  A mutant that lives, a case tripped that nobody has
explained, an explanation that nothing needs, and an error end with status 1.

This module stands here and not beside the mutants, since targets know nothing of the suite.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from conformance.suite.runner import Selection, collect_cases, judge
from reports.record import Verdict
from targets.mutants.base import PREFIX, find_mutant, mutants
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.suite.plugin import Case
    from reports.record import CaseRecord
    from targets.mutants.base import Mutant

__all__ = ["Row", "Trip", "add_arguments", "cases_citing", "row_of", "run", "run_mutant"]

DEADLINE: Final = 120.0
"""Seconds that one mutant may take; a run is over in two."""

_BROKEN: Final = (Verdict.FAIL, Verdict.WARN)
_VERSION_ONE: Final = ("rfc8166.", "bidir.")
_VERSION_TWO: Final = ("v2/", "xcharext/")
_GOES_ON: Final = "what is broken in Version One goes on in Version Two"

_UNJUDGED: Final = (Verdict.ERROR, Verdict.INCONC)


@dataclass(frozen=True, slots=True)
class Trip:
    """A case that a mutant trips although it is about something else.

    Attributes:
        case: its id.
        violated: the requirements that were broken; of a case that was not decided, those cited.
        why: the explanation; empty if there is none.
    """

    case: str
    violated: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Row:
    """What the suite says about one mutant.

    Attributes:
        slug: of the mutant.
        killers: ids of the cases that found what it breaks.
        trips: other cases that failed or warned, or were not decided.
        unjudged: (id, reason) of cases that ended in an error, or undecided without explanation.
        idle: explanations of the mutant that no trip needed.
        cases: how many ran.
    """

    slug: str
    killers: tuple[str, ...]
    trips: tuple[Trip, ...]
    unjudged: tuple[tuple[str, str], ...]
    idle: tuple[str, ...]
    cases: int

    @property
    def unexplained(self) -> tuple[Trip, ...]:
        """What nobody has explained."""
        return tuple(trip for trip in self.trips if not trip.why)

    @property
    def good(self) -> bool:
        """Whether the mutant is killed and everything about it is understood."""
        return bool(self.killers) and not (self.unexplained or self.unjudged or self.idle)


def row_of(mutant: Mutant, records: Iterable[CaseRecord]) -> Row:
    """Sort the records of a run against a mutant."""
    killers: list[str] = []
    trips: list[Trip] = []
    unjudged: list[tuple[str, str]] = []
    count = 0
    for record in records:
        count += 1
        cited = tuple(citation.id for citation in record.citations)
        if record.verdict in _BROKEN and mutant.breaks in cited:
            killers.append(record.id)
        elif record.verdict in _BROKEN:
            trips.append(Trip(record.id, record.violated, _why(mutant, record, record.violated)))
        elif record.verdict is Verdict.INCONC and (why := _why(mutant, record, cited)):
            trips.append(Trip(record.id, cited, why))
        elif record.verdict in _UNJUDGED:
            unjudged.append((record.id, f"{record.verdict.value}: {record.reason}"))
    needed = {trip.why for trip in trips}
    idle = tuple(why for _, why in mutant.also_trips if why not in needed)
    return Row(mutant.slug, tuple(killers), tuple(trips), tuple(unjudged), idle, count)


def _why(mutant: Mutant, record: CaseRecord, requirements: tuple[str, ...]) -> str:
    """Why a mutant trips a case that is about these requirements; empty if nobody says so.

    What breaks Version One breaks Version Two (D-61), without a word.
    """
    if found := next(filter(None, map(mutant.explanation, requirements)), ""):
        return found
    begins = mutant.breaks.startswith(_VERSION_ONE)
    return _GOES_ON if begins and record.id.startswith(_VERSION_TWO) else ""


def run_mutant(slug: str, cases: tuple[str, ...] = ()) -> Row:
    """Run the suite against a mutant, on loopback.

    Args:
        slug: of the mutant.
        cases: ids of the cases to run; empty: all.

    Raises:
        TargetError: there is no such mutant, or it serves nobody.
    """
    target = find_any_target(f"{PREFIX}{slug}", "loopback")
    selection = Selection(cases=cases, destructive=True)
    return row_of(find_mutant(slug), judge(target, selection))


@cache
def cases_citing(requirement: str) -> tuple[str, ...]:
    """Ids of the cases that cite a requirement."""
    return tuple(case.id for case in _all_cases() if requirement in case.requirements)


@cache
def _all_cases() -> tuple[Case, ...]:
    return collect_cases()


def _grouped(cases: Iterable[str]) -> Iterator[str]:
    """Ids without their parameters, and how many of them there are."""
    for case, count in Counter(case.partition("[")[0] for case in cases).items():
        yield case if count == 1 else f"{case} ({count} parameters)"


def _lines(mutant: Mutant, row: Row) -> Iterator[str]:
    yield f"{mutant.slug}: {'killed' if row.killers else 'LIVES'}. {mutant.deviation}"
    yield f"    breaks {mutant.breaks}"
    yield from (f"    killed by {case}" for case in _grouped(row.killers))
    for why in dict.fromkeys(trip.why for trip in row.trips if trip.why):
        yield f"    also trips, since {why}:"
        tripped = (trip.case for trip in row.trips if trip.why == why)
        yield from (f"        {case}" for case in _grouped(tripped))
    for trip in row.unexplained:
        yield f"    UNEXPLAINED {trip.case}: {', '.join(trip.violated)}"
    yield from (f"    UNJUDGED {case}: {reason}" for case, reason in row.unjudged)
    yield from (f"    EXPLAINS NOTHING: {why}" for why in row.idle)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `run` takes to a command line."""
    parser.add_argument(
        "--processes",
        type=_processes,
        default=os.cpu_count() or 1,
        metavar="N",
        help="that run mutants side by side (default: %(default)s, one a processor)",
    )
    parser.add_argument("mutants", nargs="*", metavar="MUTANT", help="default: all")


def _processes(text: str) -> int:
    """The argument of --processes."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give at least 1")
    return number


def run(options: argparse.Namespace) -> int:
    """Print the matrix.  Status 1: a mutant lives, or does what nobody has explained.

    Raises:
        TargetError: there is no such mutant.
    """
    began = time.monotonic()
    wanted = [find_mutant(name) for name in options.mutants] or list(mutants())
    bad = 0
    cases = 0
    with ProcessPoolExecutor(options.processes) as pool:
        futures = [pool.submit(run_mutant, mutant.slug) for mutant in wanted]
        for mutant, future in zip(wanted, futures, strict=True):
            row = future.result(DEADLINE)
            bad += not row.good
            cases = max(cases, row.cases)
            sys.stdout.write("\n".join(_lines(mutant, row)) + "\n\n")
            sys.stdout.flush()
    sys.stdout.write(
        f"{len(wanted)} mutants, {cases} cases each, {time.monotonic() - began:.0f} s:"
        f" {len(wanted) - bad} killed and understood, {bad} not\n"
    )
    return 1 if bad else 0
