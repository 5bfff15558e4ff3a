from __future__ import annotations

from typing import TYPE_CHECKING

from reports.render.folder import REPORTS, render_all

if TYPE_CHECKING:
    from pathlib import Path

    from reports.record import RunRecord


def test_render_all_leaves_every_report_html_first(run: RunRecord, tmp_path: Path) -> None:
    paths = render_all(run, tmp_path)
    assert tuple(path.name for path in paths) == REPORTS
    assert paths[0].name == "report.html"
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_each_report_holds_what_its_name_says(run: RunRecord, tmp_path: Path) -> None:
    render_all(run, tmp_path)
    begins = {path.name: path.read_text()[:14] for path in tmp_path.iterdir()}
    assert begins["report.tap"] == "TAP version 14"
    assert begins["badge.svg"].startswith("<svg")
    assert begins["badge.json"].startswith("{")
    assert begins["summary.txt"] == "reference over"
    assert begins["junit.xml"].startswith("<?xml")
