"""What an acknowledgement says: syndromes, and the 5-bit codes of times.

InfiniBand Architecture volume 1, 9.3.5      ACK extended transport header
InfiniBand Architecture volume 1, 9.7.5.2    NAK codes; 9.7.5.2.8, RNR NAK timer field
InfiniBand Architecture volume 1, 9.7.6.1.3  local ACK timeout
InfiniBand Architecture volume 1, 12.7.34    the same code in connection management
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

__all__ = [
    "MOST_CODE",
    "NakCode",
    "SyndromeKind",
    "ack_timeout_code",
    "ack_timeout_seconds",
    "acknowledged",
    "read_syndrome",
    "rnr_nak",
    "rnr_timer_code",
    "rnr_timer_seconds",
    "timeout_code",
    "timeout_seconds",
]

MOST_CODE: Final = 31
"""All codes here have 5 bits."""

_KIND_MASK: Final = 0xE0
_NO_CREDITS: Final = 31
"""The sender of the acknowledgement does without end-to-end flow control (9.7.7.2)."""

_UNIT: Final = 4.096e-6
"""Seconds of code 0."""

_RNR_MILLISECONDS: Final = (
    655.36, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12,
    0.16, 0.24, 0.32, 0.48, 0.64, 0.96, 1.28, 1.92,
    2.56, 3.84, 5.12, 7.68, 10.24, 15.36, 20.48, 30.72,
    40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52,
)  # fmt: skip
"""RNR NAK timer field -> the shortest time until the Send comes again (9.7.5.2.8)."""

_RNR_ASCENDING: Final[tuple[int, ...]] = (*range(1, 32), 0)
"""The codes by the time that they stand for."""


class SyndromeKind(IntEnum):
    """The kind of an acknowledgement: bits 7 to 5 of the syndrome."""

    ACK = 0x00
    RNR_NAK = 0x20
    NAK = 0x60
    RESERVED = 0x40


class NakCode(IntEnum):
    """Whole syndromes of the NAKs (9.7.5.2)."""

    PSN_SEQUENCE_ERROR = 0x60
    INVALID_REQUEST = 0x61
    REMOTE_ACCESS_ERROR = 0x62
    REMOTE_OPERATIONAL_ERROR = 0x63
    INVALID_RD_REQUEST = 0x64


_KINDS: Final = {kind.value: kind for kind in SyndromeKind}


def read_syndrome(syndrome: int) -> tuple[SyndromeKind, int]:
    """The kind, and the 5 bits that go with it: credit code, RNR timer code, or NAK code.

    Syndromes that the table leaves out, among them all with bit 7, are RESERVED.
    """
    return _KINDS.get(syndrome & _KIND_MASK, SyndromeKind.RESERVED), syndrome & MOST_CODE


def acknowledged(credit_code: int = _NO_CREDITS) -> int:
    """The syndrome of an ACK."""
    return SyndromeKind.ACK | credit_code


def rnr_nak(timer_code: int) -> int:
    """The syndrome of an RNR NAK: no Receive was posted; again after the time of the code."""
    return SyndromeKind.RNR_NAK | timer_code


def rnr_timer_seconds(code: int) -> float:
    """The time of an RNR timer code."""
    return _RNR_MILLISECONDS[code] / 1000


def rnr_timer_code(seconds: float) -> int:
    """The code of the shortest time that is not less; of the longest if there is none."""
    for code in _RNR_ASCENDING:
        if rnr_timer_seconds(code) >= seconds:
            return code
    return 0


def timeout_seconds(code: int) -> float:
    """The time of a code of connection management: 4.096 us * 2^code."""
    return _UNIT * (1 << code)


def timeout_code(seconds: float) -> int:
    """The code of the shortest time that is not less; 31, of 2.4 hours, if there is none."""
    for code in range(MOST_CODE):
        if timeout_seconds(code) >= seconds:
            return code
    return MOST_CODE


def ack_timeout_seconds(code: int) -> float:
    """The local ACK timeout of a code; 0, for never, of code 0 (9.7.6.1.3)."""
    return timeout_seconds(code) if code else 0.0


def ack_timeout_code(seconds: float) -> int:
    """The code of the shortest local ACK timeout that is not less; 0 of 0 seconds: never."""
    return max(1, timeout_code(seconds)) if seconds else 0
