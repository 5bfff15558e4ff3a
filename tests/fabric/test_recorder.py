"""Recording the events of a connection."""

from __future__ import annotations

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.clock import VirtualClock
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.memory import HandleAllocator, ProtectionDomain
from rpcrdma.fabric.recorder import Recorder, note_rejection
from rpcrdma.fabric.trace import EventKind, Side, Trace


def test_events_carry_number_and_time() -> None:
    """The number is the connection's, the time the clock's."""
    fabric = LoopbackNetwork().fabric("tester")
    recorders = [Recorder(fabric), Recorder(fabric)]
    recorders[1].note(Side.PEER, EventKind.SEND, data=b"abc")

    (event,) = fabric.trace.events
    assert (event.connection, event.time, event.length) == (2, 0.0, 3)


def test_another_clock_may_tell_the_time() -> None:
    """That of the frames, where the fabric's stands from time to time."""
    fabric, clock = LoopbackNetwork().fabric("tester"), VirtualClock()
    clock.advance_to(3.0)
    Recorder(fabric, clock).note(Side.LOCAL, EventKind.DISCONNECT)

    assert fabric.trace.events[0].time == 3.0


def test_length_may_be_given_without_octets() -> None:
    """What this side cannot see still has a length."""
    fabric = LoopbackNetwork().fabric("tester")
    Recorder(fabric).note(Side.LOCAL, EventKind.REGISTER, length=10)

    assert fabric.trace.events[0].length == 10


def test_connection_is_numbered_anew_in_a_new_trace() -> None:
    """A trace that is put in between cases starts at 1 again."""
    fabric = LoopbackNetwork().fabric("tester")
    Recorder(fabric)
    recorder = Recorder(fabric)
    fabric.trace = fresh = Trace()
    recorder.note(Side.LOCAL, EventKind.SEND)
    recorder.note(Side.LOCAL, EventKind.DISCONNECT)

    assert [event.connection for event in fresh.events] == [1, 1]
    assert fresh.connections == 1


def test_registered_memory_is_told_as_the_peer_names_it() -> None:
    """With the words of its access rights."""
    fabric = LoopbackNetwork().fabric("tester")
    region = ProtectionDomain(HandleAllocator(1)).register(
        8, Access.REMOTE_READ | Access.REMOTE_WRITE
    )
    Recorder(fabric).registered(region)

    (event,) = fabric.trace.events
    assert (event.side, event.kind) == (Side.LOCAL, EventKind.REGISTER)
    assert (event.handle, event.offset, event.length) == (region.handle, region.offset, 8)
    assert event.detail == "REMOTE_READ REMOTE_WRITE"


def test_rejection_belongs_to_no_connection() -> None:
    """None was made."""
    fabric = LoopbackNetwork().fabric("dut")
    note_rejection(fabric, b"no")

    (event,) = fabric.trace.events
    assert (event.connection, event.kind, event.data, event.length) == (
        0,
        EventKind.REJECT,
        b"no",
        2,
    )
