"""The four words that every message starts with, whatever else it is.

rfc8166 section 4.2  RPC-over-RDMA Header Fields
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rpcrdma.xdr.runtime import Reader

__all__ = ["FIXED_WORDS", "FixedWords", "fixed_words"]

FIXED_WORDS: Final = 16
"""Octets that the four words take."""


@dataclass(frozen=True, slots=True)
class FixedWords:
    """The words as numbers; `procedure` may be one that nobody knows."""

    xid: int
    version: int
    credits: int
    procedure: int


def fixed_words(message: bytes) -> FixedWords:
    """Read them from a message of at least `FIXED_WORDS` octets."""
    reader = Reader(message, 0)
    return FixedWords(reader.word(), reader.word(), reader.word(), reader.word())
