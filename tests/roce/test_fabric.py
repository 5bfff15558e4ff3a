"""The fabric: names, ports, refusals, and what it sees on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import ConnectionRejected, DeadlineExceeded, DeviceUnavailable, FabricError
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.trace import EventKind, Side, Trace
from rpcrdma.roce.link.faults import FrameFaults
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


def test_time_in_which_a_lost_request_is_owed_does_not_count(world: RoceWorld) -> None:
    """It is sent again after 268 ms, more than the caller has time for."""
    world.tester.wire.inject(FrameFaults.parse("sent.ANY.1=drop"), patiently=True)

    connection = world.tester.connect(world.address, ConnectionParameters(), 0.1)

    assert connection.connected
    assert world.tester.clock.now() < 0.1 < world.network.clock.now()
    # The trace has the time of the frames.
    assert world.tester.trace.events[-1].time == world.tester.trace.frames[-1].time


def test_silence_does_not_begin_before_a_lost_message_has_come(world: RoceWorld) -> None:
    connection = world.connect()
    world.drain(connection, 0.01)
    world.tester.wire.inject(FrameFaults.parse("received.SEND_ONLY.1=drop"), patiently=True)
    world.accepted[0].post_send(b"late")

    assert [done.data for done in world.drain(connection, 0.05)] == [b"late"]


def test_a_poll_is_no_longer_than_it_was_asked_for(world: RoceWorld) -> None:
    """But for a moment, lest whoever waits by the clock that stands asks without end."""
    connection = world.connect()
    world.tester.wire.inject(FrameFaults.parse("sent.loss=1"), patiently=True)
    connection.post_send(b"lost")
    began = world.network.clock.now()
    assert connection.poll(0.0) == []
    assert world.network.clock.now() == pytest.approx(began, abs=1e-4)

    assert connection.poll(1e-6) == []

    assert world.network.clock.now() == pytest.approx(began + 0.005, abs=1e-4)


def test_a_connection_that_has_ended_is_owed_nothing(world: RoceWorld) -> None:
    connection = world.connect()
    world.tester.wire.inject(FrameFaults.parse("sent.SEND_ONLY.1=drop"), patiently=True)
    connection.post_send(b"lost")
    assert world.tester.wire.owed

    world.accepted[0].disconnect()
    world.drain(connection, 0.01)

    assert not connection.connected
    assert not world.tester.wire.owed


def test_a_lost_message_gets_there_before_the_end(world: RoceWorld) -> None:
    """An end that came at once would be another story for the peer."""
    connection = world.connect()
    world.tester.wire.inject(FrameFaults.parse("sent.SEND_ONLY.1=drop"), patiently=True)
    connection.post_send(b"last words")

    connection.disconnect()

    assert world.accepted[0].poll(0.01)[0].data == b"last words"


def test_a_calm_fabric_has_no_faults_and_is_owed_nothing(world: RoceWorld) -> None:
    connection = world.connect()
    world.tester.wire.inject(FrameFaults.parse("sent.SEND_ONLY.1=drop"), patiently=True)
    connection.post_send(b"lost")

    world.tester.calm()

    assert not world.tester.wire.owed
    assert str(world.tester.wire.faults) == ""
    assert world.network.clock.now() < 1.0


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
