"""A whole network in process: the same run every time."""

from __future__ import annotations

from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.fabric.segments import one_segment
from rpcrdma.roce.network import RoceNetwork
from rpcrdma.roce.parts import USUAL, RoceParts
from rpcrdma.roce.transport.requester import TransportRequester


def frames(seed: int) -> list[bytes]:
    """What is on the wire when two connect and say something."""
    network = RoceNetwork(seed=seed)
    parameters = ConnectionParameters(initial_receives=(one_segment(64),))
    with network.fabric("tester") as tester, network.fabric("dut") as dut:
        listener = dut.listen(Address(network.host("dut"), 20049))

        def step() -> None:
            if (request := listener.accept(0)) is not None:
                request.accept(parameters, 1.0)

        dut.attach(step)
        connection = tester.connect(listener.address, parameters, 1.0)
        connection.post_send(b"hello")
        connection.poll(1.0)
        return [frame.octets for frame in tester.trace.frames]


def test_seed_determines_every_octet() -> None:
    """The same seed, the same frames; another one, others."""
    assert frames(1) == frames(1)
    assert frames(1) != frames(2)


def test_sides_keep_their_addresses() -> None:
    """Whoever asks first is first."""
    network = RoceNetwork()

    assert network.host("dut", "wherever") == network.host("dut")
    assert network.host("tester") != network.host("dut")


def test_handles_come_from_the_network() -> None:
    """A device may hand them out badly: all fabrics share what was chosen."""

    class Odd(HandleAllocator):
        """Like any other."""

    network = RoceNetwork(make_allocator=Odd)
    with network.fabric("dut") as dut:
        assert type(network.allocator) is Odd
        assert dut.device.allocator is network.allocator


def test_the_device_s_side_may_be_made_of_other_parts() -> None:
    """That of the tester is as it should be."""

    class Other(TransportRequester):
        """Like any other."""

    network = RoceNetwork(dut=RoceParts(requester=Other))
    with network.fabric("tester") as tester, network.fabric("dut") as dut:
        assert dut.parts.requester is Other
        assert tester.parts == USUAL


def test_everybody_has_a_turn_at_a_planned_moment() -> None:
    """Also if nothing is sent."""
    network = RoceNetwork()
    seen: list[float] = []
    with network.fabric("tester") as tester, network.fabric("dut") as dut:
        dut.attach(lambda: seen.append(network.clock.now()))
        network.wake_at(2.0)
        tester.device.wait(lambda: False, 3.0)

    assert 2.0 in seen
