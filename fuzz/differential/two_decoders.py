"""What our decoder of Version One headers and another say: what every such comparison shares."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fuzz.differential.known import KNOWN
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import decode_header

if TYPE_CHECKING:
    from collections.abc import Iterable
    from enum import Enum

    from rpcrdma.wire import TransportHeader

__all__ = ["FIXED", "HeaderComparison", "decode_as_true", "tell_disagreements"]

FIXED: Final = 16
"""Octets of the fixed words: what has less leaves no XID in a trace."""

_BOOLEAN: Final = next(one for one in KNOWN if one.reason is Reason.BAD_BOOLEAN)


@dataclass(frozen=True, slots=True)
class HeaderComparison:
    """What came of one header.

    Attributes:
        octets: that were compared.
        kind: what both say; None: they disagree.
        disagreement: what each of them says; empty: they agree.
    """

    octets: bytes
    kind: Enum | None
    disagreement: str = ""


def decode_as_true(octets: bytes) -> tuple[TransportHeader, int] | DecodeError:
    """Our decoding, after each word that others take for true is put right: the header and its end.

    Returns:
        The error instead, where anything else is wrong.
    """
    while True:
        try:
            return decode_header(octets)
        except DecodeError as error:
            if error.reason is not Reason.BAD_BOOLEAN:
                return error
            octets = _BOOLEAN.repair(octets, error.offset)


def tell_disagreements(found: Iterable[HeaderComparison]) -> None:
    """Write every disagreement to standard error, with its octets."""
    for one in found:
        if one.disagreement:
            sys.stderr.write(f"{one.octets.hex()}: {one.disagreement}\n")
