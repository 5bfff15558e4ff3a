"""The requirement matrix: every statement that a run cites, with the cases that speak of it.

A page holds one document, or a part of one where the page would grow too large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from reports.pages.links import file_stem, section_address
from reports.record import CaseRecord, Verdict
from reports.summary import SEVERITY, RequirementResult, summarise, verdict_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from reports.pages.background import Background
    from reports.record import RunRecord

__all__ = ["MatrixPage", "RequirementRow", "cut_into_pages", "part_name", "requirement_pages"]

ROOM: Final = 3000
"""Links to cases that one page has at most, each some two hundred octets: well below a megabyte."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RequirementRow:
    """One requirement.

    Attributes:
        result: what the run says of it.
        address: of its section, or nothing.
        bound: whom it binds, or nothing where that is not known.
        cases: that had something to say, worst first, each with what it says of this requirement.
        unreached: cases that did not come to look at it.
        unclaimed: how many cases are not applicable.
    """

    result: RequirementResult
    address: str
    bound: str
    cases: tuple[tuple[Verdict, CaseRecord], ...]
    unreached: tuple[CaseRecord, ...]
    unclaimed: int


@dataclass(frozen=True, slots=True)
class MatrixPage:
    """One page of the matrix: name of its file, document, which part of how many, rows."""

    file: str
    document: str
    title: str
    part: int
    parts: int
    rows: tuple[RequirementRow, ...]


def requirement_pages(run: RunRecord, background: Background) -> tuple[MatrixPage, ...]:
    """The pages, in the order of documents and sections."""
    documents: dict[str, list[RequirementRow]] = {}
    for result in summarise(run).requirements:
        documents.setdefault(result.citation.document, []).append(_row(result, background))
    return tuple(
        page for name, rows in documents.items() for page in _pages(name, rows, background)
    )


def cut_into_pages(
    rows: Sequence[T], weight: Callable[[T], int], room: int
) -> tuple[tuple[T, ...], ...]:
    """Rows as pages that weigh no more than `room`; a row that alone weighs more has its own."""
    pages: list[list[T]] = [[]]
    filled = 0
    for row in rows:
        if pages[-1] and filled + weight(row) > room:
            pages.append([])
            filled = 0
        pages[-1].append(row)
        filled += weight(row)
    return tuple(map(tuple, pages))


def part_name(what: str, number: int) -> str:
    """Name of the file of one part of something, the first of which has no number."""
    return f"{file_stem(what)}{f'-{number}' if number > 1 else ''}.html"


def _pages(name: str, rows: list[RequirementRow], background: Background) -> Iterable[MatrixPage]:
    known = background.documents.get(name)
    parts = cut_into_pages(rows, lambda row: 2 + len(row.cases) + len(row.unreached), ROOM)
    for number, part in enumerate(parts, 1):
        file = part_name(f"requirements-{name}", number)
        yield MatrixPage(file, name, known.title if known else name, number, len(parts), part)


def _row(result: RequirementResult, background: Background) -> RequirementRow:
    citation = result.citation
    spoken = [
        (verdict_for(case, citation.id), case)
        for case in result.cases
        if case not in result.not_reached
    ]
    told = [one for one in spoken if one[0] is not Verdict.NA]
    return RequirementRow(
        result,
        section_address(background, citation.document, citation.section),
        background.bound.get(citation.id, ""),
        tuple(sorted(told, key=lambda one: -SEVERITY[one[0]])),
        result.not_reached,
        len(spoken) - len(told),
    )
