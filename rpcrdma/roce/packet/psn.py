"""Packet sequence numbers: 24 bits on the wire, numbers that only grow in here.

    InfiniBand Architecture volume 1, 9.7.1  packet sequence numbers
    InfiniBand Architecture volume 1, 9.7.2  the half that is ahead and the half that is duplicate

Half of all numbers lie ahead of any one of them, half before it, so one that is known says which of
all numbers with the same 24 bits is meant.  Nothing above has to think of the wrap.
"""

from __future__ import annotations

from typing import Final

from rpcrdma.roce.packet.bth import PSN_MASK

__all__ = ["full_psn"]

_HALF: Final = 0x800000


def full_psn(psn: int, near: int) -> int:
    """The number with these 24 bits from half of all before `near` to half of all after it."""
    return near + ((psn - near + _HALF) & PSN_MASK) - _HALF
