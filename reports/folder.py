"""All files that a run leaves in its folder, made from its records alone, complete or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reports.pages.background import NO_BACKGROUND
from reports.pages.environment import ASSETS
from reports.pages.links import FIRST_PAGE, FOLDER
from reports.pages.run_pages import write_run_pages
from reports.render.aside import write_aside
from reports.render.badge import badge_json, badge_svg
from reports.render.json import write_json
from reports.render.junit import write_junit
from reports.render.oneline import one_line
from reports.render.tap import tap_document

if TYPE_CHECKING:
    from pathlib import Path

    from reports.baseline import BaselineCheck
    from reports.pages.background import Background
    from reports.record import RunRecord

__all__ = ["REPORTS", "render_all", "report_files"]

REPORTS: Final = (
    FIRST_PAGE,
    "report.json",
    "junit.xml",
    "report.tap",
    "summary.txt",
    "badge.json",
    "badge.svg",
)
"""Names of the files that a reader or a program opens."""


def render_all(
    run: RunRecord,
    folder: Path,
    check: BaselineCheck | None = None,
    background: Background = NO_BACKGROUND,
) -> Path:
    """Write all of `REPORTS`, and the pages that belong to the first of them.

    Args:
        run: what they tell.
        folder: of the run; its evidence is there.
        check: what a baseline says: which deviations are known, and where it does not hold.
        background: what is known beside the run.

    Returns:
        The page to open.

    Raises:
        OSError: a file cannot be written.
    """
    _, json, junit, tap, line, shield, badge = (folder / name for name in REPORTS)
    write_json(run, json, check)
    write_junit(run, junit, check)
    write_aside(tap, tap_document(run, check).encode())
    write_aside(line, f"{one_line(run, check)}\n".encode())
    write_aside(shield, badge_json(run, check).encode())
    write_aside(badge, badge_svg(run, check).encode())
    return write_run_pages(run, folder, check, background)


def report_files(folder: Path) -> list[Path]:
    """What `render_all` may have left in a folder, whether it is there or not."""
    pages = folder / FOLDER
    return [
        *(folder / name for name in REPORTS),
        *(pages / name for name in ASSETS),
        *pages.glob("*.html"),
    ]
