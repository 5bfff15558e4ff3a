"""`rpcrdma report`: pages of runs, of one or of many side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from conformance.bad_input import BadInput
from conformance.cli.background import background
from conformance.cli.baseline import checked_by, run_file
from conformance.suite.evidence import complete
from conformance.suite.runner import RECORDS, known_ids
from reports.baseline import check_baseline, load_baseline
from reports.folder import render_all
from reports.pages.one_page import write_one_page
from reports.pages.overview import write_overview
from reports.pages.run_pages import write_run_pages
from reports.stream import read_run

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from reports.baseline import Baseline, BaselineCheck
    from reports.record import RunRecord

__all__ = ["add_parser", "run"]

_MANY = "rpcrdma-report"
"""Where pages of several runs go if nobody says otherwise."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `report` to the command line."""
    parser = subparsers.add_parser(
        "report",
        help="make the pages of runs: of one, or of many side by side",
        description=(
            "Make the reports of a run from its records, whole or cut short by whatever ended it."
            " Of several runs, make a page that shows them side by side by requirement and by case,"
            " and what changed between runs of one target, with all pages of each run. Exit status"
            " 0 says that the pages are there, and nothing of the verdicts."
        ),
        epilog="examples: rpcrdma report results-6.1 results-6.12 --output kernels;"
        " rpcrdma report RUN RUN RUN --page results/implementations.html --baselines results",
    )
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", type=Path, help="folder that certify wrote"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help=f"another folder, for the pages alone; default: that of the run, of several {_MANY}",
    )
    parser.add_argument(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="known deviations of the one run, as certify takes them",
    )
    parser.add_argument(
        "--page",
        type=Path,
        metavar="FILE",
        help="instead of all that, one page (.html) of implementations by requirement, for showing",
    )
    parser.add_argument(
        "--baselines",
        type=Path,
        metavar="DIR",
        help="with --page: folder below which baselines are, whose findings the cells lead to",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the pages; returns the exit status.

    Raises:
        BadInput: a baseline is given for several runs, a run twice, or a folder that holds one for
            the pages.
        BaselineError: the baseline cannot be used, or is for another target.
        RunFileError: a run cannot be read.
        OSError: a page cannot be written.
    """
    runs = [_read(place) for place in arguments.runs]
    output: Path | None = arguments.output
    if output is not None and (output / RECORDS).exists():
        raise BadInput(f"`{output}` holds a run, whose pages would go; name another --output")
    if arguments.page is not None:
        baselines = _baselines(arguments.baselines)
        checked = [(place, one, _best(baselines, one)) for place, one in runs]
        write_one_page(checked, arguments.page)
        print(f"report: {arguments.page}")
        return 0
    if len(runs) == 1:
        first = _one(*runs[0], output, arguments.baseline)
    else:
        first = _many(runs, output or Path(_MANY), arguments.baseline)
    print(f"report: {first}")
    return 0


def _baselines(folder: Path | None) -> tuple[tuple[Path, Baseline], ...]:
    """The baselines below a folder; none without one."""
    files = sorted(folder.glob("**/baseline*.toml")) if folder else []
    return tuple((file, load_baseline(file)) for file in files)


def _best(baselines: Iterable[tuple[Path, Baseline]], record: RunRecord) -> BaselineCheck | None:
    """What the baseline says that explains most of a run; None if none is for its target."""
    known, target = known_ids(), record.header.profile
    checks = [
        check_baseline(record, baseline, file, known)
        for file, baseline in baselines
        if baseline.target == target
    ]
    return max(checks, key=lambda check: len(check.known), default=None)


def _one(place: Path, record: RunRecord, output: Path | None, baseline: Path | None) -> Path:
    check = checked_by(baseline, record)
    if output is None:
        return render_all(record, place, check, background())
    return write_run_pages(record, output, check, background(), evidence=place)


def _many(runs: list[tuple[Path, RunRecord]], output: Path, baseline: Path | None) -> Path:
    if baseline is not None:
        raise BadInput("a baseline is for one run; leave --baseline out, or name one run")
    named = [place.resolve() for place, _ in runs]
    for place in named:
        if named.count(place) > 1:
            raise BadInput(f"`{place}` is named twice; name each run once")
    return write_overview(runs, output, background())


def _read(named: Path) -> tuple[Path, RunRecord]:
    """A run, with its folder.

    A run in a guest is given its captures and exchanges when it ends.  One that was killed before
    gets them now, if its traces are still there.
    """
    folder = named if named.is_dir() else named.parent
    record = read_run(run_file(named))
    evidence = [folder / name for case in record.cases for name in case.evidence]
    captured = all(file.exists() for file in evidence if file.suffix == ".pcapng")
    traced = all(file.exists() for file in evidence if file.suffix == ".jsonl")
    if traced and not captured:
        record = complete(record, folder, run_file(named))
    return folder, record
