"""Implementations side by side on one page that needs no other file.

A row is a requirement, a column an implementation; a cell leads to what was found out about its
deviations, as the baselines of the runs say.  Cases are counted and not named: of one that brings a
device down the name can be the recipe.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from reports.baseline import kernel_of
from reports.pages.environment import write_page
from reports.pages.links import seen_from
from reports.pages.matrix import shown_runs
from reports.record import Citation, RunRecord, Verdict
from reports.sentence import ending
from reports.summary import SEVERITY, RequirementResult, section_key, summarise, verdict_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reports.baseline import BaselineCheck, Known

__all__ = ["ImplementationChange", "OneCell", "OneRow", "ShownImplementation", "write_one_page"]

_QUIET = (Verdict.PASS, Verdict.NA, None)


@dataclass(frozen=True, slots=True)
class OneCell:
    """What one implementation does about a requirement.

    Attributes:
        verdict: None where no case of its run speaks of it.
        cases: how many say so of how many, in words.
        findings: of those that say so: label, heading, link.
    """

    verdict: Verdict | None = None
    cases: str = ""
    findings: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class OneRow:
    """A requirement, with a cell for each implementation."""

    citation: Citation
    cells: tuple[OneCell, ...]

    @property
    def quiet(self) -> bool:
        """Whether nobody has anything against it."""
        return all(cell.verdict in _QUIET for cell in self.cells)


@dataclass(frozen=True, slots=True)
class ShownImplementation:
    """A column.

    Attributes:
        name: that tells it apart.
        run: the run.
        kernel: release of Linux that the device ran on; empty where that is this process alone.
        counts: verdict -> cases.
        unexplained: deviations that no baseline explains.
        ending: how the run ended, if not by itself.
    """

    name: str
    run: RunRecord
    kernel: str
    counts: dict[Verdict, int]
    unexplained: int
    ending: str


@dataclass(frozen=True, slots=True)
class ImplementationChange:
    """From one kernel to the next one of the same target.

    Attributes:
        older, newer: names of the columns.
        better: requirements whose verdict weighs less now, with both cells.
        worse: those whose verdict weighs more.
        gone: findings that the newer one does not have any more: label, heading, link.
        come: findings that the older one does not have.
    """

    older: str
    newer: str
    better: tuple[OneRow, ...]
    worse: tuple[OneRow, ...]
    gone: tuple[tuple[str, str, str], ...]
    come: tuple[tuple[str, str, str], ...]


def write_one_page(
    runs: Sequence[tuple[Path, RunRecord, BaselineCheck | None]], file: Path
) -> None:
    """Write the page.

    Args:
        runs: each with its folder, and what the baseline for it says.
        file: the page; links of findings are written as they are seen from its folder, which is
            made.

    Raises:
        OSError: it cannot be written.
    """
    ordered = sorted(runs, key=lambda one: (one[1].header.target, _age(kernel_of(one[1]))))
    shown = shown_runs([(str(place), run) for place, run, _ in ordered])
    columns = tuple(
        ShownImplementation(
            one.name,
            one.run,
            "" if one.run.header.fabric == "loopback" else kernel_of(one.run),
            {verdict: count for verdict, count in summarise(one.run).counts.items() if count},
            _unexplained(one.run, check),
            ending(one.run),
        )
        for one, (_, _, check) in zip(shown, ordered, strict=True)
    )
    known = [_known(check, file.parent) for _, _, check in ordered]
    rows = _rows([run for _, run, _ in ordered], known)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_page(
        "one_page",
        file,
        columns=columns,
        rows=[row for row in rows if not row.quiet],
        met=sum(row.quiet for row in rows),
        changes=_changes(columns, rows, known),
    )


def _known(check: BaselineCheck | None, folder: Path) -> dict[str, tuple[str, str, str]]:
    """Label, heading and link of what is known, by the case's id."""
    entries: dict[str, Known] = check.known if check else {}
    return {
        case: (*_heading(one.why), seen_from(folder, one.link) if one.link else "")
        for case, one in entries.items()
    }


def _heading(why: str) -> tuple[str, str]:
    """A label (`H-1`), and a heading that begins by it; what has no number is called a note."""
    label = why.split()[0].rstrip(".")
    return (label, why) if any(map(str.isdigit, label)) else ("note", f"note: {why}")


def _unexplained(run: RunRecord, check: BaselineCheck | None) -> int:
    known = check.known if check else {}
    return sum(case.verdict not in _QUIET and case.id not in known for case in run.cases)


def _rows(
    runs: Sequence[RunRecord], known: Sequence[dict[str, tuple[str, str, str]]]
) -> tuple[OneRow, ...]:
    found = [{one.citation.id: one for one in summarise(run).requirements} for run in runs]
    citations = {name: one.citation for results in found for name, one in results.items()}
    return tuple(
        OneRow(
            citation,
            tuple(
                _cell(results.get(citation.id), why)
                for results, why in zip(found, known, strict=True)
            ),
        )
        for citation in sorted(citations.values(), key=section_key)
    )


def _cell(result: RequirementResult | None, known: dict[str, tuple[str, str, str]]) -> OneCell:
    if result is None:
        return OneCell()
    speaking = [
        case
        for case in result.cases
        if case not in result.not_reached
        and verdict_for(case, result.citation.id) is result.verdict
    ] or list(result.not_reached)
    findings: dict[str, tuple[str, str, str]] = {}
    if result.verdict not in _QUIET:
        findings = {known[case.id][1]: known[case.id] for case in speaking if case.id in known}
    counted = f"{len(speaking)} of {len(result.cases)}"
    return OneCell(result.verdict, counted, tuple(findings.values()))


def _changes(
    columns: Sequence[ShownImplementation],
    rows: Sequence[OneRow],
    known: Sequence[dict[str, tuple[str, str, str]]],
) -> tuple[ImplementationChange, ...]:
    numbers = range(len(columns))
    series = groupby(numbers, key=lambda number: columns[number].run.header.target)
    return tuple(
        _change(columns, rows, known, older, newer)
        for _, members in series
        for older, newer in pairwise(members)
    )


def _change(
    columns: Sequence[ShownImplementation],
    rows: Sequence[OneRow],
    known: Sequence[dict[str, tuple[str, str, str]]],
    older: int,
    newer: int,
) -> ImplementationChange:
    pairs = [OneRow(row.citation, (row.cells[older], row.cells[newer])) for row in rows]
    weights = [
        (row, _weight(row.cells[0].verdict), _weight(row.cells[1].verdict))
        for row in pairs
        if None not in (row.cells[0].verdict, row.cells[1].verdict)
    ]
    before, after = ({one[1]: one for one in known[number].values()} for number in (older, newer))
    return ImplementationChange(
        columns[older].name,
        columns[newer].name,
        tuple(row for row, was, now in weights if now < was),
        tuple(row for row, was, now in weights if now > was),
        tuple(one for why, one in before.items() if why not in after),
        tuple(one for why, one in after.items() if why not in before),
    )


def _weight(verdict: Verdict | None) -> int:
    """How much a verdict weighs; that nothing is known weighs what a pass does."""
    return max(SEVERITY[verdict], SEVERITY[Verdict.PASS]) if verdict else 0


def _age(kernel: str) -> tuple[int, ...]:
    """A sort key by which 6.12 is newer than 6.1."""
    return tuple(int(number) for number in re.findall(r"\d+", kernel))
