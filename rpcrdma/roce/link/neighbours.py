"""Who is at which station: ARP for one address of ours, sans-I/O.

    RFC 826   An Ethernet Address Resolution Protocol
    RFC 5227  IPv4 Address Conflict Detection, section 3: the announcement of an own address

Datagrams to an address whose station is not known wait here while it is asked for, a bounded number
and for a bounded time.  Nobody is believed who speaks of an address that was not asked for and does
not speak to us: what is remembered is bounded, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rpcrdma.roce.packet.arp import ArpOperation, arp_answer, arp_question
from rpcrdma.roce.packet.datagram import to_frame

if TYPE_CHECKING:
    from rpcrdma.roce.packet.arp import ArpPacket
    from rpcrdma.roce.packet.datagram import Datagram

__all__ = ["Neighbours"]

_PATIENCE: Final = 0.2
"""Seconds from one question to the next."""

_MOST_QUESTIONS: Final = 10
_MOST_WAITING: Final = 64
"""Datagrams that wait for one address: about what one Write of 256 KiB has."""

_MOST_ASKED: Final = 16
"""Addresses asked for at a time."""

_MOST_KNOWN: Final = 256


@dataclass(slots=True)
class _Asked:
    """An address that has not answered yet, and what is to be sent there."""

    again: float
    questions: int = 1
    datagrams: list[Datagram] = field(default_factory=list)


class Neighbours:
    """The stations that are known, and what waits for those that are not."""

    def __init__(self, station: bytes, address: str) -> None:
        """Begin with the announcement of the own address."""
        self._station = station
        self._address = address
        self._known: dict[str, bytes] = {}
        self._asked: dict[str, _Asked] = {}
        self._frames: list[bytes] = [arp_question(station, address, address)]
        self.given_up = 0

    def send(self, datagram: Datagram, now: float) -> bytes | None:
        """The frame of a datagram; None where it has to wait for its station, or is given up."""
        station = self._known.get(datagram.destination)
        if station is not None:
            return to_frame(datagram, self._station, station)
        asked = self._asked.get(datagram.destination)
        if asked is None:
            if len(self._asked) >= _MOST_ASKED:
                self.given_up += 1
                return None
            asked = self._asked[datagram.destination] = _Asked(now + _PATIENCE)
            self._ask(datagram.destination)
        if len(asked.datagrams) < _MOST_WAITING:
            asked.datagrams.append(datagram)
        else:
            self.given_up += 1
        return None

    def hear(self, packet: ArpPacket) -> None:
        """Take in what somebody says of himself, and answer a question for our address."""
        if packet.sender == self._address:
            return  # our own announcement, or a conflict, which we cannot settle
        for_us = packet.target == self._address
        if for_us or packet.sender in self._known or packet.sender in self._asked:
            self._learn(packet.sender, packet.sender_station)
        if for_us and packet.operation == ArpOperation.REQUEST:
            self._frames.append(arp_answer(packet, self._station))

    def tick(self, now: float) -> None:
        """Ask again where the time has come, and give up where that was often enough."""
        for address, asked in list(self._asked.items()):
            if asked.again > now:
                continue
            if asked.questions >= _MOST_QUESTIONS:
                self.given_up += len(asked.datagrams)
                del self._asked[address]
                continue
            asked.questions += 1
            asked.again = now + _PATIENCE
            self._ask(address)

    def deadline(self) -> float | None:
        """When `tick` has something to do."""
        return min((asked.again for asked in self._asked.values()), default=None)

    def take_frames(self) -> list[bytes]:
        """What is to be sent now, in order: questions, answers, and what has waited."""
        if not self._frames:
            return []
        taken, self._frames = self._frames, []
        return taken

    def _ask(self, address: str) -> None:
        self._frames.append(arp_question(self._station, self._address, address))

    def _learn(self, address: str, station: bytes) -> None:
        if station[0] & 1:
            return  # a group is nobody's station
        if address not in self._known and len(self._known) >= _MOST_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[address] = station
        asked = self._asked.pop(address, None)
        if asked is not None:
            self._frames += (to_frame(each, self._station, station) for each in asked.datagrams)
