from __future__ import annotations

from typing import TYPE_CHECKING

from reports.folder import REPORTS, render_all, report_files

if TYPE_CHECKING:
    from pathlib import Path

    from reports.record import RunRecord


def test_each_report_holds_what_its_name_says(run: RunRecord, tmp_path: Path) -> None:
    assert render_all(run, tmp_path) == tmp_path / "report.html"
    begins = {name: (tmp_path / name).read_text(encoding="utf-8")[:14] for name in REPORTS}
    assert begins["report.tap"] == "TAP version 14"
    assert begins["report.html"].startswith("<!doctype html")
    assert begins["badge.svg"].startswith("<svg")
    assert begins["report.json"].startswith("{")
    assert begins["badge.json"].startswith("{")
    assert begins["summary.txt"] == "reference over"
    assert begins["junit.xml"].startswith("<?xml")


def test_report_files_are_all_that_was_written(run: RunRecord, tmp_path: Path) -> None:
    render_all(run, tmp_path)
    left = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(report_files(tmp_path))
