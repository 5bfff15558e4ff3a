"""Requests of a send queue, and the packets that they become.

    InfiniBand Architecture volume 1, 9.4    transport functions: Send, RDMA Write, RDMA Read
    InfiniBand Architecture volume 1, 9.7.3  which packets a message is cut into

A request has as many packet sequence numbers as packets go one way: those of a Send or Write, or
those of the response to a Read, whose request has the first of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.completion import Opcode
from rpcrdma.roce.packet.bth import PSN_MASK, BthOpcode, Packet, Reth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.fabric.base import MemoryRegion
    from rpcrdma.fabric.completion import CompletionStatus, WorkId

__all__ = ["TransportWork", "packet_count"]

_HANDLE_BITS: Final = 0xFFFF_FFFF
_OFFSET_BITS: Final = 0xFFFF_FFFF_FFFF_FFFF

_FIRST: Final[Mapping[Opcode, BthOpcode]] = {
    Opcode.SEND: BthOpcode.SEND_FIRST,
    Opcode.RDMA_WRITE: BthOpcode.WRITE_FIRST,
}
_MIDDLE: Final[Mapping[Opcode, BthOpcode]] = {
    Opcode.SEND: BthOpcode.SEND_MIDDLE,
    Opcode.RDMA_WRITE: BthOpcode.WRITE_MIDDLE,
}
_LAST: Final[Mapping[Opcode, BthOpcode]] = {
    Opcode.SEND: BthOpcode.SEND_LAST,
    Opcode.RDMA_WRITE: BthOpcode.WRITE_LAST,
}


def packet_count(length: int, path_mtu: int) -> int:
    """Packets of a message of so many octets; one of none is a packet, too."""
    return -(-length // path_mtu) or 1


class TransportWork:
    """One request.

    A plain class and not a dataclass for speed: one is made for each message.

    Attributes:
        work_id: what posting it returned.  opcode: what it asks for.
        length: octets to send, read or write.
        data: those octets, of a Send or Write.
        invalidate: handle that a Send With Invalidate ends.
        signalled: whether its success is reported.
        region, start: the local memory of a Read or Write.
        handle, offset: the peer's memory of a Read or Write.
        refused: how it fails when its turn comes, of a request that never leaves.
        first: the first of its packet sequence numbers.  count: how many there are.
        sent: of those, how many have left since the last time that all was sent again; of a Read,
            how many were asked for.
        answered: of a Read, how many have come.  octets: what was in them.
        asked_again: of a Read, whether some were asked for more than once.
    """

    __slots__ = (
        "answered",
        "asked_again",
        "count",
        "data",
        "first",
        "handle",
        "invalidate",
        "length",
        "octets",
        "offset",
        "opcode",
        "refused",
        "region",
        "sent",
        "signalled",
        "start",
        "work_id",
    )

    def __init__(self, work_id: WorkId, opcode: Opcode, length: int) -> None:
        self.work_id = work_id
        self.opcode = opcode
        self.length = length
        self.data = b""
        self.invalidate: int | None = None
        self.signalled = True
        self.region: MemoryRegion | None = None
        self.start = self.handle = self.offset = 0
        self.refused: CompletionStatus | None = None
        self.first = self.count = 0
        self.sent = self.answered = 0
        self.octets: list[bytes] = []
        self.asked_again = False

    @property
    def last(self) -> int:
        """The last of its packet sequence numbers."""
        return self.first + self.count - 1

    @property
    def is_read(self) -> bool:
        """Whether what it sends is a request alone."""
        return self.opcode is Opcode.RDMA_READ

    def packet(self, index: int, path_mtu: int, destination: int) -> Packet:
        """A packet of a Send or Write."""
        psn = (self.first + index) & PSN_MASK
        if self.count == 1:
            packet = Packet(self._only(), destination, psn, self.data)
        else:
            begin = index * path_mtu
            octets = self.data[begin : begin + path_mtu]
            packet = Packet(self._part(index), destination, psn, octets)
        if index == self.count - 1:
            packet.invalidate = self.invalidate
        if index == 0 and self.opcode is Opcode.RDMA_WRITE:
            packet.reth = self._reth(0, self.length)
        return packet

    def request(self, index: int, count: int, path_mtu: int, destination: int) -> Packet:
        """The request for some of the packets of a Read's response."""
        begin = index * path_mtu
        length = min(self.length - begin, count * path_mtu)
        psn = (self.first + index) & PSN_MASK
        packet = Packet(BthOpcode.READ_REQUEST, destination, psn)
        packet.reth = self._reth(begin, length)
        return packet

    def _reth(self, begin: int, length: int) -> Reth:
        # Cut to their fields: what an owner of memory is asked for may be any number.
        offset = (self.offset + begin) & _OFFSET_BITS
        return Reth(offset, self.handle & _HANDLE_BITS, length)

    def _only(self) -> BthOpcode:
        if self.opcode is Opcode.RDMA_WRITE:
            return BthOpcode.WRITE_ONLY
        if self.invalidate is not None:
            return BthOpcode.SEND_ONLY_INVALIDATE
        return BthOpcode.SEND_ONLY

    def _part(self, index: int) -> BthOpcode:
        if index == 0:
            return _FIRST[self.opcode]
        if index < self.count - 1:
            return _MIDDLE[self.opcode]
        if self.invalidate is not None:
            return BthOpcode.SEND_LAST_INVALIDATE
        return _LAST[self.opcode]
