"""Several runs side by side: where their verdicts differ, and what each run said.

Columns are runs, rows are cases.  Two runs agree on a case when they have the same verdict; a case
that one of them did not judge is a difference.  The same deviation for another reason is shown as
well, but does not count as a difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec
from rich.markup import escape
from rich.table import Table

from reports.baseline import kernel_of
from reports.baseline_file import stable_text
from reports.record import FORMAT_VERSION, CaseRecord, RunRecord, Verdict
from reports.render.aside import write_aside
from reports.render.terminal import VERDICT_STYLE
from reports.summary import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console

__all__ = [
    "KERNEL_TREE",
    "Column",
    "Comparison",
    "ComparisonRow",
    "compare",
    "print_comparison",
    "write_comparison_json",
]


KERNEL_TREE: Final = "kernel tree"
"""Name of the fact that says from which commit a kernel was built, and whether files differed."""


class Column(msgspec.Struct, frozen=True):
    """One run.

    Attributes:
        name: the target; with the kernel where its runs were made on several (and the commit of one
            that was built here), and with the run's place where that tells no two apart.
        place: from where it was read.  fabric: of the run.  started: when it was made.
        counts: verdict -> number of cases, every verdict present.
        complete: whether every planned case was judged.
    """

    name: str
    place: str
    fabric: str
    started: str
    counts: dict[str, int]
    complete: bool


class Cell(msgspec.Struct, frozen=True):
    """What one run says about one case; `verdict` is empty if it did not judge it."""

    verdict: str
    reason: str


class ComparisonRow(msgspec.Struct, frozen=True):
    """A case, with a cell for each column."""

    case: str
    title: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs, compared.

    Attributes:
        columns: the runs, as they were named.
        differences: cases on which the verdicts differ, in the order of the first run.
        reasons: cases on which they agree, but not in the reason.
        agreed: how many cases have the same verdict in all.
    """

    columns: tuple[Column, ...]
    differences: tuple[ComparisonRow, ...]
    reasons: tuple[ComparisonRow, ...]
    agreed: int

    @property
    def exit_status(self) -> int:
        """1 if they differ."""
        return 1 if self.differences else 0


class ComparisonReport(msgspec.Struct, frozen=True):
    """Layout of the JSON file; see `Comparison`."""

    format: int
    columns: tuple[Column, ...]
    differences: tuple[ComparisonRow, ...]
    reasons: tuple[ComparisonRow, ...]
    agreed: int
    exit_status: int


def compare(runs: Sequence[tuple[str, RunRecord]]) -> Comparison:
    """Compare runs, each given with the place from which it was read."""
    judged = [{case.id: case for case in run.cases} for _, run in runs]
    # A dict for its order: of the first run, then what only later ones have.
    identities = dict.fromkeys(identity for cases in judged for identity in cases)
    differences: list[ComparisonRow] = []
    reasons: list[ComparisonRow] = []
    for identity in identities:
        found = [cases.get(identity) for cases in judged]
        if len({case.verdict if case else None for case in found}) > 1:
            differences.append(_row(identity, found))
        elif len({stable_text(case.reason) for case in found if case}) > 1:
            reasons.append(_row(identity, found))
    agreed = len(identities) - len(differences)
    return Comparison(_columns(runs), tuple(differences), tuple(reasons), agreed)


def print_comparison(console: Console, comparison: Comparison) -> None:
    """Print the columns' figures, then the differences: a table on a terminal, else lines."""
    names = [column.name for column in comparison.columns]
    figures = Table(box=None, pad_edge=False)
    figures.add_column("")
    for verdict in Verdict:
        figures.add_column(verdict.value, justify="right", style=VERDICT_STYLE[verdict])
    for column in comparison.columns:
        cut = "" if column.complete else " (cut short)"
        counts = (str(count) for count in column.counts.values())
        figures.add_row(escape(column.name + cut), *counts)
    console.print(figures)
    for title, rows in (
        ("Other verdicts", comparison.differences),
        ("The same verdict for another reason", comparison.reasons),
    ):
        if rows:
            heading = f"{title}: {counted(len(rows), 'case')}"
            if console.is_terminal:
                console.print(_table(heading, names, rows))
            else:
                _print_lines(console, heading, rows)
    console.print(
        f"{comparison.agreed} cases have the same verdict in all runs,"
        f" {len(comparison.differences)} have not",
        highlight=False,
    )


def write_comparison_json(comparison: Comparison, path: Path) -> None:
    """Write it for programs."""
    report = ComparisonReport(
        FORMAT_VERSION,
        comparison.columns,
        comparison.differences,
        comparison.reasons,
        comparison.agreed,
        comparison.exit_status,
    )
    write_aside(path, msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")


def _columns(runs: Sequence[tuple[str, RunRecord]]) -> tuple[Column, ...]:
    kernels: dict[str, set[str]] = {}
    for _, run in runs:
        kernels.setdefault(run.header.target, set()).add(_kernel(run))
    names = [_name(run, kernels[run.header.target]) for _, run in runs]
    return tuple(
        Column(
            name if names.count(name) == 1 else f"{name} ({place})",
            place,
            run.header.fabric,
            run.header.started,
            {
                verdict.value: sum(case.verdict is verdict for case in run.cases)
                for verdict in Verdict
            },
            run.footer is not None and run.footer.complete,
        )
        for name, (place, run) in zip(names, runs, strict=True)
    )


def _name(run: RunRecord, kernels: set[str]) -> str:
    """The target; with the kernel where its runs were made on several."""
    kernel = _kernel(run)
    return run.header.target + (f" on {kernel}" if kernel and len(kernels) > 1 else "")


def _kernel(run: RunRecord) -> str:
    """Its release, and the commit of one that was built here: after a patch alone that differs."""
    tree = dict(run.header.facts).get(KERNEL_TREE, "")
    return kernel_of(run) + (f" ({tree})" if tree else "")


def _row(identity: str, found: Sequence[CaseRecord | None]) -> ComparisonRow:
    title = next(case.title for case in found if case)
    cells = (Cell(case.verdict.value, case.reason) if case else Cell("", "") for case in found)
    return ComparisonRow(identity, title, tuple(cells))


def _table(title: str, names: Sequence[str], rows: Sequence[ComparisonRow]) -> Table:
    table = Table(title=title, title_justify="left", pad_edge=False)
    table.add_column("case", overflow="fold")
    for name in names:
        table.add_column(escape(name), overflow="fold")
    for row in rows:
        table.add_row(escape(row.case), *(_shown(cell) for cell in row.cells))
    return table


def _print_lines(console: Console, title: str, rows: Sequence[ComparisonRow]) -> None:
    """A line for each case, which other programs can search."""
    console.print(escape(title), highlight=False)
    for row in rows:
        cells = " | ".join(" ".join(_shown(cell).split()) for cell in row.cells)
        console.print(f"{escape(row.case)}  {cells}", highlight=False, soft_wrap=True)


def _shown(cell: Cell) -> str:
    if not cell.verdict:
        return "not judged"
    style = VERDICT_STYLE[Verdict(cell.verdict)]
    return f"[{style}]{cell.verdict}[/] {escape(cell.reason)}".rstrip()
