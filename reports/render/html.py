"""One self-contained HTML page for a run: summary, a row for each case, and each case unfolded.

No outside resource is needed: the page can be mailed, archived and shown.  Cases unfold with
`<details>`; what was sent stands beside what was received.  A small script filters cases and opens
the one that a link names; without it the page is complete, too.

Most octets of a run are the same in many cases (the good calls before and after each).  A message
is decoded where it occurs first, and a link leads there from everywhere else; what is large is cut,
since the trace beside the page has all of it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from reports.record import RunRecord, Verdict
from reports.render.aside import write_aside
from reports.summary import by_cause, counted, ground, summarise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reports.baseline import BaselineCheck
    from reports.record import CaseRecord, Exchange

__all__ = ["ShownStep", "steps_of", "write_html"]

_STEPS: Final = 16
"""How many of the first and of the last exchanges of a case are shown."""

_LINES: Final = 40
"""Lines of a decoded message that are shown."""

_OCTETS: Final = {"sent": 64, "received": 64, "event": 16}
"""Octets that are shown of an exchange."""


@dataclass(frozen=True, slots=True)
class ShownStep:
    """An exchange as the page shows it.

    Attributes:
        exchange: what happened.
        anchor: by which others refer to it; empty if its octets are not decoded here.
        same_as: anchor of the step that has the same octets; empty if this is the first.
        detail: decoded, as far as it is shown.
        octets: in hexadecimal, as far as they are shown.
        skipped: how many exchanges before this one are not shown.
    """

    exchange: Exchange
    anchor: str = ""
    same_as: str = ""
    detail: str = ""
    octets: str = ""
    skipped: int = 0

    @property
    def shown(self) -> int:
        """How many octets are shown."""
        return len(self.octets) // 2


def write_html(run: RunRecord, path: Path, check: BaselineCheck | None = None) -> None:
    """Write the run to `path`, with what a baseline says of it."""
    template = _environment().get_template("report.html.j2")
    summary = summarise(run)
    attention = [
        case
        for verdict in (Verdict.ERROR, Verdict.FAIL, Verdict.WARN, Verdict.INCONC)
        for case in run.cases
        if case.verdict is verdict and not (check and case.id in check.known)
    ]
    page = template.render(
        run=run,
        summary=summary,
        verdicts=tuple(Verdict),
        attention=attention,
        causes=by_cause(attention),
        steps=steps_of(run.cases),
        check=check,
        counted=counted,
        ground=ground,
        linked=lambda link: _seen_from(path.parent, link),
    )
    write_aside(path, page.encode())


def _seen_from(folder: Path, link: str) -> str:
    """A link as it is written in a page of that folder: paths go from there."""
    return link if "://" in link else os.path.relpath(link, folder)


def steps_of(cases: Sequence[CaseRecord]) -> dict[str, tuple[ShownStep, ...]]:
    """What the page shows of each case's exchanges, by the case's id."""
    seen: dict[tuple[str, str, int], str] = {}
    return {
        case.id: tuple(_steps(f"c{number}", case.exchanges, seen))
        for number, case in enumerate(cases, 1)
    }


def _steps(
    prefix: str, exchanges: tuple[Exchange, ...], seen: dict[tuple[str, str, int], str]
) -> list[ShownStep]:
    skipped = max(len(exchanges) - 2 * _STEPS, 0)
    shown = (*exchanges[:_STEPS], *exchanges[_STEPS + skipped :])
    made: list[ShownStep] = []
    for number, exchange in enumerate(shown, 1):
        left_out = skipped if number == _STEPS + 1 else 0
        key = (exchange.detail, exchange.octets, exchange.length)
        octets = exchange.octets[: 2 * _OCTETS[exchange.direction]]
        if not exchange.detail:
            made.append(ShownStep(exchange, octets=octets, skipped=left_out))
        elif key in seen:
            made.append(ShownStep(exchange, same_as=seen[key], skipped=left_out))
        else:
            seen[key] = anchor = f"{prefix}-{number}"
            made.append(ShownStep(exchange, anchor, "", _cut(exchange.detail), octets, left_out))
    return made


def _cut(detail: str) -> str:
    lines = detail.splitlines()
    rest = len(lines) - _LINES
    return "\n".join((*lines[:_LINES], f"... {rest} lines more")) if rest > 0 else detail


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("reports.render"),
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
