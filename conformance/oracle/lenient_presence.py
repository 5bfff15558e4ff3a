"""Headers as a decoder sees them that takes every word but zero for "present" (D-33)."""

from __future__ import annotations

from typing import Final

from conformance.oracle.header import decode_header
from rpcrdma.errors import DecodeError, Reason

__all__ = ["with_lenient_presence"]

_MOST_LENIENT_WORDS: Final = 16


def with_lenient_presence(message: bytes) -> bytes | None:
    """The message as a decoder sees it that takes every non-zero word for "present" (D-33).

    None if that alone does not make it decodable, or if it takes more words than anybody sets by
    mistake.
    """
    octets = bytearray(message)
    for _ in range(_MOST_LENIENT_WORDS):
        try:
            decode_header(bytes(octets))
        except DecodeError as error:
            if error.reason is not Reason.BAD_BOOLEAN:
                return None
            octets[error.offset : error.offset + 4] = (1).to_bytes(4)
        else:
            return bytes(octets)
    return None
