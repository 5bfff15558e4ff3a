"""All files that a run leaves in its folder, made from its records alone, complete or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reports.render.html import write_html
from reports.render.programs import PROGRAM_REPORTS, write_for_programs

if TYPE_CHECKING:
    from pathlib import Path

    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

__all__ = ["REPORTS", "render_all"]

REPORTS: Final = ("report.html", *PROGRAM_REPORTS)
"""Names of the files."""


def render_all(
    run: RunRecord, folder: Path, check: BaselineCheck | None = None
) -> tuple[Path, ...]:
    """Write all of `REPORTS` into a folder; return their paths, HTML first.

    With a `check` they tell which deviations are known and where the baseline does not hold.

    Raises:
        OSError: one cannot be written.
    """
    html = folder / "report.html"
    write_html(run, html, check)
    return html, *write_for_programs(run, folder, check)
