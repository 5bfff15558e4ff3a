"""What a person sees in the terminal: progress while cases run, and the summary at the end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from reports.printable import printable
from reports.record import CaseRecord, RunRecord, Verdict
from reports.summary import NOTHING_JUDGED, by_cause, counted, ground, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence
    from types import TracebackType
    from typing import Self

    from reports.baseline import BaselineCheck
    from reports.summary import Summary

__all__ = ["VERDICT_STYLE", "Progress", "Terminal", "print_case", "print_summary"]

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

_EXPLAINED: Final = 20
"""Of how many causes the summary tells a case; a device that does nothing right fails all."""


_NAMED: Final = 5
"""How many cases of one cause are named beside the one that is explained."""


class Terminal(Console):
    """A console that lets a run go on when whoever read its output has seen enough."""

    def on_broken_pipe(self) -> None:
        """Write to nowhere from now on: the reports are still wanted."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


class Progress:
    """Shows a run while it runs.

    On a terminal, one line changes in place: how many cases are done, the verdicts so far, the
    running case.  Lines that stay are written for the cases that a person will want to look at; for
    every case if `verbose`.  Those that a baseline lists (`listed`) wait for the summary, which
    knows whether they are as it says.  The first lines say what makes the run (`head`) and how long
    it may take at most, by the number of its cases (`seconds`).
    """

    def __init__(
        self,
        console: Console,
        *,
        verbose: bool = False,
        listed: Container[str] = (),
        seconds: Callable[[int], float] | None = None,
        head: str = "",
    ) -> None:
        self._console = console
        self._verbose = verbose
        self._listed = listed
        self._seconds = seconds
        self._head = head
        self._counts = dict.fromkeys(Verdict, 0)
        self._line = Text(no_wrap=True, overflow="ellipsis")
        self._live = Live(console=console, transient=True, get_renderable=lambda: self._line)

    def __enter__(self) -> Self:
        """Begin to show."""
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Take the changing line away."""
        self._live.stop()

    def begin(self, case: str, planned: int) -> None:
        """A case begins; `planned` is how many there are."""
        if self._head:
            self.note(self._head)
            self._head = ""
        if self._seconds is not None:
            minutes = self._seconds(planned) / 60
            cases = counted(planned, "case")
            self.note(f"{cases}; ends within {minutes:.0f} minutes, whatever the device does")
            self._seconds = None
        done = sum(self._counts.values())
        line = Text(f"{done:{len(str(planned))}}/{planned}  ", no_wrap=True, overflow="ellipsis")
        for verdict, count in self._counts.items():
            if count:
                line.append(f"{verdict.value} {count}  ", VERDICT_STYLE[verdict])
        self._line = line.append(case)

    def judged(self, case: CaseRecord) -> None:
        """A case has its verdict."""
        self._counts[case.verdict] += 1
        told = case.verdict in _TOLD and case.id not in self._listed
        if self._verbose or told:
            style = VERDICT_STYLE[case.verdict]
            self._console.print(
                f"[{style}]{case.verdict.value:6}[/] {escape(case.id)}",
                highlight=False,
                soft_wrap=True,
            )

    def note(self, line: str) -> None:
        """Something has happened between the cases that a person should know of."""
        self._console.print(escape(printable(line)), highlight=False, soft_wrap=True)


def print_case(console: Console, case: CaseRecord) -> None:
    """Print everything that a person needs about one case that did not pass."""
    style = VERDICT_STYLE[case.verdict]
    headline = f"[{style}]{case.verdict.value:6}[/] {escape(case.id)}"
    console.print(headline, highlight=False, soft_wrap=True)
    lines = [case.title, case.reason]
    lines += [
        f"{citation.id} ({citation.level}): {citation.text}"
        for citation in case.citations
        if citation.id in case.violated
    ]
    if resting := ground(case):
        lines.append(f"level     {resting}")
    if case.not_reached:
        lines.append(f"not reached  {', '.join(case.not_reached)}")
    lines += [f"expected  {outcome}" for outcome in case.expected]
    if case.actual:
        lines.append(f"actual    {case.actual}")
    if case.interpretations:
        lines.append(f"rests on  {', '.join(case.interpretations)}")
    lines += [f"note      {note}" for note in case.notes]
    lines.append(f"again     {case.rerun}")
    for line in filter(None, lines):
        inside = line.replace("\n", "\n       ")  # no line of a device's looks like one of ours
        console.print(f"       {escape(inside)}", highlight=False, soft_wrap=True)


def print_summary(console: Console, run: RunRecord, check: BaselineCheck | None = None) -> None:
    """Print what needs attention, then the counts; deviations that are known only by why."""
    summary = summarise(run)
    known = check.known if check else {}
    told = [
        case
        for verdict in _TOLD
        for case in run.cases
        if case.verdict is verdict and case.id not in known
    ]
    groups = by_cause(told)
    for group in groups[:_EXPLAINED]:
        print_case(console, group[0])
        _print_others(console, group[1:])
    if len(groups) > _EXPLAINED:
        more = counted(sum(map(len, groups[_EXPLAINED:])), "case")
        console.print(f"       and {more} more: see the report")
    explained = [group[0] for group in groups[:_EXPLAINED]]
    _print_notes(console, (case for case in run.cases if case not in explained))
    for note in run.footer.notes if run.footer else ():
        line = f"note   the whole run: {escape(note)}"
        console.print(line, highlight=False, soft_wrap=True)
    _print_deaths(console, summary)
    _print_end(console, run, summary)
    if check:
        _print_check(console, run.cases, check)
    table = Table(box=None, pad_edge=False)
    for verdict in Verdict:
        table.add_column(verdict.value, justify="right", style=VERDICT_STYLE[verdict])
    table.add_row(*(str(summary.counts[verdict]) for verdict in Verdict))
    duration = f" in {run.footer.duration:.1f} s" if run.footer else ""
    console.print(
        f"{run.header.target} over {run.header.fabric}: {counted(summary.total, 'case')},"
        f" {counted(len(summary.requirements), 'requirement')}{_unreached(summary)}"
        f"{_noted(summary)}{duration}",
        highlight=False,
    )
    console.print(table)


def _print_others(console: Console, cases: Sequence[CaseRecord]) -> None:
    """The cases that the cause of the one that was printed explains as well."""
    if not cases:
        return
    console.print(f"       by the same cause {counted(len(cases), 'case')} more:")
    for case in cases[:_NAMED]:
        console.print(f"         {escape(case.id)}", highlight=False, soft_wrap=True)
    if len(cases) > _NAMED:
        console.print("         ... see the report")


def _print_end(console: Console, run: RunRecord, summary: Summary) -> None:
    """That a run was cut short, or says nothing of the device."""
    planned = counted(len(run.header.planned), "case")
    judged = f"{len(run.header.planned) - len(summary.missing)} of {planned} judged"
    if run.footer is None:
        line = f"The run was cut short: {judged}; its records have no end."
    elif not run.footer.complete:
        line = f"The run was cut short: {judged}; {run.footer.reason}."
    elif summary.missing:
        line = f"The run was cut short: {judged}."
    elif summary.lost:
        lost = counted(summary.lost, "case")
        line = f"{lost} could not be judged: the device did not serve, as their reasons say."
    elif summary.exit_status == NOTHING_JUDGED:
        line = "Nothing was judged: no case says anything of the device."
    else:
        return
    console.print(Text(line, "bold magenta"), soft_wrap=True)


def _print_deaths(console: Console, summary: Summary) -> None:
    """Where the device died, and how."""
    for case in summary.deaths[:_EXPLAINED]:
        line = Text(f"died   {case.id}: {case.died}", "bold magenta")
        console.print(line, soft_wrap=True)
    if len(summary.deaths) > _EXPLAINED:
        console.print(f"died   {len(summary.deaths) - _EXPLAINED} times more; see the report")


def _unreached(summary: Summary) -> str:
    return f" ({len(summary.not_reached)} not reached)" if summary.not_reached else ""


def _noted(summary: Summary) -> str:
    return f", {counted(summary.notes, 'note')}" if summary.notes else ""


def _print_notes(console: Console, cases: Iterable[CaseRecord]) -> None:
    """What cases tell that break nothing, where the summary has not told the whole case."""
    noting = [(case.id, note) for case in cases for note in case.notes]
    for case_id, note in noting[:_EXPLAINED]:
        line = f"note   {escape(case_id)}: {escape(note)}"
        console.print(line, highlight=False, soft_wrap=True)
    if len(noting) > _EXPLAINED:
        more = counted(len(noting) - _EXPLAINED, "note")
        console.print(f"       and {more} more: see the report")


def _print_check(console: Console, cases: Iterable[CaseRecord], check: BaselineCheck) -> None:
    """Known deviations, counted by why and verdict; then where the baseline does not hold."""
    groups: dict[tuple[str, str, Verdict], int] = {}
    for case in cases:
        if known := check.known.get(case.id):
            key = (known.why, known.link, case.verdict)
            groups[key] = groups.get(key, 0) + 1
    for (why, link, verdict), count in groups.items():
        style = VERDICT_STYLE[verdict]
        where = f" ({escape(link)})" if link else ""
        line = f"known [{style}]{verdict.value:6}[/] {count:3}  {escape(why)}{where}"
        console.print(line, highlight=False, soft_wrap=True)
    for problem in check.problems:
        line = f"[bold red]BASELINE[/] {escape(problem.case)}: {escape(problem.sentence)}"
        console.print(line, highlight=False, soft_wrap=True)
    deviations = counted(len(check.known), "known deviation")
    problems = counted(len(check.problems), "problem")
    line = f"baseline {escape(check.file)}: {deviations}, {problems}"
    console.print(line, highlight=False, soft_wrap=True)
