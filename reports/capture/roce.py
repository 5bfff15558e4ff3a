"""RoCEv2 frames for the events of a trace.

A trace holds verbs-level events, not packets; this module makes the packets that a RoCEv2 device
with a path MTU of 4096 octets would have sent for them, so that Wireshark can dissect a case.
Acknowledgements are left out: nothing that a case judges is in them.

    InfiniBand Architecture volume 1, 9.4  how messages are cut into packets
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rpcrdma.roce.packet.bth import PSN_MASK, Aeth, BthOpcode, Packet, Reth, encode
from rpcrdma.roce.packet.datagram import seal, to_frame
from rpcrdma.roce.packet.internet import address_octets

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PATH_MTU", "Flow", "frame", "read", "send", "write"]

PATH_MTU: Final = 4096
"""Octets of payload in one packet at most; the largest that InfiniBand knows."""


@dataclass(slots=True)
class Flow:
    """One direction of one connection: addresses, queue pair and the running sequence number.

    Attributes:
        source: IPv4 address of the sender; destination: likewise.
        port: UDP source port; differs from connection to connection, so that a dissector that
            keeps state by conversation keeps them apart.
        queue_pair: number of the receiver's queue pair.
        sequence: PSN of the next request.
    """

    source: str
    destination: str
    port: int
    queue_pair: int
    sequence: int = field(default=0)

    def next_sequence(self) -> int:
        """Take one PSN."""
        taken = self.sequence
        self.sequence = (taken + 1) & PSN_MASK
        return taken


def send(flow: Flow, message: bytes, invalidate: int | None = None) -> Iterator[bytes]:
    """Frames of one Send; with `invalidate`, of a Send With Invalidate of that R_key."""
    pieces = _pieces(message)
    for number, piece in enumerate(pieces):
        first, last = number == 0, number == len(pieces) - 1
        opcode = _position(first, last, BthOpcode.SEND_FIRST)
        packet = Packet(opcode, flow.queue_pair, flow.next_sequence(), piece)
        if last and invalidate is not None:
            packet.opcode = (
                BthOpcode.SEND_ONLY_INVALIDATE if first else BthOpcode.SEND_LAST_INVALIDATE
            )
            packet.invalidate = invalidate
        yield frame(flow, packet)


def write(flow: Flow, handle: int, offset: int, data: bytes) -> Iterator[bytes]:
    """Frames of one RDMA Write."""
    pieces = _pieces(data)
    for number, piece in enumerate(pieces):
        first, last = number == 0, number == len(pieces) - 1
        opcode = _position(first, last, BthOpcode.WRITE_FIRST)
        packet = Packet(opcode, flow.queue_pair, flow.next_sequence(), piece)
        if first:
            packet.reth = Reth(offset, handle, len(data))
        yield frame(flow, packet)


def read(
    request: Flow, response: Flow, handle: int, offset: int, length: int, data: bytes
) -> Iterator[bytes]:
    """Frames of one RDMA Read: the request, and the responses if `data` is known."""
    sequence = request.sequence
    target = Reth(offset, handle, length)
    yield frame(request, Packet(BthOpcode.READ_REQUEST, request.queue_pair, sequence, reth=target))
    pieces = _pieces(data)
    # A Read takes as many sequence numbers as its response has packets (IBA 9.7.3.2).
    count = max(1, -(-length // PATH_MTU))
    request.sequence = (sequence + count) & PSN_MASK
    if len(data) != length:
        return
    for number, piece in enumerate(pieces):
        first, last = number == 0, number == len(pieces) - 1
        opcode = BthOpcode.READ_RESPONSE_MIDDLE
        if first and last:
            opcode = BthOpcode.READ_RESPONSE_ONLY
        elif first or last:
            opcode = BthOpcode.READ_RESPONSE_FIRST if first else BthOpcode.READ_RESPONSE_LAST
        packet = Packet(opcode, response.queue_pair, (sequence + number) & PSN_MASK, piece)
        if first or last:
            packet.aeth = Aeth(0, 0)
        yield frame(response, packet)


def frame(flow: Flow, packet: Packet) -> bytes:
    """The Ethernet frame of one packet."""
    datagram = seal(flow.source, flow.destination, flow.port, encode(packet))
    return to_frame(datagram, _station(flow.source), _station(flow.destination))


def _pieces(data: bytes) -> list[bytes]:
    return [data[i : i + PATH_MTU] for i in range(0, len(data), PATH_MTU)] or [b""]


def _position(first: bool, last: bool, base: BthOpcode) -> BthOpcode:
    """FIRST, MIDDLE, LAST or ONLY of the operation whose FIRST is `base`."""
    if first and last:
        return BthOpcode(base + 4)
    if first:
        return base
    return BthOpcode(base + (2 if last else 1))


def _station(address: str) -> bytes:
    """A locally administered MAC address for an IPv4 address."""
    return b"\x02\x00" + address_octets(address)
