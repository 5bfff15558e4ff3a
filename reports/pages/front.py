"""What the first page of a run shows, worked out before any markup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reports.pages.links import section_address
from reports.record import CaseRecord, Citation, RunRecord, Verdict
from reports.summary import by_cause, ground, summarise
from reports.totals import LEVELS, MetCount, tallies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reports.baseline import BaselineCheck
    from reports.pages.background import Background
    from reports.summary import RequirementResult

__all__ = [
    "ATTENTION",
    "CommonCause",
    "DocumentTotals",
    "attention",
    "causes",
    "document_totals",
    "role_totals",
]

ATTENTION: Final = (Verdict.ERROR, Verdict.FAIL, Verdict.WARN, Verdict.INCONC)
"""Verdicts that somebody has to look into, worst first."""

_NAMED: Final = 12
"""Cases of one cause that stand on the first page without being unfolded."""

_FOLDED: Final = 600
"""Cases that stand there to be unfolded, of all causes together: the page stays small."""


@dataclass(frozen=True, slots=True)
class CommonCause:
    """Cases that one cause explains.

    Attributes:
        cases: all of them; the first one is told as the example.
        folded: those that are named on unfolding; the pages of the cases lead to all others.
        violated: what they violate, with the address of its section (or nothing).
        ground: on how binding a statement the verdict rests.
    """

    cases: tuple[CaseRecord, ...]
    folded: tuple[CaseRecord, ...]
    violated: tuple[tuple[Citation, str], ...]
    ground: str

    @property
    def example(self) -> CaseRecord:
        """The case that is told."""
        return self.cases[0]

    @property
    def shown(self) -> tuple[CaseRecord, ...]:
        """Those that are named at once."""
        return self.cases[:_NAMED]

    @property
    def unnamed(self) -> int:
        """How many are not named."""
        return len(self.cases) - len(self.shown) - len(self.folded)


@dataclass(frozen=True, slots=True)
class DocumentTotals:
    """A document: a cell for each level that it has, and a line for each section."""

    name: str
    title: str
    levels: dict[str, MetCount]
    sections: tuple[tuple[MetCount, str], ...]


def attention(run: RunRecord, check: BaselineCheck | None = None) -> tuple[CaseRecord, ...]:
    """The cases that somebody has to look into, worst first; known deviations are not among them.

    Args:
        run: whose cases.
        check: what a baseline says of them.
    """
    known = check.known if check else {}
    return tuple(
        case
        for verdict in ATTENTION
        for case in run.cases
        if case.verdict is verdict and case.id not in known
    )


def causes(cases: Iterable[CaseRecord], background: Background) -> tuple[CommonCause, ...]:
    """Cases by what explains them."""
    room = _FOLDED
    found: list[CommonCause] = []
    for group in by_cause(cases):
        folded = group[_NAMED : _NAMED + room]
        room -= len(folded)
        violated = tuple(
            (citation, section_address(background, citation.document, citation.section))
            for citation in group[0].citations
            if citation.id in group[0].violated
        )
        found.append(CommonCause(group, folded, violated, ground(group[0])))
    return tuple(found)


def document_totals(run: RunRecord, background: Background) -> tuple[DocumentTotals, ...]:
    """Requirements that are met, by document and level, and by section."""
    documents: dict[str, list[RequirementResult]] = {}
    for result in summarise(run).requirements:
        documents.setdefault(result.citation.document, []).append(result)
    return tuple(_totals(name, results, background) for name, results in documents.items())


def role_totals(run: RunRecord, background: Background) -> tuple[MetCount, ...]:
    """The same by whom requirements bind, as far as that is known."""
    bound = background.bound
    known = [one for one in summarise(run).requirements if one.citation.id in bound]
    return tallies(known, lambda result: bound[result.citation.id])


def _totals(name: str, results: list[RequirementResult], background: Background) -> DocumentTotals:
    known = background.documents.get(name)
    levels = {one.name: one for one in tallies(results, lambda result: result.citation.level)}
    sections = tallies(results, lambda result: result.citation.section)
    return DocumentTotals(
        name,
        known.title if known else name,
        {level: levels[level] for level in LEVELS if level in levels},
        tuple((one, section_address(background, name, one.name)) for one in sections),
    )
