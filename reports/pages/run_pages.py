"""All pages of one run, written into a folder: the first page, and the others in a folder beside.

Pages link to one another by relative paths, so the folder can be moved, packed and opened from
disk; the script only filters and moves about, and without it everything is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from reports.pages import case_page
from reports.pages.background import NO_BACKGROUND
from reports.pages.deaths import listed_deaths
from reports.pages.environment import write_assets, write_page
from reports.pages.front import attention, causes, document_totals, role_totals
from reports.pages.lab_logs import LabLog, lab_logs
from reports.pages.links import FIRST_PAGE, FOLDER, page_names, seen_from
from reports.pages.requirement_pages import requirement_pages
from reports.pages.sequence import sequence
from reports.sentence import ending, in_one_sentence
from reports.summary import Summary, ground, summarise
from reports.totals import LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reports.baseline import BaselineCheck
    from reports.pages.background import Background
    from reports.pages.requirement_pages import MatrixPage
    from reports.record import RunRecord

__all__ = ["write_run_pages"]

_CAUSES: Final = 40
"""Causes that the first page tells; a device that does nothing right has hundreds."""

_DEATHS: Final = 12
"""Deaths that stand on the first page without being unfolded."""


@dataclass(frozen=True, slots=True)
class _Site:
    """What every page of a run may show.

    Attributes:
        run: the run.  summary: its figures.
        check: what a baseline says of it.
        background: what is known beside it.
        names: of the page of each case.
        matrix: pages of the requirements.
        rows: where each requirement stands on them, from the folder of these pages.
        overview: path, from the first page, of a page about several runs; or nothing.
        logs: of the lab's guest, if the run had one.
    """

    run: RunRecord
    summary: Summary
    check: BaselineCheck | None
    background: Background
    names: Mapping[str, str]
    matrix: tuple[MatrixPage, ...]
    rows: Mapping[str, str]
    overview: str
    logs: tuple[LabLog, ...]


def write_run_pages(
    run: RunRecord,
    folder: Path,
    check: BaselineCheck | None = None,
    background: Background = NO_BACKGROUND,
    *,
    evidence: Path | None = None,
    overview: str = "",
) -> Path:
    """Write the pages of a run.

    Args:
        run: what they show.
        folder: of the first page; it is made.
        check: what a baseline says of the run.
        background: what is known beside it.
        evidence: the folder that the names of evidence are relative to; `folder` if not given.
        overview: path, from `folder`, of a page about several runs that this one belongs to.

    Returns:
        The first page, which is written last: where it is, the others are.

    Raises:
        OSError: a page cannot be written.
    """
    inner = folder / FOLDER
    write_assets(inner)
    names = page_names(case.id for case in run.cases)
    matrix = requirement_pages(run, background)
    cited = ((page.file, row.result.citation.id) for page in matrix for row in page.rows)
    rows = {requirement: f"{file}#{requirement}" for file, requirement in cited}
    site = _Site(
        run,
        summarise(run),
        check,
        background,
        names,
        matrix,
        rows,
        overview,
        lab_logs(evidence or folder),
    )
    for page in matrix:
        write_page("requirements", inner / page.file, site=site, top="", page=page)
    _write_readings(site, inner)
    _write_cases(site, inner, evidence or folder)
    first = folder / FIRST_PAGE
    _write_first(site, first, evidence or folder)
    return first


def _write_first(site: _Site, path: Path, evidence: Path) -> None:
    told = attention(site.run, site.check)
    documents = document_totals(site.run, site.background)
    write_page(
        "first",
        path,
        site=site,
        top=f"{FOLDER}/",
        linked=partial(seen_from, path.parent),
        statement=in_one_sentence(site.run, site.check),
        ending=ending(site.run),
        deaths=listed_deaths(site.run.cases, evidence, site.logs),
        most_deaths=_DEATHS,
        told=told,
        causes=causes(told, site.background),
        documents=documents,
        roles=role_totals(site.run, site.background),
        levels=[level for level in LEVELS if any(level in one.levels for one in documents)],
        most=_CAUSES,
    )


def _write_cases(site: _Site, folder: Path, evidence: Path) -> None:
    around = case_page.neighbours(site.run)
    for case in site.run.cases:
        write_page(
            "case",
            folder / site.names[case.id],
            site=site,
            top="",
            linked=partial(seen_from, folder),
            evidence=evidence,
            case=case,
            ground=ground(case),
            around=around[case.id],
            files=case_page.evidence_files(case),
            decode=case_page.decode_command(case),
            requirements=case_page.cited_requirements(case, site.background),
            readings=case_page.readings_of(case, site.background),
            mutants=case_page.found_mutants(case, site.background),
            devices=case_page.device_rows(case, site.background),
            sequence=sequence(case),
        )


def _write_readings(site: _Site, folder: Path) -> None:
    resting = {one for case in site.run.cases for one in case.interpretations}
    known = site.background.readings.items()
    readings = {one: text for one, text in known if one in resting}
    if readings:
        write_page("readings", folder / "readings.html", site=site, top="", readings=readings)
