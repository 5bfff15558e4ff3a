"""The pages of several runs: one that shows them side by side, and all pages of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from reports.pages.background import NO_BACKGROUND
from reports.pages.environment import write_assets, write_page
from reports.pages.links import FIRST_PAGE, FOLDER, section_address
from reports.pages.matrix import (
    CaseMatrixRow,
    RequirementMatrixRow,
    ShownRun,
    case_rows,
    changes,
    differing,
    requirement_rows,
    shown_runs,
)
from reports.pages.requirement_pages import cut_into_pages, part_name
from reports.pages.run_pages import write_run_pages
from reports.sentence import ending, in_one_sentence
from reports.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reports.pages.background import Background
    from reports.record import RunRecord

__all__ = ["SidePage", "write_overview"]

_ROOM: Final = 3000
"""Cells of a page, each some two hundred octets: a page stays below a megabyte."""

_SHOWN: Final = 1000
"""Cells that each table of the first page has at most; the other pages have the rest."""


@dataclass(frozen=True, slots=True)
class SidePage:
    """A page of the matrix.

    Attributes:
        file: its name.
        title: what it lists.
        part: which page of those with the same title, from 1.
        requirements: its rows, of one kind or the other.
        cases: likewise.
    """

    file: str
    title: str
    part: int
    requirements: tuple[RequirementMatrixRow, ...] = ()
    cases: tuple[CaseMatrixRow, ...] = ()

    @property
    def suffix(self) -> str:
        """What tells it from the others with its title."""
        return f", {self.part}" if self.part > 1 else ""


def write_overview(
    runs: Sequence[tuple[Path, RunRecord]],
    folder: Path,
    background: Background = NO_BACKGROUND,
) -> Path:
    """Write the pages of several runs.

    Args:
        runs: each with its folder, to whose evidence the pages lead.
        folder: of the first page; it is made, and has a folder for each run.
        background: what is known beside them.

    Returns:
        The first page, which is written last.

    Raises:
        OSError: a page cannot be written.
    """
    shown = shown_runs([(str(place), run) for place, run in runs])
    for one, (place, run) in zip(shown, runs, strict=True):
        write_run_pages(
            run,
            folder / one.folder,
            background=background,
            evidence=place,
            overview=f"../{FIRST_PAGE}",
        )
    inner = folder / FOLDER
    write_assets(inner)
    requirements = requirement_rows(shown)
    pages = (*_requirement_pages(requirements), *_case_pages(case_rows(shown)))
    common = {
        "runs": shown,
        "pages": pages,
        "address": partial(section_address, background),
    }
    for page in pages:
        write_page("matrix", inner / page.file, **common, top="", back="../", page=page)
    first = folder / FIRST_PAGE
    write_page(
        "overview",
        first,
        **common,
        top=f"{FOLDER}/",
        back="",
        figures=[_figures(one) for one in shown],
        changes=changes(shown),
        differing=differing(requirements),
        most=_SHOWN // len(shown),
    )
    return first


def _figures(one: ShownRun) -> tuple[ShownRun, str, str, dict[str, int]]:
    counts = {verdict.value: count for verdict, count in summarise(one.run).counts.items() if count}
    return one, in_one_sentence(one.run), ending(one.run), counts


def _requirement_pages(rows: Sequence[RequirementMatrixRow]) -> Iterator[SidePage]:
    documents: dict[str, list[RequirementMatrixRow]] = {}
    for row in rows:
        documents.setdefault(row.citation.document, []).append(row)
    for name, members in documents.items():
        for number, part in enumerate(cut_into_pages(members, _weight, _ROOM), 1):
            file = part_name(f"requirements-{name}", number)
            yield SidePage(file, f"Requirements of {name}", number, requirements=part)


def _case_pages(rows: Sequence[CaseMatrixRow]) -> Iterator[SidePage]:
    documents: dict[str, list[CaseMatrixRow]] = {}
    for row in rows:
        documents.setdefault(row.case.partition("/")[0], []).append(row)
    for name, members in documents.items():
        for number, part in enumerate(cut_into_pages(members, _weight, _ROOM), 1):
            yield SidePage(
                part_name(f"cases-{name}", number), f"Cases of {name}", number, cases=part
            )


def _weight(row: RequirementMatrixRow | CaseMatrixRow) -> int:
    """Cells of a row; what it is about takes the room of two."""
    return 2 + len(row.cells)
