"""The one page and the one file of a night."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from conformance.nightly.budget import in_words
from conformance.nightly.night import NIGHTS
from reports.render.aside import write_aside
from reports.render.templating import templates_of
from reports.summary import counted

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.nightly.changes import NightReport
    from conformance.nightly.record import StageResult

__all__ = ["JSON_FILE", "PAGE_FILE", "sentence_about", "write_report"]

PAGE_FILE: Final = "nightly.html"
JSON_FILE: Final = "nightly.json"

_MOST: Final = 20
"""Failures of a stage that the page lists; its own report has all."""


def write_report(report: NightReport, top: Path, folder: Path, again: str) -> Path:
    """Write page and file; returns the page.

    Args:
        report: of the night.
        top: folder for both.
        folder: of the night, below it.
        again: the command that makes the same night once more.

    Raises:
        OSError: they cannot be written.
    """
    octets = msgspec.json.format(msgspec.json.encode(report), indent=1)
    write_aside(top / JSON_FILE, octets + b"\n")
    page = templates_of("conformance.nightly").get_template("nightly.html.j2")
    text = page.render(
        report=report,
        word="green" if report.exit_status == 0 else "red",
        sentence=sentence_about(report),
        folder=f"{NIGHTS}/{folder.name}",
        again=again,
        words=in_words,
        figures=_figures,
        most=_MOST,
    )
    write_aside(top / PAGE_FILE, text.encode())
    return top / PAGE_FILE


def sentence_about(report: NightReport) -> str:
    """The night in one sentence."""
    night = report.night
    ran = len(night.results) - len(report.not_run)
    parts = [f"{ran} of {counted(len(night.plan), 'stage')} ran"]
    if report.before:
        worse = len(report.worse)
        parts.append(f"{counted(worse, 'thing')} got worse" if worse else "nothing got worse")
    if report.still:
        parts.append(f"{counted(len(report.still), 'stage')} not clean")
    if report.not_run:
        parts.append(f"{len(report.not_run)} did not run")
    if not night.finished:
        parts.append("the night was interrupted, and goes on when the command is given again")
    return "; ".join(parts) + "."


def _figures(result: StageResult, earlier: StageResult | None) -> str:
    """Counts and rates, with those of before in brackets where they differ."""
    now = {name: float(number) for name, number in result.counts.items()} | result.rates
    was: dict[str, float] = {}
    if earlier is not None:
        was = {name: float(number) for name, number in earlier.counts.items()} | earlier.rates
    shown = []
    for name, number in now.items():
        if not number and not was.get(name):
            continue
        before = f" ({_shown(was[name])})" if name in was and was[name] != number else ""
        shown.append(f"{name} {_shown(number)}{before}")
    return ", ".join(shown)


def _shown(number: float) -> str:
    """With as many places as tell something: `790,600`, `1.25`."""
    return f"{number:,.0f}" if abs(number) >= 1000 or number == int(number) else f"{number:.4g}"
