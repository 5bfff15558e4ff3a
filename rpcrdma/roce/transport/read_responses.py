"""Responses to the peer's Reads: those that are still to leave, and which were given lately.

    InfiniBand Architecture volume 1, 9.7.4.1.4  responder resources
    InfiniBand Architecture volume 1, 9.7.5.1    responses to RDMA Reads, duplicate requests

A duplicate of a Read may ask for all of its response, or for the rest of it from any packet on.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from rpcrdma.roce.packet.aeth import acknowledged
from rpcrdma.roce.packet.bth import PSN_MASK, Aeth, BthOpcode, Packet, Reth
from rpcrdma.roce.transport.work import packet_count

__all__ = ["ReadResponses"]


class _Response(NamedTuple):
    psn: int  # of its first packet
    data: bytes
    messages: int  # the message sequence number that it tells


class ReadResponses:
    """Of one queue pair; bounded by the resources that the peer was promised."""

    def __init__(self, resources: int, path_mtu: int) -> None:
        self._resources = resources
        self._mtu = path_mtu
        self._answered: deque[tuple[int, Reth]] = deque(maxlen=resources)
        self._waiting: list[_Response] = []
        self._new = 0  # of those, not duplicates

    def __len__(self) -> int:
        return len(self._waiting)

    def has_room(self) -> bool:
        """Whether the peer may have one more Read under way."""
        return self._new < self._resources

    def add(self, psn: int, reth: Reth, data: bytes, messages: int) -> None:
        """Answer a Read, and remember it."""
        self._new += 1
        self._answered.append((psn, reth))
        self._waiting.append(_Response(psn, data, messages))

    def has_answered(self, psn: int, reth: Reth) -> bool:
        """Whether this is a part of a remembered Read, up to its end."""
        for first, known in self._answered:
            skipped = (psn - first) * self._mtu
            if 0 <= skipped < max(known.length, 1) and known.handle == reth.handle:
                same_place = reth.offset == known.offset + skipped
                return same_place and reth.length <= known.length - skipped
        return False

    def add_again(self, psn: int, data: bytes, messages: int) -> None:
        """Answer a duplicate, unless as many wait as there can be different ones."""
        if len(self._waiting) < 2 * self._resources:
            self._waiting.append(_Response(psn, data, messages))

    def take_packets(self, out: list[Packet], destination: int) -> None:
        """Add all packets of all responses, in the order of the requests."""
        waiting, self._waiting, self._new = self._waiting, [], 0
        for response in waiting:
            self._cut(response, out, destination)

    def _cut(self, response: _Response, out: list[Packet], destination: int) -> None:
        psn, data, messages = response
        mtu = self._mtu
        aeth = Aeth(acknowledged(), messages & PSN_MASK)
        count = packet_count(len(data), mtu)
        if count == 1:
            packet = Packet(BthOpcode.READ_RESPONSE_ONLY, destination, psn & PSN_MASK, data)
            packet.aeth = aeth
            out.append(packet)
            return
        for index in range(count):
            opcode = BthOpcode.READ_RESPONSE_MIDDLE
            if index == 0:
                opcode = BthOpcode.READ_RESPONSE_FIRST
            elif index == count - 1:
                opcode = BthOpcode.READ_RESPONSE_LAST
            octets = data[index * mtu : (index + 1) * mtu]
            packet = Packet(opcode, destination, (psn + index) & PSN_MASK, octets)
            if opcode != BthOpcode.READ_RESPONSE_MIDDLE:
                packet.aeth = aeth
            out.append(packet)
