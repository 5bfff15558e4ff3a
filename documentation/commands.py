"""The reference of the commands, made of the parsers that read them."""

from __future__ import annotations

import argparse
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from conformance.cli.main import whole_parser

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["commands_page"]

_COLUMNS: Final = "96"
"""In which help is wrapped: as wide as a page is."""

_HEAD: Final = """\
# Commands

What `--help` prints, of every command. Made when the site is built.
"""


def commands_page() -> str:
    """All commands and those below them, in the order of help."""
    parts = [_HEAD]
    with _columns():
        for command in _below(whole_parser()).values():
            for parser in _with_those_below(command):
                level = "#" * min(len(parser.prog.split()), 4)
                parts.append(f"{level} {parser.prog}\n\n```text\n{parser.format_help()}```\n")
    return "\n".join(parts)


def _with_those_below(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for below in _below(parser).values():
        yield from _with_those_below(below)


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands of a command; argparse has no other way to ask for them."""
    for action in parser._actions:  # noqa: SLF001
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            return dict(action.choices)
    return {}


@contextmanager
def _columns() -> Iterator[None]:
    """Have argparse wrap its lines the same on any terminal."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = _COLUMNS
    try:
        yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
