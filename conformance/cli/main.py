"""`rpcrdma`: the command line.

Exit status: 0 only when nothing failed, 1 when something did, 2 for bad input or surroundings, with
one sentence on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final, NoReturn

from conformance.bad_input import BadInput
from conformance.catalogue.entries import CatalogueError
from conformance.cli import (
    baseline,
    compare,
    decode,
    explain,
    explore,
    lab,
    listing,
    ping,
    run,
    targets,
)
from conformance.suite.plugin import SuiteError
from reports.baseline import BaselineError
from reports.stream import RunFileError
from rpcrdma.errors import FabricError
from targets.base import TargetError, Unsupported
from targets.lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BAD_INPUT", "COMMANDS", "main"]

BAD_INPUT: Final = 2

COMMANDS: Final = "rpcrdma_conformance.commands"
"""Entry points of this group are modules with `add_parser`: commands of layers above this, and
those that the lab's emulated machine need not import."""

_MODULES: Final = (
    run,
    baseline,
    compare,
    listing,
    targets,
    ping,
    explain,
    decode,
    explore,
    lab,
)
"""In the order in which help lists their commands."""

_EXPECTED: Final = (
    BadInput,
    BaselineError,
    CatalogueError,
    FabricError,
    LabError,
    OSError,
    RunFileError,
    SuiteError,
    TargetError,
    Unsupported,
)
"""What bad input and surroundings raise; anything else, ValueError too, is a bug and shows its
traceback."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, where argparse prints the usage before it."""

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = Parser(
        prog="rpcrdma",
        description="Conformance tests for RPC-over-RDMA.",
        epilog="example: rpcrdma certify reference",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in _MODULES:
        module.add_parser(commands)
    words = sys.argv[1:] if arguments is None else arguments
    if not words or words[0] not in commands.choices:
        # Only when needed: what stands above is slow to import in the lab's emulated machine.
        for entry in sorted(entry_points(group=COMMANDS), key=lambda entry: entry.name):
            entry.load().add_parser(commands)
    parsed = parser.parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough, as `head` does; Python's own flush must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except _EXPECTED as error:
        print(f"rpcrdma {parsed.command}: {_sentence(error)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print(f"rpcrdma {parsed.command}: interrupted", file=sys.stderr)
        return 1
    return status


def _sentence(error: Exception) -> str:
    """One line; the system's errors do not say by themselves what to do."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use `{error.filename}`: {error.strerror}; name another place"
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
