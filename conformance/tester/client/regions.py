"""How the memory of a chunk's segments lies: in a region for each, or all in one under one handle.

rfc8166 section 3.4.3  RDMA Segments
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from conformance.tester.memory import FILL, GUARD, ExposedChunk, ExposedSegment
from rpcrdma.fabric.base import Access
from rpcrdma.wire import RdmaSegment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.tester.client.peer import Peer
    from rpcrdma.fabric.base import MemoryRegion

__all__ = ["ChunkMemory", "OneRegion", "RegionPart"]

_WRITABLE: Final = Access.LOCAL_WRITE | Access.REMOTE_WRITE


class ChunkMemory(Protocol):
    """Makes memory for chunks; a `Peer` is one, with a region for each segment."""

    def expose(self, data: bytes, sizes: Sequence[int] = ()) -> ExposedChunk:
        """Memory that holds `data`, for the device to read: see `Peer.expose`."""
        ...

    def room(self, sizes: Sequence[int]) -> ExposedChunk:
        """Memory full of `FILL` for the device to write to: see `Peer.room`."""
        ...


@dataclass(frozen=True, slots=True)
class RegionPart:
    """A part of a region, as a `MemoryRegion` of its own: the same handle, an offset within.

    Attributes:
        whole: the region.
        start: of the part in it.
        length: of the part.
    """

    whole: MemoryRegion
    start: int
    length: int

    @property
    def handle(self) -> int:
        """That of the whole."""
        return self.whole.handle

    @property
    def offset(self) -> int:
        """Of the first octet of the part."""
        return self.whole.offset + self.start

    @property
    def access(self) -> Access:
        """That of the whole."""
        return self.whole.access

    @property
    def valid(self) -> bool:
        """Whether the whole is."""
        return self.whole.valid

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        """Copy octets of the part out."""
        most = self.length - start if length is None else length
        return self.whole.read(self.start + start, most)

    def write(self, data: bytes, start: int = 0) -> None:
        """Copy octets into the part."""
        self.whole.write(data, self.start + start)


@dataclass(frozen=True, slots=True)
class OneRegion:
    """Memory of which all segments of a chunk lie in one region.

    Attributes:
        peer: whose.
        gap: octets before each segment, and between two; an odd number puts them off boundaries.
    """

    peer: Peer
    gap: int = 0

    def expose(self, data: bytes, sizes: Sequence[int] = ()) -> ExposedChunk:
        """Memory that holds `data`, and after it octets that are none of them."""
        chunk = self._chunk(Access.REMOTE_READ, sizes or (len(data),))
        start = 0
        for segment in chunk.segments:
            segment.region.write(data[start : start + segment.told.length])
            start += segment.told.length
        return chunk

    def room(self, sizes: Sequence[int]) -> ExposedChunk:
        """Memory full of `FILL`; gaps belong to the segment before them, the last has a guard."""
        return self._chunk(_WRITABLE, sizes)

    def _chunk(self, access: Access, sizes: Sequence[int]) -> ExposedChunk:
        if not sizes:
            return ExposedChunk(())
        region = self.peer.register(
            self.gap + sum(size + self.gap for size in sizes) + GUARD, access
        )
        region.write(bytes((FILL,)) * region.length)
        segments = []
        start = self.gap
        for number, size in enumerate(sizes):
            behind = self.gap + (GUARD if number == len(sizes) - 1 else 0)
            part = RegionPart(region, start, size + behind)
            told = RdmaSegment(part.handle, size, part.offset)
            segments.append(ExposedSegment(part, told))
            start += size + self.gap
        return ExposedChunk(tuple(segments))
