"""What programs read of a run, made from its records alone, complete or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reports.render.aside import write_aside
from reports.render.badge import badge_json, badge_svg
from reports.render.github import github_annotations
from reports.render.json import json_document
from reports.render.junit import junit_document
from reports.render.oneline import one_line
from reports.render.tap import ktap_document, tap_document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

__all__ = ["FORMATS", "PROGRAM_REPORTS", "write_for_programs"]

FORMATS: Final[Mapping[str, Callable[[RunRecord, BaselineCheck | None], str]]] = {
    "junit": lambda run, check: junit_document(run, check).decode(),
    "json": lambda run, check: json_document(run, check).decode(),
    "tap": tap_document,
    "ktap": ktap_document,
    "github": github_annotations,
    "line": lambda run, check: f"{one_line(run, check)}\n",
    "badge": badge_json,
    "badge-svg": badge_svg,
}
"""Name -> what makes the text of a run, with what a baseline says of it."""

_FILES: Final = {
    "report.json": "json",
    "junit.xml": "junit",
    "report.tap": "tap",
    "summary.txt": "line",
    "badge.json": "badge",
    "badge.svg": "badge-svg",
}
"""The file of each format that costs next to nothing."""

PROGRAM_REPORTS: Final = tuple(_FILES)
"""Names of the files."""


def write_for_programs(
    run: RunRecord, folder: Path, check: BaselineCheck | None = None
) -> tuple[Path, ...]:
    """Write all of `PROGRAM_REPORTS` into a folder; return their paths.

    With a `check` they tell which deviations are known and where the baseline does not hold.

    Raises:
        OSError: one cannot be written.
    """
    for name, made_by in _FILES.items():
        write_aside(folder / name, FORMATS[made_by](run, check).encode())
    return tuple(folder / name for name in PROGRAM_REPORTS)
