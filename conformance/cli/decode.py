"""`rpcrdma decode`: any octets, or the messages of a capture, as text for a person."""

from __future__ import annotations

import json
import string
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.cli.captured import print_capture
from conformance.cli.decoded import as_data, as_text

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "octets_of", "run"]

_SUFFIXES: Final = (".pcapng", ".pcap", ".cap")
_BEGINNING: Final = b"\x0a\x0d\x0d\x0a"
"""Of a capture, in either order of octets."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `decode` to the command line."""
    parser = subparsers.add_parser(
        "decode",
        help="show a message",
        description="Decode an RPC-over-RDMA message, as far as it goes, or those of a capture.",
        epilog="example: rpcrdma decode 00000001000000010000000800000000000000000000000000000000; "
        "rpcrdma decode case.pcapng --connection 1",
    )
    parser.add_argument(
        "message",
        nargs="?",
        metavar="HEX-OR-FILE",
        help="hexadecimal digits, a file of octets, a capture (.pcapng), or - (stdin)",
    )
    parser.add_argument("--xid", help="of a capture: only messages under this XID (0x for hex)")
    parser.add_argument("--connection", help="of a capture: only this connection, from 1")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument(
        "--dissector",
        action="store_true",
        help="print where the dissector of Version Two lies: tshark -X lua_script:FILE loads it",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Decode and print.

    Raises:
        BadInput: there is nothing to decode, or to choose from.
    """
    if arguments.dissector:
        # The compiler that makes it takes longer to import than all that other commands need.
        from rpcrdma.wire.dissector import DISSECTOR

        print(DISSECTOR)
        return 0
    if arguments.message is None:
        raise BadInput("give a message in hexadecimal or a file; or --dissector")
    xid = _number(arguments.xid, "--xid", range(1 << 32))
    connection = _number(arguments.connection, "--connection", range(1, 1 << 32))
    if _is_capture(arguments.message):
        print_capture(Path(arguments.message), xid, connection, as_json=arguments.json)
        return 0
    if xid is not None or connection is not None:
        raise BadInput(
            f"`{arguments.message}` is no capture: --xid and --connection choose among the messages"
            " of one; leave them out"
        )
    octets = octets_of(arguments.message)
    print(json.dumps(as_data(octets)) if arguments.json else as_text(octets))
    return 0


def _number(text: str | None, option: str, allowed: range) -> int | None:
    """The number that an option gives, in any base that Python writes.

    Raises:
        BadInput: it is no number, or out of range.
    """
    if text is None:
        return None
    try:
        number = int(text, 0)
    except ValueError:
        number = -1
    if number not in allowed:
        raise BadInput(
            f"{option} takes a number from {allowed.start} to {allowed.stop - 1}, decimal or with"
            f" 0x, not `{text}`"
        )
    return number


def _is_capture(text: str) -> bool:
    """Whether a file begins as a capture does, or is named as one."""
    path = Path(text)
    if path.suffix in _SUFFIXES and path.exists():
        return True
    try:
        with path.open("rb") as stream:
            return stream.read(len(_BEGINNING)) == _BEGINNING
    except (OSError, ValueError):
        return False


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
