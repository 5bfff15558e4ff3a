"""The logs of a guest are found, and pages lead to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports.pages.lab_logs import LOGS_FOLDER, lab_logs
from reports.pages.run_pages import write_run_pages
from tests.reports.pages.structure import Structure

if TYPE_CHECKING:
    from pathlib import Path

    from reports.pages.background import Background
    from reports.record import RunRecord


def test_each_log_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / LOGS_FOLDER).mkdir()
    for name in ("server.log", "console.log", "notes.txt"):
        (tmp_path / LOGS_FOLDER / name).touch()
    found = [(log.what, log.file.name) for log in lab_logs(tmp_path)]
    assert found == [
        ("what the guest's kernel printed", "console.log"),
        ("what the server printed", "server.log"),
    ]


def test_a_run_without_a_guest_has_none(tmp_path: Path) -> None:
    assert lab_logs(tmp_path) == ()


def test_the_first_page_and_what_failed_lead_to_them(
    run: RunRecord, background: Background, tmp_path: Path
) -> None:
    (tmp_path / LOGS_FOLDER).mkdir()
    (tmp_path / LOGS_FOLDER / "server.log").touch()
    first = write_run_pages(run, tmp_path, background=background)
    assert "lab/server.log" in Structure(first).links
    pages = {
        case.verdict.name: Structure(page).links
        for case in run.cases
        for page in (tmp_path / "report").glob(f"*-case-{case.verdict.name}.html")
    }
    leading = {name for name, links in pages.items() if "../lab/server.log" in links}
    assert "FAIL" in leading
    assert leading.isdisjoint({"PASS", "NA"})
