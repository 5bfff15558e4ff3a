"""`rpcrdma`: the command line.

Exit status: 0 only when nothing failed, 1 when something did, 2 for bad input or surroundings, with
one sentence on standard error, 128 and the number of a signal that ended it.  `rpcrdma certify`
has two more (`reports.summary`).

Only the command that is asked for is imported: all of them together take seconds.
"""

from __future__ import annotations

import argparse
import ast
import os
import signal
import sys
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from typing_extensions import override

from conformance.bad_input import BadInput, meant

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint

__all__ = ["BAD_INPUT", "COMMANDS", "OWN", "main", "parser_of", "whole_parser"]

BAD_INPUT: Final = 2

COMMANDS: Final = "rpcrdma_conformance.commands"
"""Entry points of this group are modules with `add_parser`: commands of layers above this, and
those that the lab's emulated machine need not import.  Help takes its line about such a command
from what follows the colon in the first line of the module's docstring."""

OWN: Final = {
    "certify": ("run", "run the suite against a target"),
    "baseline": ("baseline", "list a run's deviations as known"),
    "report": ("report", "make the pages of runs: of one, or of many side by side"),
    "export": ("export", "print a run in a format that programs read"),
    "statement": ("statement", "state what a finished run says of a device"),
    "compare": ("compare", "show where the verdicts of several runs differ"),
    "cases": ("listing", "list the cases"),
    "requirements": ("listing", "list the requirements"),
    "targets": ("targets", "list the targets"),
    "target": ("target", "write the profile of a device, or try one"),
    "ping": ("ping", "ask a server whether it is there"),
    "explain": (
        "explain",
        "explain a requirement, a case, an interpretation, a mutant or a profile's keys",
    ),
    "decode": ("decode", "show a message"),
    "explore": (
        "explore",
        "send generated messages to a server for a given time; keep what it handles wrongly",
    ),
    "nightly": ("nightly", "run everything within a time; one page says what has changed"),
    "lab": ("lab", "a kernel with Soft-RoCE in a virtual machine"),
    "completion": ("completion", "print what a shell needs to complete commands"),
}
"""Name -> module beside this one, and the line about it in help, in the order of help."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, where argparse prints the usage before it."""

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see `{self.prog} --help`\n")


class _Version(argparse.Action):
    """Asks git for the commit only where somebody wants to know."""

    @override
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from conformance.cli.version import suite_version

        print(f"rpcrdma {suite_version()}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    _open_closed_streams()
    words = list(sys.argv[1:] if arguments is None else arguments)
    command = next((word for word in words[:1] if not word.startswith("-")), "")
    try:
        parsed = parser_of(command).parse_args(words)
        parsed.command_line = words
        status: int = parsed.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough, as `head` does.
        _write_to_nowhere()
        return 0
    except KeyboardInterrupt as error:
        number = getattr(error, "name", "SIGINT")
        _say(f"rpcrdma {command}: interrupted")
        return 128 + signal.Signals[number]
    except Exception as error:
        if not _is_expected(error):
            raise
        _say(f"rpcrdma {command}: {_sentence(error)}")
        return error.status if isinstance(error, BadInput) else BAD_INPUT
    return status


def whole_parser() -> Parser:
    """The parser of every command with all its options, for who looks at them as data."""
    parser, commands = _bare_parser()
    for name, (module, _) in OWN.items():
        # A module may have several commands, and adds them all.
        if name not in commands.choices:
            import_module(f"conformance.cli.{module}").add_parser(commands)
    for entry in sorted(entry_points(group=COMMANDS), key=lambda entry: entry.name):
        entry.load().add_parser(commands)
    return parser


def _bare_parser() -> tuple[Parser, argparse._SubParsersAction[Parser]]:
    parser = Parser(
        prog="rpcrdma",
        description="Conformance tests for RPC-over-RDMA.",
        epilog="example: rpcrdma certify reference",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="tell version and commit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    return parser, commands


def parser_of(command: str) -> Parser:
    """The parser of one command; of all commands, if no word names one."""
    parser, commands = _bare_parser()
    if command in OWN:
        module, _ = OWN[command]
        import_module(f"conformance.cli.{module}").add_parser(commands)
        return parser
    entries = {entry.name: entry for entry in entry_points(group=COMMANDS)}
    if command in entries:
        entries[command].load().add_parser(commands)
        return parser
    if command:
        near = meant(command, (*OWN, *entries))
        parser.error(f"there is no command `{command}`{near}")
    for name, (_, line) in OWN.items():
        commands.add_parser(name, help=line)
    for name in sorted(entries):
        commands.add_parser(name, help=_line_about(entries[name]))
    return parser


def _line_about(entry: EntryPoint) -> str:
    """What help says of a command whose module is not imported for it."""
    spec = find_spec(entry.module)
    if spec is None or spec.origin is None:
        return ""
    said = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return said.partition("\n")[0].partition(": ")[2].rstrip(".")


def _is_expected(error: Exception) -> bool:
    """Whether it is what bad input and surroundings raise.

    Anything else, ValueError too, is a bug and shows its traceback.
    """
    # Only now: these are slow to import for a command that needs none of them.
    from conformance.catalogue.entries import CatalogueError
    from conformance.suite.plugin import SuiteError
    from reports.baseline import BaselineError
    from reports.stream import RunFileError
    from rpcrdma.errors import FabricError
    from targets.base import TargetError, Unsupported
    from targets.lab.errors import LabError

    return isinstance(
        error,
        BadInput
        | BaselineError
        | CatalogueError
        | FabricError
        | LabError
        | OSError
        | RunFileError
        | SuiteError
        | TargetError
        | Unsupported,
    )


def _sentence(error: Exception) -> str:
    """One line; the system's errors do not say by themselves what to do."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use `{error.filename}`: {error.strerror}; name another place"
    # What a device or its program has said may be part of it.
    from reports.printable import printable_line

    return printable_line(str(error))


def _open_closed_streams() -> None:
    """Give a process that was started without them (`>&-`) its standard streams.

    Else the next file that is opened takes their place, and children write into it.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    for name, number in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w"))


def _write_to_nowhere() -> None:
    """What is left to be written must not fail when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(sentence: str) -> None:
    """Print a sentence; a full disk may hold what was printed before, and take no more."""
    print(sentence, file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:
        _write_to_nowhere()


if __name__ == "__main__":
    sys.exit(main())
