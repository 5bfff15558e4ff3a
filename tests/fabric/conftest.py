"""A simulated network with a device under test, for the tests of loopback."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.completion import Completion, Opcode
from rpcrdma.fabric.loopback import LoopbackFabric, LoopbackListener, LoopbackNetwork
from rpcrdma.fabric.segments import one_segment

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.loopback_connection import LoopbackConnection

FOUR = ConnectionParameters(initial_receives=(one_segment(64),) * 4)


@dataclass
class World:
    """A network with a tester and a device under test that accepts whoever comes."""

    network: LoopbackNetwork
    tester: LoopbackFabric
    dut: LoopbackFabric
    listener: LoopbackListener
    parameters: ConnectionParameters = FOUR
    accepted: list[LoopbackConnection] = field(default_factory=list)

    def step(self) -> None:
        while (request := self.listener.accept(0)) is not None:
            self.accepted.append(request.accept(self.parameters, 1.0))

    def connect(self, parameters: ConnectionParameters = FOUR) -> LoopbackConnection:
        return self.tester.connect(self.listener.address, parameters, 1.0)

    def echo(self) -> None:
        """Have the device answer every message with its octets reversed."""

        def step() -> None:
            for connection in self.accepted:
                for done in connection.poll(0):
                    if done.ok and done.opcode is Opcode.RECEIVE:
                        connection.post_send(done.data[::-1])

        self.dut.attach(step)

    def drain(self, connection: LoopbackConnection, patience: float = 30.0) -> list[Completion]:
        """Everything that completes until the patience is over or the connection is gone."""
        found: list[Completion] = []
        deadline = connection.clock.now() + patience
        while connection.clock.now() < deadline:
            more = connection.poll(deadline - connection.clock.now())
            if not more:
                break
            found += more
        return found


def build_world(seed: int = 1) -> World:
    """A network with a latency of one millisecond."""
    network = LoopbackNetwork(latency=1e-3, seed=seed)
    tester, dut = network.fabric("tester"), network.fabric("dut")
    world = World(network, tester, dut, dut.listen(Address("dut", 20049)))
    dut.attach(world.step)
    return world


@pytest.fixture(scope="session")
def make_world() -> Callable[..., World]:
    """For tests that need several, or one an example."""
    return build_world


@pytest.fixture
def world() -> World:
    return build_world()
