"""Networks in process, by name."""

from __future__ import annotations

import pytest

from rpcrdma.fabric.base import Access, Address, ConnectionParameters
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.roce.parts import RoceParts
from targets.base import TargetError
from targets.in_process import make_network, require_switch, usage_of_fabric
from targets.usage import Resource, Usage


@pytest.mark.parametrize("name", ["loopback", "switch"])
def test_tester_reaches_the_device(name: str) -> None:
    """By the address that the network gives it."""
    network = make_network(name)
    with network.fabric("tester") as tester, network.fabric("dut") as dut:
        listener = dut.listen(Address(network.host("dut", "somewhere"), 20049))

        def step() -> None:
            if (request := listener.accept(0)) is not None:
                request.accept(ConnectionParameters(), 1.0)

        dut.attach(step)

        assert tester.connect(listener.address, ConnectionParameters(), 1.0).connected


@pytest.mark.parametrize("name", ["loopback", "switch"])
def test_handles_are_handed_out_as_is_wished(name: str) -> None:
    """Devices may do that badly."""

    class Worse(HandleAllocator):
        """Like any other."""

    assert type(make_network(name, Worse).allocator) is Worse


@pytest.mark.parametrize("name", ["loopback", "roce", "verbs"])
def test_a_transport_of_its_own_needs_the_switch(name: str) -> None:
    """Elsewhere it would not be used, and a mutant would be a good device."""
    require_switch(None, name)
    require_switch(RoceParts(), "switch")

    with pytest.raises(TargetError, match=f"use --fabric switch, not {name}"):
        require_switch(RoceParts(), name)


def test_regions_that_a_device_holds_are_counted_on_loopback_alone() -> None:
    network = make_network("loopback")
    fabric, tester = network.fabric("dut"), network.fabric("tester")
    listener = tester.listen(Address("tester", 7))

    def step() -> None:
        if (request := listener.accept(0)) is not None:
            request.accept(ConnectionParameters(), 1.0)

    tester.attach(step)
    connection = fabric.connect(listener.address, ConnectionParameters(), 1.0)
    connection.register(300, Access.LOCAL_WRITE)

    assert usage_of_fabric(fabric) == Usage(((Resource.REGIONS, 1), (Resource.REGISTERED, 300)))
    assert usage_of_fabric(tester) == Usage(((Resource.REGIONS, 0), (Resource.REGISTERED, 0)))
    assert usage_of_fabric(make_network("switch").fabric("dut")) is None
