"""All files that a run leaves in its folder, made from its records alone, complete or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reports.render.aside import write_aside
from reports.render.badge import badge_json, badge_svg
from reports.render.html import write_html
from reports.render.json import write_json
from reports.render.junit import write_junit
from reports.render.oneline import one_line
from reports.render.tap import tap_document

if TYPE_CHECKING:
    from pathlib import Path

    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

__all__ = ["REPORTS", "render_all"]

REPORTS: Final = (
    "report.html",
    "report.json",
    "junit.xml",
    "report.tap",
    "summary.txt",
    "badge.json",
    "badge.svg",
)
"""Names of the files."""


def render_all(
    run: RunRecord, folder: Path, check: BaselineCheck | None = None
) -> tuple[Path, ...]:
    """Write all of `REPORTS` into a folder; return their paths, HTML first.

    With a `check` they tell which deviations are known and where the baseline does not hold.

    Raises:
        OSError: one cannot be written.
    """
    paths = tuple(folder / name for name in REPORTS)
    html, json, junit, tap, line, shield, badge = paths
    write_html(run, html, check)
    write_json(run, json, check)
    write_junit(run, junit, check)
    write_aside(tap, tap_document(run, check).encode())
    write_aside(line, f"{one_line(run, check)}\n".encode())
    write_aside(shield, badge_json(run, check).encode())
    write_aside(badge, badge_svg(run, check).encode())
    return paths
