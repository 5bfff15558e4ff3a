"""`rpcrdma completion`: what a shell needs to complete commands, options and names of targets."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

import shtab

from conformance.cli.main import whole_parser
from targets.profile import shipped_profiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["add_parser", "run"]

_SHELLS: Final = ("bash", "zsh")

_FOLDERS: Final = ("DIR", "RUN", "CORPUS")
"""What help calls an argument that is a folder."""

_FILES: Final = ("FILE", "HEX-OR-FILE")
"""Likewise, one that may be a file and is read as such by the command itself."""

_TARGETS: Final = ("target", "live")
"""Where the parsed arguments hold the name of a target."""

_PREAMBLE: Final = {
    "bash": """\
_rpcrdma_targets() {{
    compgen -W "{names}" -- "$1"
    compgen -f -X '!*.toml' -- "$1"
    compgen -d -- "$1"
}}
""",
    "zsh": """\
_rpcrdma_targets() {{
    compadd {names}
    _files -g '*.toml'
}}
""",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `completion` to the command line."""
    parser = subparsers.add_parser(
        "completion",
        help="print what a shell needs to complete commands",
        description=(
            "Print a script by which a shell completes commands, options, files and names of"
            " targets; to be read when the shell starts."
        ),
        epilog='example: eval "$(rpcrdma completion bash)"',
    )
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help=" or ".join(_SHELLS))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script; returns the exit status."""
    shell: str = arguments.shell
    whole = whole_parser()
    for action in _actions(whole):
        completed = _completed_by(action)
        if completed:
            action.complete = completed  # type: ignore[attr-defined]  # shtab looks for it there
    preamble = _PREAMBLE[shell].format(names=" ".join(shipped_profiles()))
    print(shtab.complete(whole, shell, preamble=preamble))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every argument of a parser, and of its commands."""
    for action in parser._actions:  # noqa: SLF001  # argparse has no public way, shtab takes this one
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  # likewise
            for command in action.choices.values():
                yield from _actions(command)


def _completed_by(action: argparse.Action) -> Mapping[str, object]:
    """The shells' functions that complete an argument; none: its choices, or nothing."""
    if action.dest in _TARGETS:
        return dict.fromkeys(_SHELLS, "_rpcrdma_targets")
    if action.metavar in _FOLDERS:
        return shtab.DIRECTORY
    return shtab.FILE if action.type is Path or action.metavar in _FILES else {}
