"""`rpcrdma baseline`: draw up the list of known deviations from a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from conformance.suite.runner import RECORDS, known_ids
from reports.baseline import check_baseline, load_baseline, read_baseline
from reports.baseline_file import draw_up, render_baseline
from reports.render.aside import write_aside
from reports.stream import read_run

if TYPE_CHECKING:
    import argparse

    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

__all__ = ["add_parser", "checked_by", "run", "run_file"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `baseline` to the command line."""
    parser = subparsers.add_parser(
        "baseline",
        help="list a run's deviations as known",
        description=(
            "Draw up the file that `rpcrdma certify --baseline` takes: every FAIL, WARN, INCONC and"
            " ERROR of a run. Reasons that the file has already are kept; a new entry's reason"
            " (`why`) is left empty, and the file is of use only when a person has filled it in."
        ),
        epilog="example: rpcrdma baseline results --output known.toml",
    )
    parser.add_argument("run_folder", metavar="RUN", type=Path, help="folder that certify wrote")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="TOML")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file; returns the exit status."""
    file: Path = arguments.output
    earlier = read_baseline(file) if file.exists() else None
    draft = draw_up(read_run(run_file(arguments.run_folder)), earlier)
    write_aside(file, render_baseline(draft.baseline).encode())
    for case in draft.dropped:
        print(f"dropped, no such deviation any more: {case}")
    listed = sum(len(finding.case) for finding in draft.baseline.finding)
    print(f"{file}: {listed} deviations, {len(draft.unexplained)} of them without a reason yet")
    return 0


def run_file(place: Path) -> Path:
    """The records of a run that is named by its folder, or by the file itself."""
    return place / RECORDS if place.is_dir() else place


def checked_by(file: Path | None, record: RunRecord) -> BaselineCheck | None:
    """What a baseline says of a run that has ended; None if there is none.

    Raises:
        BaselineError: it cannot be used, or is for another target.
    """
    if file is None:
        return None
    return check_baseline(record, load_baseline(file, record.header.profile), file, known_ids())
