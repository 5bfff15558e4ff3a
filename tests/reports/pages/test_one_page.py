"""Implementations by requirement, on one page."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from reports.baseline import BaselineCheck, Known, kernel_of
from reports.pages.one_page import write_one_page
from reports.record import RunRecord, Verdict
from tests.reports.pages.test_matrix import MUST, OTHER, citing
from tests.reports.test_baseline import Judged, run_of

A, B = "d/1/a", "d/1/b"
CODE = "H-1 Short messages are answered"


def on_kernel(run: RunRecord, kernel: str) -> RunRecord:
    facts = (*(fact for fact in run.header.facts if fact[0] != "kernel"), ("kernel", kernel))
    return msgspec.structs.replace(run, header=msgspec.structs.replace(run.header, facts=facts))


FAILS = on_kernel(
    citing(
        run_of(Judged(A, Verdict.PASS), Judged(B, Verdict.FAIL, "No.")), MUST, started="2026-02-01"
    ),
    "6.1.0-56-amd64",
)
PASSES = on_kernel(
    citing(run_of(Judged(A, Verdict.PASS), Judged(B, Verdict.PASS)), MUST, OTHER), "6.12.9-amd64"
)


def cells_in(table: str) -> list[str]:
    """What its cells hold; templates leave out the tags that HTML lets end by themselves."""
    return [cell.strip() for cell in re.findall(r"<td>(.*?)(?=<t[dr]>|</t)", table, re.DOTALL)]


def check(results: Path) -> BaselineCheck:
    known = {B: Known(CODE, str(results / "linux-6.1" / "findings.md#h-1"))}
    return BaselineCheck("baseline.toml", known, ())


def page_of(tmp_path: Path, *runs: tuple[RunRecord, BaselineCheck | None]) -> str:
    file = tmp_path / "results" / "page.html"
    write_one_page([(Path(str(n)), run, one) for n, (run, one) in enumerate(runs)], file)
    return file.read_text()


def test_the_kernel_is_named_that_the_device_ran_on(tmp_path: Path) -> None:
    header = msgspec.structs.replace(PASSES.header, fabric="loopback")
    page = page_of(tmp_path, (FAILS, None), (msgspec.structs.replace(PASSES, header=header), None))
    cells = cells_in(page)
    assert cells[0] == kernel_of(FAILS) != ""
    assert kernel_of(PASSES) not in cells


def test_what_has_no_number_is_linked_to_as_a_note(tmp_path: Path) -> None:
    known = {B: Known("As many segments as pages", "x.md#none")}
    page = page_of(tmp_path, (FAILS, BaselineCheck("baseline.toml", known, ())), (PASSES, None))
    assert ">note</a>" in page
    assert "note</a> (As many segments as pages)" in page


def test_a_cell_has_verdict_cases_and_a_link_to_the_finding(tmp_path: Path) -> None:
    page = page_of(tmp_path, (FAILS, check(tmp_path / "results")), (PASSES, None))
    table = page[page.index("Requirements that somebody") :]
    assert table.count('<th scope="row">') == 1
    cells = cells_in(table)
    link = f'<a href="linux-6.1/findings.md#h-1" title="{CODE}">H-1</a>'
    assert cells == [
        f'<b class="FAIL">FAIL</b> <small>1 of 2</small> {link}',
        '<b class="PASS">PASS</b>',
    ]
    assert "<p>1 more are met, or not claimed, by all.</p>" in table


def test_kernels_stand_in_the_order_of_their_releases_whenever_they_were_run(
    tmp_path: Path,
) -> None:
    page = page_of(tmp_path, (PASSES, None), (FAILS, check(tmp_path / "results")))
    (title,) = re.findall(r"<h2>From (.*?)</h2>", page)
    older, newer = title.split(" to ")
    assert "6.1.0-56" in older
    assert "6.12.9" in newer
    assert "Better: 1 of the requirements" in page
    assert "Worse" not in page
    assert re.search(r"that are gone.*>H-1</a> \(Short messages are answered\)\.", page)


def test_what_became_worse_and_what_came_is_told(tmp_path: Path) -> None:
    older, newer = on_kernel(PASSES, "6.1.0"), on_kernel(FAILS, "7.3.4")
    page = page_of(tmp_path, (older, None), (newer, check(tmp_path / "results")))
    assert "Worse: 1 of the requirements" in page
    assert "Better" not in page
    assert "Findings that are new" in page


def test_a_requirement_that_is_only_claimed_now_is_neither_better_nor_worse(tmp_path: Path) -> None:
    unclaimed = on_kernel(
        citing(run_of(Judged(A, Verdict.NA), Judged(B, Verdict.NA)), MUST, OTHER), "6.1.0"
    )
    page = page_of(tmp_path, (unclaimed, None), (PASSES, None))
    assert "No requirement has another verdict." in page


def test_deviations_without_a_finding_are_counted_as_not_explained(tmp_path: Path) -> None:
    page = page_of(tmp_path, (FAILS, None))
    known = page_of(tmp_path, (FAILS, check(tmp_path / "results")))
    # Verdicts stand before it; the last two cells are it and when the run was made.
    assert [cells_in(text[: text.index("</table>")])[-2] for text in (page, known)] == ["1", "0"]


def test_a_run_that_was_cut_short_says_so(tmp_path: Path) -> None:
    page = page_of(tmp_path, (msgspec.structs.replace(FAILS, footer=None), None))
    assert "The run was cut short" in page
    assert "cut short" not in page_of(tmp_path, (FAILS, None))


def test_no_case_is_named_and_no_other_file_is_needed(tmp_path: Path) -> None:
    page = page_of(tmp_path, (FAILS, None), (PASSES, None))
    assert A not in page
    assert B not in page
    assert "<script" not in page
    assert "<link" not in page
