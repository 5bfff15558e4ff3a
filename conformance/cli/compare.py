"""`rpcrdma compare`: the verdicts of several runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from conformance.bad_input import BadInput
from conformance.cli.baseline import run_file
from reports.compare import compare, print_comparison, write_comparison_json
from reports.stream import read_run

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]

_FEWEST = 2


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `compare` to the command line."""
    parser = subparsers.add_parser(
        "compare",
        help="show where the verdicts of several runs differ",
        description=(
            "Show where the verdicts of several runs differ: kernels, versions of a server, or the"
            " same twice. Exit status 1 if they do. `rpcrdma report` makes pages of the same runs."
        ),
        epilog="example: rpcrdma compare results-6.1 results-6.12 --json kernels.json",
    )
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", type=Path, help="folder that certify wrote"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write it for programs")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compare; returns the exit status.

    Raises:
        BadInput: only one run is named.
    """
    if len(arguments.runs) < _FEWEST:
        raise BadInput("name at least two runs")
    comparison = compare([(str(place), read_run(run_file(place))) for place in arguments.runs])
    print_comparison(Console(), comparison)
    if arguments.json:
        write_comparison_json(comparison, arguments.json)
    return comparison.exit_status
