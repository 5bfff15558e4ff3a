from __future__ import annotations

from typing import TYPE_CHECKING

from reports.folder import REPORTS, render_all, report_files

if TYPE_CHECKING:
    from pathlib import Path

    from reports.record import RunRecord


def test_render_all_leaves_three_files_and_the_page_to_open(run: RunRecord, tmp_path: Path) -> None:
    assert render_all(run, tmp_path) == tmp_path / "report.html"
    assert REPORTS == ("report.html", "report.json", "junit.xml")
    assert all((tmp_path / name).stat().st_size > 0 for name in REPORTS)


def test_report_files_are_all_that_was_written(run: RunRecord, tmp_path: Path) -> None:
    render_all(run, tmp_path)
    left = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(report_files(tmp_path))
