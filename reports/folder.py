"""All files that a run leaves in its folder, made from its records alone, complete or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reports.pages.background import NO_BACKGROUND
from reports.pages.environment import ASSETS
from reports.pages.links import FIRST_PAGE, FOLDER
from reports.pages.run_pages import write_run_pages
from reports.render.programs import PROGRAM_REPORTS, write_for_programs

if TYPE_CHECKING:
    from pathlib import Path

    from reports.baseline import BaselineCheck
    from reports.pages.background import Background
    from reports.record import RunRecord

__all__ = ["REPORTS", "render_all", "report_files"]

REPORTS: Final = (FIRST_PAGE, *PROGRAM_REPORTS)
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
    write_for_programs(run, folder, check)
    return write_run_pages(run, folder, check, background)


def report_files(folder: Path) -> list[Path]:
    """What `render_all` may have left in a folder, whether it is there or not."""
    pages = folder / FOLDER
    return [
        *(folder / name for name in REPORTS),
        *(pages / name for name in ASSETS),
        *pages.glob("*.html"),
    ]
