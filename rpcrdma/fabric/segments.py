"""The memory of a Receive: a list of segments, which a message fills in their order.

    rtrext section 7.2  Buffer Structure Definition (Receives as scatter lists)

A segment is a part of registered memory of the connection, at an address that its owner knows; or
only a length, for octets of the fabric's own memory, which is all that most Receives are; or a
length of the fabric's own memory at an alignment, whose address is then told:

    connection.post_receive(one_segment(1024))
    connection.post_receive((ReceiveSegment(64), ReceiveSegment(4096, region, start=8192)))
    connection.post_receive((ReceiveSegment(1024), ReceiveSegment(4096, align=4096)))

A message goes on in the next segment where one is full.  What is longer than all of them together
is an error of either end, as with a single one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.errors import FabricError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.fabric.base import MemoryRegion

__all__ = [
    "Placement",
    "ReceiveSegment",
    "Segments",
    "has_address",
    "one_segment",
    "placements",
    "require_segments",
    "total",
]


class ReceiveSegment(msgspec.Struct, frozen=True):
    """One segment of a Receive.

    Attributes:
        length: octets; a segment of none is passed over.
        region: whose memory it is, registered for local writing; None for the fabric's own.
        start: of the segment within the region, in octets.
        align: octets, at least 1: the address of a segment of the fabric's own memory is a multiple
            of it.  Registered memory is where its owner has it, whatever this says.
    """

    length: int
    region: MemoryRegion | None = None
    start: int = 0
    align: int = 1

    @property
    def address(self) -> int | None:
        """Of its first octet in registered memory; of the fabric's own, None."""
        return None if self.region is None else self.region.offset + self.start

    @property
    def is_aligned(self) -> bool:
        """Whether it is memory of the fabric's own at an alignment, hence with an address."""
        return self.align > 1 and self.region is None


Segments = tuple[ReceiveSegment, ...]
"""A scatter list."""


class Placement(msgspec.Struct, frozen=True, gc=False):
    """What landed in one segment of a Receive.

    Attributes:
        address: of the segment; None in the fabric's own memory without an alignment, which is
            nobody else's business.
        length: octets of the message that it holds, from its beginning on.
    """

    address: int | None
    length: int

    def __str__(self) -> str:
        where = "" if self.address is None else f" at {self.address:#x}"
        return f"{self.length} octets{where}"


_LENGTHS: Final = 64
"""Different lengths of Receives that are in use at one time, at most; more cost time only."""


@lru_cache(_LENGTHS)
def one_segment(length: int) -> Segments:
    """The list of one segment of the fabric's own memory."""
    return (ReceiveSegment(length),)


def has_address(segments: Segments) -> bool:
    """Whether it matters where octets land: not in one segment of memory that may be anywhere."""
    first = segments[0]
    return len(segments) > 1 or first.region is not None or first.align > 1


def total(segments: Segments) -> int:
    """Octets of the longest message that fits."""
    if len(segments) == 1:  # as nearly always
        return segments[0].length
    return sum(segment.length for segment in segments)


def placements(
    segments: Segments, addresses: Sequence[int | None], length: int
) -> tuple[Placement, ...]:
    """What landed where of a message of `length` octets, for each segment in order.

    Args:
        segments: of the posted Receive.
        addresses: theirs, as `Placement` has them.
        length: octets of the message.
    """
    found = []
    for segment, address in zip(segments, addresses, strict=True):
        here = min(segment.length, length)
        length -= here
        found.append(Placement(address, here))
    return tuple(found)


def require_segments(segments: Sequence[ReceiveSegment], most: int) -> None:
    """Refuse what no Receive of a connection can be.

    Args:
        segments: to be posted.
        most: `ConnectionParameters.receive_segments`.

    Raises:
        FabricError: there are none, or more than the connection was made for.
    """
    if not 1 <= len(segments) <= most:
        raise FabricError(
            f"a Receive of {len(segments)} segments: this connection was made for 1 to {most}"
            " (ConnectionParameters.receive_segments)"
        )
