"""The memory that a connection's messages tell of, which steps take away or exchange.

Messages out of a file name two regions by fixed handles (`conformance.explore.named_memory`), Calls
that are built have chunks of their own.

    rfc8166 section 3.4.3  RDMA Segments
    rfc8166 section 8.1.1  Protection Domains
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.explore.named_memory import READABLE, REGION, WRITABLE
from conformance.explore.segments import move_segments
from conformance.oracle.memory import ExposedRegions
from conformance.tester.memory import ExposedChunk, ExposedSegment
from rpcrdma.fabric.base import Access
from rpcrdma.wire import RdmaSegment

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call
    from rpcrdma.fabric.base import MemoryRegion

__all__ = ["NAMES", "StepMemory", "is_for_results"]

NAMES: Final = (READABLE, WRITABLE)
"""What messages name."""

_RESULTS: Final = Access.LOCAL_WRITE | Access.REMOTE_WRITE


class StepMemory:
    """Of one connection.

    Attributes:
        exposed: what the device can reach, for the oracle.
    """

    def __init__(self, peer: Peer) -> None:
        self.exposed = ExposedRegions()
        self._peer = peer
        self._named: dict[int, MemoryRegion] = {}
        self._chunks: list[ExposedChunk] = []
        self._withdrawn: set[int] = set()

    def look(self) -> None:
        """Notice what the device has invalidated remotely: it is out of its reach, too."""
        for chunk in self._chunks:
            for segment in chunk.segments:
                if not segment.region.valid:
                    self.exposed.forget(segment.region)

    def translate(self, message: bytes) -> bytes:
        """The message with the handles and addresses that its names stand for here."""
        return move_segments(message, self._real, self._real)

    def tell_of(self, call: Call) -> None:
        """Know the chunks of a Call that is built for this connection."""
        for chunk in call.read_chunks:
            self._know(chunk, read=True)
        for chunk in call.result_chunks:
            self._know(chunk, write=True)

    def chunk(self, place: int) -> ExposedChunk | None:
        """One of the chunks that the device may know of, the latest first; None if there is none.

        Args:
            place: its number, modulo how many there are.
        """
        return self._chunks[-1 - place % len(self._chunks)] if self._chunks else None

    def withdraw(self, chunk: ExposedChunk) -> None:
        """End the device's access to a chunk, of which its handles still tell."""
        self._peer.invalidate(chunk)
        for segment in chunk.segments:
            self.exposed.forget(segment.region)
            self._withdrawn.add(segment.region.handle)
        self._chunks.remove(chunk)

    def remake(self, name: RdmaSegment, access: Access, length: int) -> None:
        """Let a name stand for new memory; the old stays within reach under its real handle."""
        self._named[name.handle] = self._made(access, length)

    def borrow(self, name: RdmaSegment, other: StepMemory) -> None:
        """Let a name stand for what it stands for on another connection."""
        self._named[name.handle] = other.region(name)

    def region(self, name: RdmaSegment) -> MemoryRegion:
        """What a name stands for; new memory if the device has invalidated the old remotely."""
        known = self._named.get(name.handle)
        if known is None or not (known.valid or known.handle in self._withdrawn):
            readable = name.handle == READABLE.handle
            self.remake(name, Access.REMOTE_READ if readable else _RESULTS, REGION)
        return self._named[name.handle]

    def _real(self, segment: RdmaSegment) -> RdmaSegment:
        for name in NAMES:
            if segment.handle == name.handle:
                region = self.region(name)
                offset = (region.offset + segment.offset - name.offset) % 2**64
                return RdmaSegment(region.handle, segment.length, offset)
        return segment

    def _made(self, access: Access, length: int) -> MemoryRegion:
        region = self._peer.register(length, access)
        told = RdmaSegment(region.handle, length, region.offset)
        chunk = ExposedChunk((ExposedSegment(region, told),))
        self._know(chunk, read=Access.REMOTE_READ in access, write=Access.REMOTE_WRITE in access)
        return region

    def _know(self, chunk: ExposedChunk, *, read: bool = False, write: bool = False) -> None:
        for segment in chunk.segments:
            self.exposed.expose(segment.region, read=read, write=write)
        if chunk.segments:
            self._chunks.append(chunk)


def is_for_results(chunk: ExposedChunk) -> bool:
    """Whether the device may write to a chunk."""
    return any(Access.REMOTE_WRITE in segment.region.access for segment in chunk.segments)
