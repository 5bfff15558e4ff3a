"""Several runs side by side: each requirement and each case with a cell for each run.

A cell leads to the page of the case that decides it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from reports.compare import compare
from reports.pages.links import FOLDER, page_names
from reports.record import Citation, RunRecord, Verdict
from reports.summary import RequirementResult, section_key, summarise, verdict_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reports.record import CaseRecord

__all__ = [
    "CaseMatrixRow",
    "MatrixCell",
    "RequirementMatrixRow",
    "RunChange",
    "ShownRun",
    "case_rows",
    "changes",
    "differing",
    "requirement_rows",
    "shown_runs",
]


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run among others.

    Attributes:
        name: by which the others tell it apart.
        run: the run.
        folder: of its pages, from that of the first page of all.
        names: of the page of each of its cases.
    """

    name: str
    run: RunRecord
    folder: str
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """What one run says.

    Attributes:
        verdict: None where the run has nothing to say.
        page: of the case that decides, from the folder of the first page; or nothing.
        cases: in words, how many cases say so of how many.
    """

    verdict: Verdict | None = None
    page: str = ""
    cases: str = ""


@dataclass(frozen=True, slots=True)
class RequirementMatrixRow:
    """A requirement, with a cell for each run."""

    citation: Citation
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class CaseMatrixRow:
    """A case, with a cell for each run."""

    case: str
    title: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class RunChange:
    """What a newer run of a target says otherwise than the one before.

    Attributes:
        older: the run before.  newer: the one after.
        rows: cases with another verdict; two cells each.
        alone: cases that one of the two did not judge.
        reasons: cases that have the same verdict for another reason.
    """

    older: ShownRun
    newer: ShownRun
    rows: tuple[CaseMatrixRow, ...]
    alone: tuple[CaseMatrixRow, ...]
    reasons: tuple[CaseMatrixRow, ...]


def shown_runs(runs: Sequence[tuple[str, RunRecord]]) -> tuple[ShownRun, ...]:
    """Runs, each given with the place from which it was read, with names that tell them apart."""
    columns = compare(runs).columns
    # The names of pages are as good for folders: no two are alike, and any file system takes them.
    numbered = [f"{number} {column.name}" for number, column in enumerate(columns, 1)]
    folders = page_names(numbered)
    return tuple(
        ShownRun(
            column.name,
            run,
            folders[name].removesuffix(".html"),
            page_names(case.id for case in run.cases),
        )
        for column, name, (_, run) in zip(columns, numbered, runs, strict=True)
    )


def requirement_rows(runs: Sequence[ShownRun]) -> tuple[RequirementMatrixRow, ...]:
    """Every requirement that a run cites, by document and section."""
    found = [
        {result.citation.id: result for result in summarise(one.run).requirements} for one in runs
    ]
    citations = {
        identity: result.citation for results in found for identity, result in results.items()
    }
    return tuple(
        RequirementMatrixRow(
            citation,
            tuple(
                _requirement_cell(one, results.get(citation.id))
                for one, results in zip(runs, found, strict=True)
            ),
        )
        for citation in sorted(citations.values(), key=section_key)
    )


def case_rows(runs: Sequence[ShownRun]) -> tuple[CaseMatrixRow, ...]:
    """Every case that a run judged, in the order of the first run, then what only others have."""
    judged = [{case.id: case for case in one.run.cases} for one in runs]
    identities = dict.fromkeys(identity for cases in judged for identity in cases)
    return tuple(
        CaseMatrixRow(
            identity,
            next(cases[identity].title for cases in judged if identity in cases),
            tuple(
                _case_cell(one, cases.get(identity))
                for one, cases in zip(runs, judged, strict=True)
            ),
        )
        for identity in identities
    )


def changes(runs: Sequence[ShownRun]) -> tuple[RunChange, ...]:
    """What changed from each run of a target to the next one, by the time at which they began."""
    targets: dict[str, list[ShownRun]] = {}
    for one in sorted(runs, key=lambda one: one.run.header.started):
        targets.setdefault(one.run.header.target, []).append(one)
    return tuple(
        _change(older, newer) for series in targets.values() for older, newer in pairwise(series)
    )


def differing(rows: Sequence[RequirementMatrixRow]) -> tuple[RequirementMatrixRow, ...]:
    """The requirements that a run has something against, or has not settled."""
    quiet = (Verdict.PASS, Verdict.NA, None)
    return tuple(row for row in rows if any(cell.verdict not in quiet for cell in row.cells))


def _change(older: ShownRun, newer: ShownRun) -> RunChange:
    pair = (older, newer)
    compared = compare([(one.name, one.run) for one in pair])
    rows = {row.case: row for row in case_rows(pair)}
    differences = [rows[row.case] for row in compared.differences]
    alone = tuple(row for row in differences if None in (cell.verdict for cell in row.cells))
    return RunChange(
        older,
        newer,
        tuple(row for row in differences if row not in alone),
        alone,
        tuple(rows[row.case] for row in compared.reasons),
    )


def _requirement_cell(one: ShownRun, result: RequirementResult | None) -> MatrixCell:
    if result is None:
        return MatrixCell()
    speaking = [
        case
        for case in result.cases
        if case not in result.not_reached
        and verdict_for(case, result.citation.id) is result.verdict
    ]
    deciding = speaking or list(result.not_reached)
    page = f"{one.folder}/{FOLDER}/{one.names[deciding[0].id]}" if deciding else ""
    return MatrixCell(result.verdict, page, f"{len(deciding)} of {len(result.cases)}")


def _case_cell(one: ShownRun, case: CaseRecord | None) -> MatrixCell:
    if case is None:
        return MatrixCell()
    return MatrixCell(case.verdict, f"{one.folder}/{FOLDER}/{one.names[case.id]}")
