"""Recording the events of a connection."""

from __future__ import annotations

from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.recorder import Recorder
from rpcrdma.fabric.trace import EventKind, Side, Trace


def test_events_carry_number_and_time() -> None:
    """The number is the connection's, the time the clock's."""
    fabric = LoopbackNetwork().fabric("tester")
    recorders = [Recorder(fabric), Recorder(fabric)]
    recorders[1].note(Side.PEER, EventKind.SEND, data=b"abc")

    (event,) = fabric.trace.events
    assert (event.connection, event.time, event.length) == (2, 0.0, 3)


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
