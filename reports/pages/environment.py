"""Templates into files, and what these templates may call."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from reports.record import Verdict
from reports.render.aside import write_aside
from reports.render.templating import templates_of

if TYPE_CHECKING:
    from pathlib import Path

    from jinja2 import Environment

__all__ = ["ASSETS", "write_assets", "write_page"]

ASSETS: Final = ("report.css", "report.js")
"""The stylesheet and the script that all pages share."""


def write_page(template: str, path: Path, **values: object) -> None:
    """Fill a template and write the page.

    Args:
        template: its name without ending.
        path: of the page.
        values: what the template shows.

    Raises:
        OSError: the page cannot be written.
    """
    page = _environment().get_template(f"{template}.html.j2").render(values)
    write_aside(path, page.encode())


def write_assets(folder: Path) -> None:
    """Write the stylesheet and the script into the folder of the pages, which is made.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ASSETS:
        write_aside(folder / name, (files("reports.pages") / "templates" / name).read_bytes())


@cache
def _environment() -> Environment:
    environment = templates_of("reports.pages")
    environment.globals["verdicts"] = tuple(Verdict)
    environment.filters["cut"] = _cut
    return environment


def _cut(text: str, longest: int) -> str:
    """The beginning of a text, up to the end of a word."""
    if len(text) <= longest:
        return text
    return text[:longest].rsplit(" ", 1)[0] + " ..."
