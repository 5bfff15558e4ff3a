"""The fabric: names, ports, refusals, and what it sees on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import ConnectionRejected, DeadlineExceeded, DeviceUnavailable, FabricError
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.trace import EventKind, Side, Trace
from tests.roce.conftest import messages

if TYPE_CHECKING:
    from tests.roce.conftest import RoceWorld


def test_frames_of_a_case_are_in_its_trace(world: RoceWorld) -> None:
    """Both directions, from the first message of connection management on."""
    world.tester.trace = trace = Trace()
    connection = world.connect()
    connection.post_send(b"hello")
    world.drain(connection, 0.01)
    connection.close()
    world.tester.device.wait(lambda: False, 1.0)

    assert messages(trace.frames) == [
        "ConnectRequest",
        "ConnectReply",
        "ReadyToUse",
        "DisconnectRequest",
        "DisconnectReply",
    ]
    assert len(trace.frames) == 7  # a Send and its acknowledgement, too


def test_trace_that_keeps_nothing_keeps_no_frames(world: RoceWorld) -> None:
    """A process that serves for long must not collect for ever."""
    world.tester.trace = trace = Trace(keep=False)
    world.connect()

    assert trace.frames == []


def test_refusal_says_where_and_why(world: RoceWorld) -> None:
    """Nobody listens at the port."""
    where = Address(world.address.host, 9)

    with pytest.raises(ConnectionRejected, match=rf"{where}: nobody listens"):
        world.tester.connect(where, ConnectionParameters(), 1.0)

    assert (Side.PEER, EventKind.REJECT) in [
        (event.side, event.kind) for event in world.tester.trace.events
    ]


def test_host_that_is_not_there_is_given_up_at_the_deadline(world: RoceWorld) -> None:
    """No answer at all, though the request was repeated."""
    with pytest.raises(DeadlineExceeded, match=r"no answer from 192.0.2.99:1 within 1.0 s"):
        world.tester.connect(Address("192.0.2.99", 1), ConnectionParameters(), 1.0)

    assert world.tester.clock.now() == pytest.approx(1.0)


def test_port_is_taken_once(world: RoceWorld) -> None:
    """Twice at one port is an error; port 0 finds another one."""
    with pytest.raises(FabricError, match="somebody listens at"):
        world.dut.listen(world.address)

    assert world.dut.listen(Address(world.address.host, 0)).address.port != world.address.port


def test_address_of_somebody_else_is_no_place_to_listen(world: RoceWorld) -> None:
    """The sentence has both addresses."""
    with pytest.raises(DeviceUnavailable, match=r"192\.0\.2\.77 is not the address of this fabric"):
        world.dut.listen(Address("192.0.2.77", 1))


def test_closing_ends_everything_for_the_peer(world: RoceWorld) -> None:
    """Connections end in an orderly way; closing twice is allowed."""
    world.connect()
    world.tester.close()
    world.tester.close()

    assert world.drain(world.accepted[0])
    assert not world.accepted[0].connected
