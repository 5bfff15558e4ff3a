"""The options that name a parser of headers, and what is said of one that cannot be asked."""

from __future__ import annotations

import shlex
import shutil
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from fuzz.invariant import BrokenInvariant
from fuzz.parsers.asked_codecs import asked_codec
from fuzz.parsers.dialogue import Dialogue
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header, v2
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser_options", "engine_words", "parser_dialogue", "try_parser"]

_CHILD: Final = (sys.executable, "-I", "-S", str(Path(__file__).with_name("child.py")))

_CALL: Final = b"\0\0\0\7" + bytes(36)
"""An RPC Call without arguments, as far as a parser of headers looks."""

_GOOD: Final = {
    "v1-header": encode_header(TransportHeader(7, 1, 8, RdmaMsg((), (), None))) + _CALL,
    "v2-header": v2.encode_header(
        v2.Rdma2Header(7, v2.VERSION, 8, v2.Rdma2Msg(MessageType.CALL, (), (), None))
    )
    + _CALL,
}
"""Harness -> a message that any parser can say something of."""


def add_parser_options(group: argparse._MutuallyExclusiveGroup) -> None:
    """Add the two options to those of which one is given."""
    group.add_argument(
        "--library",
        default="",
        metavar="FILE.so",
        help="check the parser of headers `rpcrdma_parse` in this shared library",
    )
    group.add_argument(
        "--program",
        default="",
        metavar="COMMAND",
        help="check a parser of headers that reads lines of hexadecimal and answers each",
    )


def engine_words(library: str, program: str) -> list[str]:
    """The same options for another process; none if no parser is named."""
    words = [f"--library={library}"] if library else []
    return [*words, *([f"--program={program}"] if program else [])]


def parser_dialogue(library: str, program: str) -> Dialogue:
    """The conversation with a parser, which is not started yet.

    Args:
        library: file of a shared library, or empty.
        program: command, quoted as in a shell, if there is no library.

    Raises:
        BadInput: there is no such file or program.
    """
    if library:
        if not Path(library).is_file():
            raise BadInput(f"{library} is no file; give --library a shared library")
        return Dialogue((*_CHILD, "library", str(Path(library).resolve())))
    try:
        words = shlex.split(program)
    except ValueError as error:
        raise BadInput(f"--program {program}: {error}") from error
    if not words or shutil.which(words[0]) is None:
        raise BadInput(f"--program: there is no program `{' '.join(words[:1])}` that can be run")
    return Dialogue((*_CHILD, "program", *words))


def try_parser(harness: str, library: str, program: str) -> None:
    """See that a parser answers at all.

    Raises:
        BadInput: it does not, or the harness is for no header; the message says what it did.
    """
    with closing(parser_dialogue(library, program)) as dialogue:
        asked_codec(harness, dialogue.ask)
        try:
            dialogue.ask(_GOOD[harness])
        except BrokenInvariant as broken:
            raise BadInput(
                f"{library or program}: {broken.detail}, where a line `ok NUMBERS` or `no WORDS`"
                " should answer the first input; docs/fuzzing.md, `Your own parser`, has the rules"
            ) from broken
