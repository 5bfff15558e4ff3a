"""One self-contained HTML page for a run: summary, a row for each case, and each case unfolded.

No script and no outside resource is needed: the page can be mailed, archived and shown.  Cases and
requirements unfold with `<details>`; the octets of a message stand beside what they mean.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from reports.record import RunRecord, Verdict
from reports.summary import summarise

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_html"]


def write_html(run: RunRecord, path: Path) -> None:
    """Write the run to `path`."""
    template = _environment().get_template("report.html.j2")
    page = template.render(run=run, summary=summarise(run), verdicts=tuple(Verdict))
    path.write_text(page, encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["hexdump"] = _hexdump
    environment.filters["anchor"] = _anchor
    return environment


def _hexdump(octets: str) -> str:
    """Words of four octets, four to a line, each line led by its offset: the XDR unit is a word."""
    words = [octets[i : i + 8] for i in range(0, len(octets), 8)]
    lines = [words[i : i + 4] for i in range(0, len(words), 4)]
    return "\n".join(f"{16 * number:04x}  {' '.join(line)}" for number, line in enumerate(lines))


def _anchor(identifier: str) -> str:
    """A fragment identifier without characters that need escaping."""
    return "".join(c if c.isalnum() else "-" for c in identifier)
