"""`rpcrdma decode`: any octets as text for a person."""

from __future__ import annotations

import string
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.bad_input import BadInput
from rpcrdma.wire import describe

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "octets_of", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `decode` to the command line."""
    parser = subparsers.add_parser(
        "decode",
        help="show a message",
        description="Decode an RPC-over-RDMA message, as far as it goes.",
        epilog="example: rpcrdma decode 00000001000000010000000800000000000000000000000000000000",
    )
    parser.add_argument(
        "message", metavar="HEX-OR-FILE", help="hexadecimal digits, a file of octets, or - (stdin)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Decode and print."""
    octets = octets_of(arguments.message)
    print(describe.one_line(octets))
    print(describe.indented(octets))
    return 0


def octets_of(text: str) -> bytes:
    """The octets that an argument stands for.

    Raises:
        BadInput: it is neither hexadecimal nor a readable file, or holds nothing.
    """
    octets = sys.stdin.buffer.read() if text == "-" else _given(text)
    if not octets:
        where = {"": "the argument", "-": "standard input"}.get(text, f"`{text}`")
        raise BadInput(f"{where} is empty; give at least one octet")
    return octets


def _given(text: str) -> bytes:
    digits = "".join(text.split()).removeprefix("0x")
    try:
        return bytes.fromhex(digits)
    except ValueError:
        pass
    try:
        return Path(text).read_bytes()
    except OSError as error:
        if not digits.strip(string.hexdigits):
            raise BadInput(
                f"{len(digits)} hexadecimal digits are no whole number of octets; add or drop one"
            ) from error
        raise BadInput(
            f"`{text}` is neither hexadecimal nor a file that can be read ({error.strerror})"
        ) from error
