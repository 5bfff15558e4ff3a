"""Octets that nobody says anything of: which files are surely no message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["refuse_other_files"]

_CAPTURES: Final = (
    b"\x0a\x0d\x0d\x0a",
    b"\xd4\xc3\xb2\xa1",
    b"\xa1\xb2\xc3\xd4",
    b"\x4d\x3c\xb2\xa1",
    b"\xa1\xb2\x3c\x4d",
)
"""What files of pcapng and of pcap (either byte order, micro- and nanoseconds) begin with."""

_FIXED: Final = 16
"""Octets of the fixed part of a header, XID to procedure: a text that long is no message."""


def refuse_other_files(path: Path, octets: bytes) -> None:
    """See that octets may be a message.

    Whether its receiver takes them is another question: a fuzzer keeps what nobody takes.

    Args:
        path: of the file.
        octets: all of it.

    Raises:
        BadInput: it is a capture, or text; or there are none.
    """
    if not octets:
        raise BadInput(f"{path} is empty; name a kept finding or a file of octets")
    if octets.startswith(_CAPTURES):
        raise BadInput(f"{path} is a capture and no message; `rpcrdma decode {path}` shows it")
    if len(octets) > _FIXED and _is_text(octets):
        raise BadInput(
            f"{path} is text and no message; name a kept finding, or --harness if it is the input"
            " of one"
        )


def _is_text(octets: bytes) -> bool:
    try:
        text = octets.decode()
    except UnicodeDecodeError:
        return False
    return all(letter.isprintable() or letter.isspace() for letter in text)
