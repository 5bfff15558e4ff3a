"""The mutants' matrix: which case kills which mutant, and what else each mutant trips.

    rpcrdma dev matrix [--processes N] [--write] [MUTANT ...]

The whole suite runs on loopback against every mutant of `targets.mutants`, but over RoCEv2 packets
in this process (`switch`) against those that it takes packets to see.  A mutant is *killed* by
a case that fails, or warns, and blames the requirement that the mutant breaks: it is among those
that the verdict names as violated.  Other cases that fail or warn, or are not decided, are
*tripped*: the mutant's `also_trips` says for each requirement that is blamed instead why the same
deviation breaks it, or hides what the case is about.  A mutant that lives, a case tripped that
nobody has explained, an explanation that nothing needs, and an error end with status 1.

Of many mutants, each runs in those cases only in which the reference calls the method that is
broken (`conformance.proof.method_reach`): in the others it does what the reference does.

A run that pytest gave up says nothing of its mutant, whatever was judged before: that is an error
of the matrix, which the other mutants' rows come before.

With `--write` what came of the mutants that ran goes into the snapshot (`conformance.proof.kills`),
whose changes are reviewed like those of the code.

This module stands here and not beside the mutants, since targets know nothing of the suite.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from conformance.bad_input import at_least_one
from conformance.proof.kills import Kill, write_kills
from conformance.proof.method_reach import reach_of_methods
from conformance.proof.requester_comparison import compare_calls
from conformance.suite.runner import GaveUp, collect_cases, judge
from conformance.suite.section_end import FOUND_BETWEEN
from conformance.suite.selection import Selection
from conformance.tester.server.harness import ClientHarness
from reports.record import Verdict
from targets.mutants.base import PREFIX, find_mutant, mutants
from targets.registry import find_any_target

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from concurrent.futures import Executor

    from conformance.proof.difference import Difference
    from conformance.proof.method_reach import MethodReach
    from conformance.suite.case import Case
    from conformance.suite.rigs import Rig
    from reports.record import CaseRecord
    from targets.mutants.base import Mutant

__all__ = ["MatrixRow", "Trip", "add_arguments", "cases_citing", "row_of", "run", "run_mutant"]

DEADLINE: Final = 600.0
"""Seconds that one mutant may take; most are over in three."""

_MANY: Final = 8
"""Mutants of one reference from which on it is run first."""

_BROKEN: Final = (Verdict.FAIL, Verdict.WARN)
_LAYER: Final = {"rfc8166": 0, "bidir": 0, "v2": 1, "xcharext": 2, "rtrext": 3}
"""Of each document: above others whose rules it takes over, and whose messages it uses."""

_GOES_ON: Final = "what is broken in a document goes on in those that build on it"
_DRAWN: Final = (
    "rfc8166/3.3.1/responder-has-its-receives-after-what-it-does-not-serve",
    "rfc8166/3.4.4/responder-serves-chunks-of-every-shape",
    "rfc8166/4.5/responder-answers-one-fault-after-another",
    "rfc8166/4.5/responder-answers-several-faults-at-once",
    "rfc8166/4.5.2/responder-bears-a-call-cut-anywhere",
    "v2/1/responder-serves-chunks-of-every-shape",
    "v2/4.2.3/responder-answers-one-fault-after-another",
    "v2/4.2.3/responder-answers-several-faults-at-once",
)
"""Cases drawn from a model, so that whatever is broken about their subject shows in them.

In a history of faults the message at which it shows is drawn, too, and its answer is blamed.
"""

_MEETS_ALL: Final = "what is drawn from a model meets it, and blames what it looks at"
_ABOUT_IT: Final = "the case is about what is broken, and meets it in another form first"


@dataclass(frozen=True, slots=True)
class Trip:
    """A case that a mutant trips although it does not blame what the mutant breaks.

    Attributes:
        case: its id.
        violated: the requirements that were broken; of a case that was not decided, those cited.
        why: the explanation; empty if there is none.
    """

    case: str
    violated: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """What the suite says about one mutant.

    Attributes:
        slug: of the mutant.
        killers: ids of the cases that blame what it breaks.
        trips: other cases that failed or warned, or were not decided.
        unjudged: (id, reason) of cases that ended in an error, or undecided without explanation.
        idle: (ids, reason) of the mutant's explanations that no trip needed.
        not_reached: requirements that no case came to look at, because others were broken first.
        cases: how many ran.
        differences: cases that contradict the oracle without a reason, about what the mutant does.
    """

    slug: str
    killers: tuple[str, ...]
    trips: tuple[Trip, ...]
    unjudged: tuple[tuple[str, str], ...]
    idle: tuple[tuple[str, str], ...]
    not_reached: tuple[str, ...]
    cases: int
    differences: tuple[Difference, ...] = ()

    @property
    def unexplained(self) -> tuple[Trip, ...]:
        """What nobody has explained."""
        return tuple(trip for trip in self.trips if not trip.why)

    @property
    def killed(self) -> bool:
        """Whether a verdict names what it breaks."""
        return bool(self.killers)

    @property
    def good(self) -> bool:
        """Whether the mutant is killed and everything about it is understood."""
        rest = (self.unexplained, self.unjudged, self.idle, self.differences)
        return self.killed and not any(rest)

    @property
    def kill(self) -> Kill:
        """What the snapshot keeps of it."""
        blamed = sorted({one for trip in self.trips for one in trip.violated})
        # What is found between cases cannot be run by itself.
        cases = (killer for killer in self.killers if not killer.endswith(FOUND_BETWEEN))
        return Kill(self.slug, _firsts(cases), tuple(blamed))


def row_of(
    mutant: Mutant, records: Iterable[CaseRecord], differences: Iterable[Difference] = ()
) -> MatrixRow:
    """Sort the records of a run against a mutant."""
    kept = tuple(records)
    killers: list[str] = []
    trips: list[Trip] = []
    unjudged: list[tuple[str, str]] = []
    needed: set[tuple[str, str]] = set()
    for record in kept:
        if record.verdict in _BROKEN and mutant.breaks in record.violated:
            killers.append(record.id)
        elif record.verdict in (*_BROKEN, Verdict.INCONC):
            trip, entry = _trip(mutant, record)
            needed.update(entry)
            if record.verdict is Verdict.INCONC and not trip.why:
                unjudged.append((record.id, f"INCONC: {record.reason}"))
            else:
                trips.append(trip)
        elif record.verdict is Verdict.ERROR:
            unjudged.append((record.id, f"ERROR: {record.reason}"))
    idle = tuple(entry for entry in mutant.also_trips if entry not in needed)
    unseen = _not_reached(kept)
    return MatrixRow(
        mutant.slug,
        tuple(killers),
        tuple(trips),
        tuple(unjudged),
        idle,
        unseen,
        len(kept),
        tuple(differences),
    )


def _trip(mutant: Mutant, record: CaseRecord) -> tuple[Trip, tuple[tuple[str, str], ...]]:
    """A case that blames something else, and the mutant's explanations that it needs."""
    cited = tuple(citation.id for citation in record.citations)
    blamed = record.violated if record.verdict in _BROKEN else cited
    entries = tuple(filter(None, map(mutant.explanation, blamed)))[:1]
    why = entries[0][1] if entries else _self_explained(mutant, record)
    return Trip(record.id, blamed, why), entries


def _self_explained(mutant: Mutant, record: CaseRecord) -> str:
    """What needs no word of the mutant's; empty if this does.

    What breaks Version One breaks Version Two (D-61), and what breaks either breaks its extensions:
    in their cases, and in others that blame nothing but their statements.
    A case about what is broken may meet it in another form than the one that it asks for.
    """
    if mutant.breaks in {citation.id for citation in record.citations}:
        return _ABOUT_IT
    if record.id.startswith(_DRAWN):
        return _MEETS_ALL
    case = _LAYER[record.id.partition("/")[0]]
    # A case of a document below may send messages of one above.
    blamed = min(map(_layer_of, record.violated), default=case)
    return _GOES_ON if _layer_of(mutant.breaks) < max(case, blamed) else ""


def _layer_of(requirement: str) -> int:
    return _LAYER[requirement.partition(".")[0]]


def _not_reached(records: Iterable[CaseRecord]) -> tuple[str, ...]:
    """Requirements that cases cite and none came to look at."""
    judged = [record for record in records if record.verdict is not Verdict.NA]
    reached = {
        citation.id
        for record in judged
        for citation in record.citations
        if citation.id not in record.not_reached
    }
    unseen = {one for record in judged for one in record.not_reached} - reached
    return tuple(sorted(unseen))


def _firsts(cases: Iterable[str]) -> tuple[str, ...]:
    """Of each case with parameters the first."""
    firsts: dict[str, str] = {}
    for case in cases:
        firsts.setdefault(case.partition("[")[0], case)
    return tuple(firsts.values())


def run_mutant(
    slug: str, cases: tuple[str, ...] = (), reach: MethodReach | None = None
) -> MatrixRow:
    """Run the suite against a mutant, in this process.

    Args:
        slug: of the mutant.
        cases: ids of the cases to run; empty: all.
        reach: of the reference; cases in which the mutant cannot show are taken from its run.

    Raises:
        TargetError: there is no such mutant, or it serves nobody.
        GaveUp: its run did not come to its end; the message names it.
    """
    mutant = find_mutant(slug)
    target = find_any_target(f"{PREFIX}{slug}", mutant.fabric)
    selection = Selection(cases=cases, destructive=True)
    differences: list[Difference] = []

    def look(case: Case, rig: Rig) -> None:
        if isinstance(rig, ClientHarness):
            found = compare_calls(case, rig.service)
            differences.extend(one for one in found if not one.reason(case.wider, case.narrower))

    try:
        if reach is None or not mutant.method:
            records = judge(target, selection, look)
        else:
            ran = judge(target, selection, look, order=partial(reach.only, mutant))
            records = reach.completed(ran)
    except GaveUp as error:
        raise GaveUp(f"the mutant `{slug}` was not judged: {error}") from error
    return row_of(mutant, records, differences)


def _reach_of(wanted: Collection[Mutant], pool: Executor) -> Mapping[str, MethodReach]:
    """By the name of a reference, what it does, where that saves more than it takes."""
    methods: dict[str, set[str]] = defaultdict(set)
    for mutant in wanted:
        methods[mutant.profile_name].add(mutant.method)
    futures = {
        name: pool.submit(reach_of_methods, name, called - {""})
        for name, called in methods.items()
        if sum(mutant.profile_name == name for mutant in wanted) >= _MANY
    }
    return {name: future.result(DEADLINE) for name, future in futures.items()}


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


def _lines(mutant: Mutant, row: MatrixRow) -> Iterator[str]:
    yield f"{mutant.slug}: {'killed' if row.killed else 'LIVES'}. {mutant.deviation}"
    yield f"    breaks {mutant.breaks}"
    yield from (f"    killed by {case}" for case in _grouped(row.killers))
    for why in dict.fromkeys(trip.why for trip in row.trips if trip.why):
        yield f"    also trips, since {why}:"
        tripped = (trip.case for trip in row.trips if trip.why == why)
        yield from (f"        {case}" for case in _grouped(tripped))
    if row.not_reached:
        yield f"    leaves {len(row.not_reached)} requirements that no case reached"
    for trip in row.unexplained:
        yield f"    UNEXPLAINED {trip.case}: {', '.join(trip.violated)}"
    yield from (f"    UNJUDGED {case}: {reason}" for case, reason in row.unjudged)
    yield from (f"    EXPLAINS NOTHING: {ids}: {why}" for ids, why in row.idle)
    yield from (f"    CONTRADICTS THE ORACLE: {found}" for found in row.differences)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `run` takes to a command line."""
    parser.add_argument(
        "--processes",
        type=at_least_one,
        default=os.cpu_count() or 1,
        metavar="N",
        help="that run mutants side by side (default: %(default)s, one a processor)",
    )
    parser.add_argument("--write", action="store_true", help="put what ran into the snapshot")
    parser.add_argument("mutants", nargs="*", metavar="MUTANT", help="default: all")


def run(options: argparse.Namespace) -> int:
    """Print the matrix.  Status 1: a mutant lives, or does what nobody has explained.

    Raises:
        TargetError: there is no such mutant.
        GaveUp: pytest gave up the run of a mutant; raised once all have run.
    """
    began = time.monotonic()
    wanted = [find_mutant(name) for name in options.mutants] or list(mutants())
    rows: list[MatrixRow] = []
    given_up: list[str] = []
    try:
        with ProcessPoolExecutor(options.processes) as pool:
            reach = _reach_of(wanted, pool)
            futures = [
                pool.submit(run_mutant, mutant.slug, (), reach.get(mutant.profile_name))
                for mutant in wanted
            ]
            for mutant, future in zip(wanted, futures, strict=True):
                try:
                    row = future.result(DEADLINE)
                except GaveUp as error:
                    given_up.append(str(error))
                    continue
                rows.append(row)
                sys.stdout.write("\n".join(_lines(mutant, row)) + "\n\n")
                sys.stdout.flush()
    finally:  # also of a run that is interrupted
        if options.write:
            write_kills((row.kill for row in rows), (one.slug for one in mutants()))
    if given_up:
        raise GaveUp("; ".join(given_up))
    bad = sum(not row.good for row in rows)
    cases = max((row.cases for row in rows), default=0)
    sys.stdout.write(
        f"{len(wanted)} mutants, {cases} cases each, {time.monotonic() - began:.0f} s:"
        f" {len(wanted) - bad} killed and understood, {bad} not\n"
    )
    return 1 if bad else 0
