"""The summary that a person sees at the end of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.markup import escape
from rich.table import Table

from reports.record import CaseRecord, RunRecord, Verdict
from reports.summary import summarise

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["VERDICT_STYLE", "print_case", "print_summary"]

VERDICT_STYLE: Final[dict[Verdict, str]] = {
    Verdict.PASS: "green",
    Verdict.WARN: "yellow",
    Verdict.FAIL: "bold red",
    Verdict.INCONC: "cyan",
    Verdict.NA: "dim",
    Verdict.ERROR: "bold magenta",
}
"""How each verdict is coloured."""

_TOLD: Final = (Verdict.ERROR, Verdict.FAIL, Verdict.WARN, Verdict.INCONC)
"""Verdicts whose cases the summary lists one by one, worst first."""


def print_case(console: Console, case: CaseRecord) -> None:
    """Print everything that a person needs about one case that did not pass."""
    style = VERDICT_STYLE[case.verdict]
    console.print(f"[{style}]{case.verdict.value:6}[/] {escape(case.id)}", highlight=False)
    lines = [case.title, case.reason]
    lines += [
        f"{citation.id} ({citation.level}): {citation.text}"
        for citation in case.citations
        if citation.id in case.violated
    ]
    lines += [f"expected  {outcome}" for outcome in case.expected]
    if case.actual:
        lines.append(f"actual    {case.actual}")
    if case.interpretations:
        lines.append(f"rests on  {', '.join(case.interpretations)}")
    lines.append(f"again     {case.rerun}")
    for line in filter(None, lines):
        console.print(f"       {escape(line)}", highlight=False, soft_wrap=True)


def print_summary(console: Console, run: RunRecord) -> None:
    """Print what needs attention, then the counts."""
    summary = summarise(run)
    for verdict in _TOLD:
        for case in run.cases:
            if case.verdict is verdict:
                print_case(console, case)
    for case_id in summary.missing:
        console.print(f"[bold magenta]MISSING[/] {escape(case_id)}", highlight=False)
    if run.footer is None:
        console.print("[bold magenta]The run was cut short: its records have no end.[/]")
    elif not run.footer.complete:
        console.print(f"[bold magenta]The run did not finish:[/] {escape(run.footer.reason)}")
    table = Table(box=None, pad_edge=False)
    for verdict in Verdict:
        table.add_column(verdict.value, justify="right", style=VERDICT_STYLE[verdict])
    table.add_row(*(str(summary.counts[verdict]) for verdict in Verdict))
    duration = f" in {run.footer.duration:.1f} s" if run.footer else ""
    console.print(
        f"{run.header.target} over {run.header.fabric}: {summary.total} cases,"
        f" {len(summary.requirements)} requirements{duration}",
        highlight=False,
    )
    console.print(table)
