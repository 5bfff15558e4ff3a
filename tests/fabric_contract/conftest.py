"""Two connected fabrics for the contract suite, which knows nothing but the interface.

Loopback takes part always, and so does our own RoCEv2, over the switch in process and over UDP.  A
device takes part when `RPCRDMA_TEST_ADDRESS` holds an address that is on it (both ends are then in
this process, over a device talking to itself); `--fabric NAME` picks one when this folder is given
to pytest.
"""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.completion import Opcode
from rpcrdma.fabric.faults import VanishAfterSends
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.segments import one_segment
from rpcrdma.roce.fabric import RoceFabric
from rpcrdma.roce.link.udp import UdpLink
from rpcrdma.roce.network import RoceNetwork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpcrdma.fabric.base import Connection, ConnectionRequest, Fabric, Listener
    from rpcrdma.fabric.completion import Completion, WorkId

FABRICS = ("loopback", "switch", "roce", "verbs")
ADDRESS_VARIABLE = "RPCRDMA_TEST_ADDRESS"
DEADLINE = 30.0 * float(os.environ.get("RPCRDMA_TIMEOUT_FACTOR", "1"))
"""Seconds; a device's transport takes some by itself until it gives a silent peer up."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fabric", choices=FABRICS, help="run the contract on this one")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "fabric_pair" not in metafunc.fixturenames:
        return
    names = ["loopback", "switch", "roce"]
    if ADDRESS_VARIABLE in os.environ:
        names.append("verbs")
    chosen = metafunc.config.getoption("--fabric", default=None)
    metafunc.parametrize("fabric_pair", [chosen] if chosen else names, indirect=True)


@dataclass
class Ends:
    """Both ends of one connection."""

    active: Connection
    passive: Connection
    seen: dict[int, list[Completion]] = field(default_factory=dict)

    def completions(self, end: Connection, count: int) -> list[Completion]:
        """The next `count` completions of an end; fewer if they do not come in time."""
        found = self.seen.pop(id(end), [])
        deadline = end.clock.now() + DEADLINE
        while len(found) < count and (left := deadline - end.clock.now()) > 0:
            found += end.poll(left)
        self.seen[id(end)] = found[count:]
        return found[:count]

    def completion(self, end: Connection, work_id: WorkId) -> Completion:
        """The completion of one request; others that come before it are kept."""
        others: list[Completion] = []
        while found := self.completions(end, 1):
            if found[0].work_id == work_id:
                self.seen[id(end)] = others + self.seen[id(end)]
                return found[0]
            others += found
        pytest.fail(f"request {work_id} did not complete; these did: {others}")

    def received(self, end: Connection) -> Completion:
        """The next completion of a Receive."""
        others: list[Completion] = []
        while found := self.completions(end, 1):
            if found[0].opcode is Opcode.RECEIVE:
                self.seen[id(end)] = others + self.seen[id(end)]
                return found[0]
            others += found
        pytest.fail(f"no Receive completed; these did: {others}")

    def rest(self, end: Connection) -> list[Completion]:
        """Whatever completes until the connection is gone and all is reported."""
        found = self.seen.pop(id(end), [])
        deadline = end.clock.now() + DEADLINE
        while (left := deadline - end.clock.now()) > 0:
            more = end.poll(left)
            found += more
            if not more and not end.connected:
                break
        return found


@dataclass
class FabricPair:
    """An active and a passive fabric that reach each other."""

    active: Fabric
    passive: Fabric
    host: str
    make_vanish: Callable[[Connection], None]
    is_device: bool = False
    deadline: float = DEADLINE
    on_request: Callable[[ConnectionRequest], None] | None = None
    listener: Listener | None = None

    def memory(self, address: int, length: int) -> bytes | None:
        """The octets at an address of this process; None where addresses are simulated."""
        return ctypes.string_at(address, length) if self.is_device else None

    def listen(self) -> Listener:
        """Listen on the passive side; requests are served from inside the active side's waits."""
        self.listener = listener = self.passive.listen(Address(self.host, 0))

        def step() -> None:
            if self.on_request is not None and (request := listener.accept(0)) is not None:
                self.on_request(request)

        self.active.attach(step)
        return listener

    def connect(
        self,
        active: ConnectionParameters | None = None,
        passive: ConnectionParameters | None = None,
    ) -> Ends:
        """Make one more connection."""
        accepted: list[Connection] = []
        listener = self.listener or self.listen()
        parameters = passive or ConnectionParameters()
        self.on_request = lambda request: accepted.append(request.accept(parameters, DEADLINE))
        connection = self.active.connect(
            listener.address, active or ConnectionParameters(), DEADLINE
        )
        self.on_request = None
        return Ends(connection, accepted[0])


def local_pair() -> tuple[str, str]:
    """Two addresses of this host that no other process of a test run takes."""
    number = os.getpid()
    network = f"127.{number >> 16 & 0x3F}.{number >> 8 & 0xFF}"
    return f"{network}.{(number & 0x7E) + 1}", f"{network}.{(number & 0x7E) + 128}"


@pytest.fixture
def fabric_pair(request: pytest.FixtureRequest) -> Iterator[FabricPair]:
    """Two fabrics of the kind that the parameter names."""
    if request.param == "loopback":
        network = LoopbackNetwork(seed=1)
        with network.fabric("active") as active, network.fabric("passive") as passive:
            yield FabricPair(
                active,
                passive,
                "anywhere",
                lambda _: network.inject(VanishAfterSends("passive")),
            )
        return
    if request.param == "switch":
        switched = RoceNetwork(seed=1)
        with switched.fabric("active") as near, switched.fabric("passive") as far:
            yield FabricPair(near, far, switched.host("passive"), far.silence)
        return
    if request.param == "roce":
        # Both ends are in this thread, so that each has its turn while the other waits.
        hosts = local_pair()
        with RoceFabric(UdpLink(hosts[0])) as near, RoceFabric(UdpLink(hosts[1])) as far:
            near.attach(far.device.progress)
            far.attach(near.device.progress)
            yield FabricPair(near, far, hosts[1], far.silence)
        return
    address = os.environ.get(ADDRESS_VARIABLE)
    if address is None:
        pytest.fail(f"{ADDRESS_VARIABLE} must hold an address of the device")
    # Imported here: pyverbs is there only where a device can be.
    from rpcrdma.fabric.verbs import VerbsFabric

    with VerbsFabric(address) as active, VerbsFabric(address) as passive:
        yield FabricPair(active, passive, address, VerbsFabric.silence, is_device=True)


@pytest.fixture
def ends(fabric_pair: FabricPair) -> Ends:
    """One connection with four Receives of 256 octets posted at either end."""
    parameters = ConnectionParameters(initial_receives=(one_segment(256),) * 4)
    return fabric_pair.connect(parameters, parameters)
