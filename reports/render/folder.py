"""All files that a finished run leaves in its folder, made from its records alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reports.render.html import write_html
from reports.render.json import write_json
from reports.render.junit import write_junit

if TYPE_CHECKING:
    from pathlib import Path

    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

__all__ = ["REPORTS", "render_all"]

REPORTS: Final = ("report.html", "report.json", "junit.xml")
"""Names of the files."""


def render_all(
    run: RunRecord, folder: Path, check: BaselineCheck | None = None
) -> tuple[Path, ...]:
    """Write `report.html`, `report.json` and `junit.xml`; return their paths, HTML first.

    With a `check` they tell which deviations are known and where the baseline does not hold.
    """
    html, json, junit = (folder / name for name in REPORTS)
    write_html(run, html, check)
    write_json(run, json, check)
    write_junit(run, junit, check)
    return html, json, junit
