"""Which numbers a mutation puts into a message: limits, neighbours, and what is alive.

What is alive is what a Responder under test can do something with: the memory of
`conformance.explore.named_memory`, versions that are spoken, credits that are granted.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from conformance.explore.named_memory import READABLE, REGION, WRITABLE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from rpcrdma.xdr.model import Integer

__all__ = ["draw_number", "draw_segment"]

_REGIONS: Final = (READABLE, WRITABLE)

_SEGMENT: Final = struct.Struct(">IIQ")
"""handle, length, offset (rfc8166 4.1.2, v2 4.2)."""

_LENGTHS: Final = (0, 1, 2, 3, 4, 5, 8, 16, 40, 100, 1024, 4096)

_ALIVE: Final[Mapping[str, tuple[int, ...]]] = {
    "handle": tuple(region.handle for region in _REGIONS),
    "offset": (
        *(region.offset + more for region in _REGIONS for more in (0, 4, REGION - 1, REGION)),
        2**64 - 4,
    ),
    "length": (*_LENGTHS, REGION - 1, REGION, REGION + 1),
    "position": (0, 1, 2, 4, 8, 28, 40, 44, 48, 52, 100),
    "rdma_vers": (0, 1, 2, 3),
    "rdma_credit": (0, 1, 2, 31, 32, 33, 1024),
}
"""Field -> values of it that a message may well have."""

_STEPS: Final = (-4, -2, -1, 1, 2, 3, 4)


def draw_number(draw: Random, item: Integer, name: str, old: int | None = None) -> int:
    """A number that the type takes.

    Args:
        draw: where chance comes from.
        item: the type.
        name: of the field, the last step of its path.
        old: what stands there; its neighbours are drawn, too.
    """
    bits = item.bits
    alive = _ALIVE.get(name.partition("[")[0])
    match draw.randrange(6):
        case 0 | 1 if alive:
            number = draw.choice(alive)
        case 2 if old is not None:
            number = old + draw.choice(_STEPS)
        case 3:
            number = (1 << draw.randrange(bits)) - draw.randrange(2)
        case 4 if old is not None:
            number = draw.choice((~old, old << 1, old >> 1))
        case _:
            number = draw.choice((0, 1, 2, (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits) - 1))
    number %= 1 << bits
    return number - (1 << bits) if item.signed and number >> bits - 1 else number


def draw_segment(draw: Random) -> bytes:
    """An RDMA segment in memory that is alive, or a little beside it: beyond its end, wrapping."""
    region = draw.choice(_REGIONS)
    length = draw.choice(_LENGTHS)
    place = draw.choice((0, 0, 0, 4, 1024, REGION - length, REGION - length + 1, REGION))
    offset = region.offset + place
    if draw.randrange(8) == 0:
        offset = 2**64 - draw.choice((1, 4, length + 1))
    return _SEGMENT.pack(region.handle, length, offset % 2**64)
