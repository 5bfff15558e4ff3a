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
