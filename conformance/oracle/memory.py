"""The memory of a Requester as the device can reach it: regions, and segments within them.

    rfc8166 section 3.4.3  RDMA Segments
    rfc8166 section 8.1.1  Protection Domains (a handle is good on one connection only)

Whoever asks the oracle about chunks has such a memory: the tester's registered regions, those that
a trace shows, or those that a fuzzed Responder is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from conformance.oracle.outcome import Answered
from rpcrdma.wire import any_overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.oracle.outcome import Outcome
    from rpcrdma.wire import RdmaSegment

__all__ = ["NO_MEMORY", "ExposedMemory", "ExposedRegion", "ExposedRegions", "held_by", "within"]


class ExposedMemory(Protocol):
    """The Requester's memory as the device can reach it."""

    def fetch(self, segment: RdmaSegment) -> bytes | None:
        """What an RDMA Read of the segment gives; None if it would fail."""
        ...

    def is_writable(self, segment: RdmaSegment) -> bool:
        """Whether an RDMA Write to the whole segment would succeed."""
        ...

    def contents(self, segments: Sequence[RdmaSegment]) -> bytes | None:
        """What stands in segments that may be written, joined; None if that cannot be said."""
        ...


class ExposedRegion(Protocol):
    """Memory under one handle; a `rpcrdma.fabric.base.MemoryRegion` is one."""

    @property
    def handle(self) -> int:
        """By which the device names it."""
        ...

    @property
    def offset(self) -> int:
        """Of its first octet, in the words of a segment."""
        ...

    @property
    def length(self) -> int:
        """In octets."""
        ...

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        """What it holds there, from so many octets after its first."""
        ...


def within(segment: RdmaSegment, region: ExposedRegion) -> slice | None:
    """Where in the region a segment lies; None if it does not lie in it whole."""
    start = segment.offset - region.offset
    inside = segment.handle == region.handle and start >= 0
    if not inside or start + segment.length > region.length:
        return None
    return slice(start, start + segment.length)


class ExposedRegions:
    """The regions exposed on one connection, by their handles (an `ExposedMemory`).

    A segment of no octets lies everywhere: nothing is read or written for it, so no fabric looks at
    its handle.
    """

    def __init__(self) -> None:
        self._readable: dict[int, ExposedRegion] = {}
        self._writable: dict[int, ExposedRegion] = {}

    def expose(self, region: ExposedRegion, *, read: bool = False, write: bool = False) -> None:
        """Know one more region, which the device may read, write, or both."""
        if read:
            self._readable[region.handle] = region
        if write:
            self._writable[region.handle] = region

    def forget(self, region: ExposedRegion) -> None:
        """Know a region no more: the device has no access to it any longer."""
        self._readable.pop(region.handle, None)
        self._writable.pop(region.handle, None)

    def as_it_is(self) -> ExposedRegions:
        """The regions of this moment; later ones are not among them."""
        copy = ExposedRegions()
        copy._readable, copy._writable = dict(self._readable), dict(self._writable)
        return copy

    def fetch(self, segment: RdmaSegment) -> bytes | None:
        """What an RDMA Read of the segment gives; None if it would fail."""
        return _octets(segment, self._readable.get(segment.handle))

    def is_writable(self, segment: RdmaSegment) -> bool:
        """Whether an RDMA Write to the whole segment would succeed."""
        region = self._writable.get(segment.handle)
        return segment.length == 0 or (region is not None and within(segment, region) is not None)

    def contents(self, segments: Sequence[RdmaSegment]) -> bytes | None:
        """What stands in segments that may be written, joined: what a returned chunk tells of.

        None if that cannot be said: they reach out of the memory, or overlap, so that the order of
        the device's writes would decide.
        """
        if any_overlap(tuple(segments)):
            return None
        parts = [_octets(segment, self._writable.get(segment.handle)) for segment in segments]
        known = [part for part in parts if part is not None]
        return b"".join(known) if len(known) == len(parts) else None


def held_by(outcome: Outcome, memory: ExposedRegions) -> bytes | None:
    """What the Reply chunk of a Long Reply holds; None if there is none, or nobody can say."""
    if not isinstance(outcome, Answered) or not outcome.is_long or not outcome.body.rdma_reply:
        return None
    return memory.contents(outcome.body.rdma_reply.target)


def _octets(segment: RdmaSegment, region: ExposedRegion | None) -> bytes | None:
    if segment.length == 0:
        return b""
    if region is None or within(segment, region) is None:
        return None
    return region.read(segment.offset - region.offset, segment.length)


NO_MEMORY: ExposedMemory = ExposedRegions()
"""Of a tester that has registered none: every handle is invalid."""
