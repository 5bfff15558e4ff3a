from __future__ import annotations

from typing import TYPE_CHECKING

from reports.render.folder import render_all

if TYPE_CHECKING:
    from pathlib import Path

    from reports.record import RunRecord


def test_render_all_leaves_three_files_html_first(run: RunRecord, tmp_path: Path) -> None:
    paths = render_all(run, tmp_path)
    assert [path.name for path in paths] == ["report.html", "report.json", "junit.xml"]
    assert all(path.stat().st_size > 0 for path in paths)
