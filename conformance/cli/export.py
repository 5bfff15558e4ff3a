"""`rpcrdma export`: a run's results in a format that programs read, from its records alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.bad_input import BadInput
from conformance.cli.baseline import checked_by, run_file
from reports.render.aside import write_aside
from reports.render.programs import FORMATS
from reports.render.schema import schema_text
from reports.stream import read_run

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `export` to the command line."""
    parser = subparsers.add_parser(
        "export",
        help="print a run in a format that programs read",
        description=(
            "Print a run, from its records, which need not be complete, as one of the files that"
            " `certify` and `report` leave in its folder, or in a format of which they leave none."
            " junit: by Jenkins' schema, a suite a section; json: see --schema; tap: TAP 14;"
            " ktap: as the kernel's test runners read it; github: annotations; line: one line;"
            " badge: for shields.io; badge-svg: the badge itself."
        ),
        epilog=(
            "exit status: 0 when it is written, whatever the run found."
            " example: rpcrdma export results --as github"
        ),
    )
    parser.add_argument(
        "run_folder", metavar="RUN", nargs="?", type=Path, help="folder that certify wrote"
    )
    parser.add_argument("--as", dest="format", choices=FORMATS, help="the format")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="into a file, not printed"
    )
    parser.add_argument(
        "--baseline", type=Path, metavar="FILE", help="known deviations, as for certify"
    )
    parser.add_argument(
        "--schema", action="store_true", help="print the JSON Schema of report.json"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print or write; returns the exit status.

    Raises:
        BadInput: it is not said what to export, or how.
    """
    if arguments.schema:
        sys.stdout.write(schema_text())
        return 0
    if arguments.run_folder is None:
        raise BadInput("name the folder of a run, or give --schema")
    if not arguments.format:
        raise BadInput(
            f"say by --as in which format: {', '.join(FORMATS)};"
            f" `rpcrdma report {arguments.run_folder}` writes all files of the run again"
        )
    record = read_run(run_file(arguments.run_folder))
    check = checked_by(arguments.baseline, record)
    text = FORMATS[arguments.format](record, check)
    if arguments.output:
        write_aside(arguments.output, text.encode())
    else:
        sys.stdout.write(text)
    return 0
