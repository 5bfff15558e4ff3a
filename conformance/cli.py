"""`rpcrdma`: the command line.

Exit status: 0 only when nothing failed, 1 when something did, 2 for bad input or surroundings, with
one sentence on standard error.
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final

from conformance import cli_decode, cli_explain, cli_lab, cli_list, cli_run
from conformance.catalogue import CatalogueError
from conformance.plugin import SuiteError
from reports.stream import RunFileError
from rpcrdma.errors import RpcRdmaError
from targets.base import TargetError, Unsupported
from targets.lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BAD_INPUT", "COMMANDS", "main"]

BAD_INPUT: Final = 2

COMMANDS: Final = "rpcrdma_conformance.commands"
"""Entry points of this group are modules with `add_parser`, for commands of layers above this."""

_EXPECTED: Final = (
    CatalogueError,
    LabError,
    OSError,
    RpcRdmaError,
    RunFileError,
    SuiteError,
    TargetError,
    Unsupported,
    ValueError,
)
"""What bad input and surroundings raise; anything else is a bug and shows its traceback."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="rpcrdma",
        description="Conformance tests for RPC-over-RDMA.",
        epilog="example: rpcrdma certify reference",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (cli_run, cli_list, cli_explain, cli_decode, cli_lab):
        module.add_parser(commands)
    words = sys.argv[1:] if arguments is None else arguments
    if not words or words[0] not in commands.choices:
        # Only when needed: what stands above is slow to import in the lab's emulated machine.
        for entry in sorted(entry_points(group=COMMANDS), key=lambda entry: entry.name):
            entry.load().add_parser(commands)
    parsed = parser.parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
    except _EXPECTED as error:
        print(f"rpcrdma {parsed.command}: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print(f"rpcrdma {parsed.command}: interrupted", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
