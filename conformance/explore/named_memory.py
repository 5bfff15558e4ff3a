"""Memory that kept octets name by fixed handles, and the real memory behind it on a connection.

A message out of a file names memory, which has other handles on every connection.  So what is kept
names one region to be read and one to be written by the handles below; before it is sent, its
segments are moved to memory that is registered on the connection that it goes over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.explore.segments import move_segments
from rpcrdma.fabric.base import Access
from rpcrdma.wire import RdmaSegment

if TYPE_CHECKING:
    from conformance.oracle.memory import ExposedRegions
    from conformance.tester.client.peer import Peer

__all__ = ["READABLE", "REGION", "WRITABLE", "NamedMemory"]

REGION: Final = 65536
"""Octets of each region."""

READABLE: Final = RdmaSegment(0x0000_1111, REGION, 0x0000_7F00_0000_0000)
WRITABLE: Final = RdmaSegment(0x0000_2222, REGION, 0x0000_7F11_0000_0000)


class NamedMemory:
    """The two regions, registered on a connection and exposed in its memory."""

    def __init__(self, peer: Peer, memory: ExposedRegions) -> None:
        self._readable = peer.register(REGION, Access.REMOTE_READ)
        self._writable = peer.register(REGION, Access.LOCAL_WRITE | Access.REMOTE_WRITE)
        memory.expose(self._readable, read=True)
        memory.expose(self._writable, write=True)

    def translate(self, message: bytes) -> bytes:
        """The message with the handles and addresses of this connection's memory.

        What does not decode, and segments of other handles, stay as they are.
        """
        return move_segments(message, self._real, self._real)

    def _real(self, segment: RdmaSegment) -> RdmaSegment:
        for named, region in ((READABLE, self._readable), (WRITABLE, self._writable)):
            if segment.handle == named.handle:
                offset = (region.offset + segment.offset - named.offset) % 2**64
                return RdmaSegment(region.handle, segment.length, offset)
        return segment
