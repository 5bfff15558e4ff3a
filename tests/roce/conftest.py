"""A tester and a device on a switch, for what is made of link, queue pair and CM."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.segments import one_segment
from rpcrdma.roce.link.wrapped_link import WrappedLink
from rpcrdma.roce.network import RoceNetwork
from rpcrdma.roce.packet.bth import decode
from rpcrdma.roce.packet.cm_messages import decode_cm
from rpcrdma.roce.packet.datagram import from_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.completion import Completion
    from rpcrdma.fabric.trace import WireFrame
    from rpcrdma.roce.connection import RoceConnection
    from rpcrdma.roce.fabric import RoceFabric
    from rpcrdma.roce.link.base import Link
    from rpcrdma.roce.listener import RoceListener
    from rpcrdma.roce.packet.bth import Packet
    from rpcrdma.roce.packet.datagram import Datagram

FOUR = ConnectionParameters(initial_receives=(one_segment(64),) * 4)
CM = 1


@dataclass
class RoceWorld:
    """A tester, and a device that accepts whoever comes."""

    network: RoceNetwork
    tester: RoceFabric
    dut: RoceFabric
    listener: RoceListener
    accepted: list[RoceConnection] = field(default_factory=list)

    def step(self) -> None:
        while (request := self.listener.accept(0)) is not None:
            self.accepted.append(request.accept(FOUR, 1.0))

    @property
    def address(self) -> Address:
        return self.listener.address

    def connect(self, parameters: ConnectionParameters = FOUR) -> RoceConnection:
        return self.tester.connect(self.address, parameters, 5.0)

    def drain(self, connection: RoceConnection, seconds: float = 30.0) -> list[Completion]:
        """Everything that completes until time is over or the connection is gone."""
        found: list[Completion] = []
        deadline = connection.clock.now() + seconds
        while (left := deadline - connection.clock.now()) > 0:
            more = connection.poll(left)
            if not more and not connection.connected:
                break
            found += more
        return found


class Spoiling(WrappedLink):
    """A link that does to what is sent what a function says: which datagrams leave in its place."""

    def __init__(self, link: Link, spoil: Callable[[Datagram], list[Datagram]]) -> None:
        super().__init__(link)
        self._spoil = spoil

    def send(self, datagram: Datagram) -> None:
        for left in self._spoil(datagram):
            super().send(left)


def packet_of(datagram: Datagram) -> Packet:
    return decode(datagram.transport)


def message_in(datagram: Datagram) -> str:
    """The kind of a message of connection management; empty for other packets."""
    packet = packet_of(datagram)
    return type(decode_cm(packet.payload)[0]).__name__ if packet.destination == CM else ""


def messages(frames: list[WireFrame]) -> list[str]:
    """The messages of connection management in a trace."""
    datagrams = [from_frame(frame.octets) for frame in frames]
    return [found for one in datagrams if one is not None and (found := message_in(one))]


@pytest.fixture
def make_world() -> Callable[..., RoceWorld]:
    """A world; what `spoil` says happens to what a side sends: its name, and the datagram."""

    def make(spoil: Callable[[str, Datagram], list[Datagram]] | None = None) -> RoceWorld:
        def wrap(side: str, link: Link) -> Link:
            if spoil is None:
                return link
            return Spoiling(link, lambda datagram: spoil(side, datagram))

        network = RoceNetwork(seed=1, wrap=wrap)
        tester, dut = network.fabric("tester"), network.fabric("dut")
        world = RoceWorld(network, tester, dut, dut.listen(Address(network.host("dut"), 20049)))
        dut.attach(world.step)
        return world

    return make


@pytest.fixture
def world(make_world: Callable[[], RoceWorld]) -> RoceWorld:
    return make_world()
