"""Memory that the tester exposes to the device, and what it tells about it.

A chunk here is the real memory together with the segments as the device is told of them; a scenario
lies by changing what is told (`ExposedChunk.lying`) or the memory (`Peer.invalidate`).

Memory for results is filled with `FILL` and is a little longer than told, so that octets written
after the end show.

    rfc8166 section 3.4.3  RDMA Segments
    rfc8166 section 3.4.6  Write Chunks
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from rpcrdma.wire import RdmaSegment, ReadSegment, WriteChunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.fabric.base import MemoryRegion

__all__ = ["FILL", "GUARD", "ExposedChunk", "ExposedSegment", "OctetPlace", "split"]

FILL: Final = 0xA5
"""What every octet of result memory holds until the device writes it."""

GUARD: Final = 64
"""Octets of result memory after the end that the device is told of."""


class OctetPlace(NamedTuple):
    """An octet of a chunk's memory: index of the segment, and of the octet in it, from 0."""

    segment: int
    octet: int

    def __str__(self) -> str:
        return f"octet {self.octet} of segment {self.segment}"


@dataclass(frozen=True, slots=True)
class ExposedSegment:
    """One region and the segment that describes it to the device."""

    region: MemoryRegion
    told: RdmaSegment


@dataclass(frozen=True, slots=True)
class ExposedChunk:
    """Segments that make up one chunk, in order."""

    segments: tuple[ExposedSegment, ...]

    @property
    def told(self) -> tuple[RdmaSegment, ...]:
        """The segments as the device is told of them."""
        return tuple(segment.told for segment in self.segments)

    @property
    def length(self) -> int:
        """Octets that the device is told of."""
        return sum(segment.told.length for segment in self.segments)

    def read_segments(self, position: int) -> tuple[ReadSegment, ...]:
        """As a Read chunk with that Position."""
        return tuple(ReadSegment(position, told) for told in self.told)

    def write_chunk(self) -> WriteChunk:
        """As a Write chunk or Reply chunk."""
        return WriteChunk(self.told)

    def lying(self, index: int, **changes: int) -> ExposedChunk:
        """The same memory, with other words told of one segment: `handle`, `length`, `offset`."""
        segments = list(self.segments)
        told = msgspec.structs.replace(segments[index].told, **changes)
        segments[index] = replace(segments[index], told=told)
        return ExposedChunk(tuple(segments))

    def contents(self, returned: Sequence[RdmaSegment]) -> bytes:
        """What the device placed, by the segment lengths that its reply returned.

        A length longer than the memory yields what there is: whether it may be so long is for
        `verify` to say.
        """
        pieces = [
            segment.region.read(0, min(back.length, segment.region.length))
            for segment, back in zip(self.segments, returned, strict=False)
        ]
        return b"".join(pieces)

    def written(self) -> tuple[RdmaSegment, ...]:
        """The segments as the device is told of them, with the lengths that it has written.

        A segment is full if a later one is written to, since they are filled in order (rfc8166
        3.4.6).  What ends in octets of `FILL` in the last of them seems shorter than it is.
        """
        lengths: list[int] = []
        for segment in reversed(self.segments):
            length = len(segment.region.read().rstrip(bytes((FILL,))))
            lengths.append(max(length, segment.told.length if any(lengths) else 0))
        return tuple(
            msgspec.structs.replace(segment.told, length=length)
            for segment, length in zip(self.segments, reversed(lengths), strict=True)
        )

    def overwritten(self, returned: Sequence[RdmaSegment]) -> OctetPlace | None:
        """The first octet that changed although the returned lengths do not cover it.

        Returns:
            None if there is no such octet.
        """
        for index, segment in enumerate(self.segments):
            used = returned[index].length if index < len(returned) else 0
            octets = segment.region.read()
            for position in range(min(used, len(octets)), len(octets)):
                if octets[position] != FILL:
                    return OctetPlace(index, position)
        return None


def split(length: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """Cut `length` octets into pieces of the given sizes; the last piece takes what is left.

    Raises:
        ValueError: a size is negative, or they add up to more than there is.
    """
    rest = length - sum(sizes)
    if rest < 0 or any(size < 0 for size in sizes):
        raise ValueError(f"{length} octets cannot be cut into {tuple(sizes)}")
    return (*sizes, rest) if rest else tuple(sizes)
