"""The driver: what it does for each action, and what it reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.endpoint.core import actions, events
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.driver import SEND_DEPTH, Driver, parameters_for
from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS, Reductions
from rpcrdma.errors import ConnectionLost, FabricError
from rpcrdma.fabric.base import Access
from rpcrdma.fabric.clock import VirtualClock
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode, WorkId
from rpcrdma.fabric.segments import ReceiveSegment, one_segment
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
)

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import Event
    from rpcrdma.fabric.segments import Segments


class Region:
    """Memory that only remembers."""

    handle, offset = 9, 64

    def __init__(self, length: int, access: Access) -> None:
        self.octets = bytearray(length)
        self.access = access
        self.valid = True

    def write(self, data: bytes) -> None:
        self.octets[: len(data)] = data

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        assert not self.valid, "memory is looked at while the peer may still reach it"
        return bytes(self.octets[start : None if length is None else start + length])


class Wire:
    """A connection that completes what it is told to, in whichever way."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.connected = True
        self.bears_invalidation = True
        self.closed = 0
        self.broken: type[FabricError] | None = None
        self.posted: list[tuple[object, ...]] = []
        self.ready: list[Completion] = []
        self.regions: list[Region] = []
        self.stuck = False
        self.signalled: list[bool] = []

    def _post(self, *work: object) -> WorkId:
        if self.broken:
            raise self.broken("planted")
        self.posted.append(work)
        return WorkId(len(self.posted))

    def post_receive(self, segments: Segments) -> WorkId:
        return self._post("receive", segments)

    def post_send(
        self, data: bytes, *, invalidate: int | None = None, signalled: bool = True
    ) -> WorkId:
        self.signalled.append(signalled)
        return self._post("send", data)

    def post_rdma_read(self, region: Region, *transfer: int) -> WorkId:
        region.octets[transfer[0] : transfer[0] + transfer[1]] = b"r" * transfer[1]
        return self._post("read", *transfer)

    def post_rdma_write(self, region: Region, *transfer: int) -> WorkId:
        start, length = transfer[:2]
        return self._post("write", bytes(region.octets[start : start + length]), *transfer[2:])

    def register(self, length: int, access: Access) -> Region:
        if self.broken:
            raise self.broken("planted")
        self.regions.append(Region(length, access))
        return self.regions[-1]

    def invalidate(self, region: Region) -> None:
        if self.stuck:
            raise FabricError("planted")
        region.valid = False

    def complete(self, number: int, opcode: Opcode, status: str = "SUCCESS") -> None:
        self.ready.append(Completion(WorkId(number), opcode, CompletionStatus[status]))

    def poll(self, _timeout: float) -> list[Completion]:
        ready, self.ready = self.ready, []
        return ready

    def disconnect(self) -> None:
        self.connected = False

    def close(self) -> None:
        self.closed += 1


class Script:
    """A role that notes events and answers each with the actions prepared for its type."""

    initial_receives = (1024, 1024)
    later_receives = 0
    reductions = NO_REDUCTIONS

    def __init__(self) -> None:
        self.told: list[Event] = []
        self.answers: dict[type[Event], list[Action]] = {}
        kinds = (
            events.Connected,
            events.MessageReceived,
            events.ReadCompleted,
            events.WorkFailed,
            events.Registered,
            events.RegistrationFailed,
            events.Invalidated,
            events.Disconnected,
        )
        self.handlers = dict.fromkeys(kinds, self.note)

    def note(self, event: Event, _now: float) -> list[Action]:
        self.told.append(event)
        return self.answers.pop(type(event), [])


class Bench:
    """A driver between a script and a wire."""

    def __init__(self, role: Script | None = None) -> None:
        self.role, self.wire = role or Script(), Wire()
        self.driver = Driver(self.wire, Endpoint(self.role))
        self.role.told.clear()

    def do(self, *wanted: Action, invalidated: int | None = None) -> list[Event]:
        """Have the role want this; what it was told because of it."""
        self.role.answers[events.MessageReceived] = list(wanted)
        ok = CompletionStatus.SUCCESS
        message = Completion(WorkId(0), Opcode.RECEIVE, ok, 1, b"m", invalidated)
        self.wire.ready.append(message)
        self.driver.step()
        told, self.role.told[:] = self.role.told[1:], []
        return told

    def completed(self, number: int, opcode: Opcode, status: str = "SUCCESS") -> list[Event]:
        self.wire.complete(number, opcode, status)
        self.driver.step()
        told, self.role.told[:] = self.role.told[:], []
        return told


def test_a_connection_gets_the_receives_of_its_role() -> None:
    """Posted before the peer can send; the queue has room for those that replace them."""
    parameters = parameters_for(Script(), b"private")
    assert parameters.initial_receives == (one_segment(1024),) * 2
    assert parameters.receive_segments == 1
    assert parameters.receive_depth > 2
    assert (parameters.private_data, parameters.send_depth) == (b"private", SEND_DEPTH)


def test_work_beyond_the_send_queue_waits_and_keeps_its_order() -> None:
    """Writes stay in front of their Send (rfc8166 3.5.2) even when there is no room."""
    bench = Bench()
    bench.do(*(actions.Send(key, bytes([key])) for key in range(SEND_DEPTH - 1)))
    write = actions.RdmaWrite(
        1, b"abcd", (actions.Transfer(0, 2, 5, 0), actions.Transfer(2, 2, 6, 8))
    )
    bench.do(write, actions.Send(2, b"last"))
    assert len(bench.wire.posted) == SEND_DEPTH
    for number in (1, 2):
        assert bench.completed(number, Opcode.SEND) == []
    assert bench.wire.posted[SEND_DEPTH - 1 :] == [
        ("write", b"ab", 5, 0),
        ("write", b"cd", 6, 8),
        ("send", b"last"),
    ]


def test_one_send_of_sixteen_is_signalled_and_speaks_for_those_before_it() -> None:
    """Nobody is woken for the others, and the queue is never full of what is not told."""
    bench = Bench()
    bench.do(*(actions.Send(key, b"m") for key in range(SEND_DEPTH + 3)))
    assert bench.wire.signalled == ([False] * 15 + [True]) * (SEND_DEPTH // 16)
    bench.completed(16, Opcode.SEND)
    assert len(bench.wire.posted) == SEND_DEPTH + 3
    bench.do(*(actions.Send(key, b"m") for key in range(14)))
    assert len(bench.wire.posted) == SEND_DEPTH + 16  # and one waits


def test_a_read_is_reported_when_all_its_transfers_are_done_and_its_memory_is_safe() -> None:
    """rfc8166 4.4.1; `Region.read` refuses while the memory is registered."""
    bench = Bench()
    schedule = (actions.Transfer(0, 2, 5, 0), actions.Transfer(2, 1, 6, 0))
    bench.do(actions.RdmaRead(7, 3, schedule))
    assert bench.completed(1, Opcode.RDMA_READ) == []
    assert bench.completed(2, Opcode.RDMA_READ) == [events.ReadCompleted(7, b"rrr")]
    assert bench.wire.regions[0].access is Access.LOCAL_WRITE


@pytest.mark.parametrize("opcode", [Opcode.SEND, Opcode.RDMA_READ])
def test_work_that_fails_is_reported_by_its_key_and_what_is_flushed_is_not(opcode: Opcode) -> None:
    """rfc8166 4.5.3 and 4.5.4: the first failure is the cause, the flush its consequence."""
    bench = Bench()
    one = actions.Transfer(0, 1, 5, 0)
    bench.do(actions.Send(7, b"m") if opcode is Opcode.SEND else actions.RdmaRead(7, 1, (one,)))
    bench.do(actions.Send(8, b"m"))
    status = CompletionStatus.REMOTE_ACCESS_ERROR
    assert bench.completed(1, opcode, status.name) == [events.WorkFailed(7, status.value)]
    assert bench.completed(2, Opcode.SEND, "FLUSHED") == []


def test_memory_is_registered_filled_and_named() -> None:
    """The endpoint learns how the peer names it; the octets are there before that."""
    bench = Bench()
    told = bench.do(actions.Register(3, 4, Access.REMOTE_READ, b"ab"))
    assert told == [events.Registered(3, 9, 64)]
    assert bytes(bench.wire.regions[0].octets) == b"ab\0\0"


def test_a_registration_that_fails_is_reported() -> None:
    """rfc8166 4.5.4: also for the memory of RDMA operations of our own."""
    bench = Bench()
    bench.wire.broken = FabricError
    told = bench.do(actions.Register(3, 4, Access.REMOTE_READ))
    assert told == [events.RegistrationFailed(3, "planted")]
    told = bench.do(actions.RdmaRead(4, 1, (actions.Transfer(0, 1, 5, 0),)))
    assert told == [events.WorkFailed(4, "planted")]


def test_memory_is_looked_at_only_after_it_was_invalidated() -> None:
    """rfc8166 4.4.1."""
    bench = Bench()
    bench.do(actions.Register(3, 4, Access.REMOTE_WRITE, b"abcd"))
    assert bench.do(actions.Invalidate(3, 2)) == [events.Invalidated(3, b"ab")]


def test_memory_that_cannot_be_invalidated_is_not_looked_at() -> None:
    """rfc8166 4.5.4: the endpoint is told that it is not safe."""
    bench = Bench()
    bench.do(actions.Register(3, 4, Access.REMOTE_WRITE, b"abcd"))
    bench.wire.stuck = True
    assert bench.do(actions.Invalidate(3, 2)) == [events.Invalidated(3, b"", failed=True)]


def test_the_role_learns_what_the_connection_bears() -> None:
    """xcharext 3.2: whether the peer can invalidate memory is the device's to say."""
    for bears in (True, False):
        wire, role = Wire(), Script()
        wire.bears_invalidation = bears
        Driver(wire, Endpoint(role))
        assert role.told == [events.Connected(bears)]


def test_memory_that_a_message_invalidates_is_named_by_its_key_and_forgotten() -> None:
    """xcharext 3.2: its octets go up, and nobody invalidates it a second time."""
    bench = Bench()
    bench.do(actions.Register(3, 4, Access.REMOTE_WRITE, b"abcd"))
    (region,) = bench.wire.regions
    region.valid = False  # by the device
    bench.wire.stuck = True  # to invalidate it now would fail
    told = bench.do(actions.Forget(3, 2), invalidated=region.handle)
    assert told == [events.Invalidated(3, b"ab")]


def test_a_message_that_invalidates_memory_of_no_call_that_it_ends_ends_the_connection() -> None:
    """D-80: the Call that offers the memory goes on, and nothing can come of it."""
    bench = Bench()
    bench.do(actions.Register(3, 4, Access.REMOTE_WRITE))
    told = bench.do(invalidated=bench.wire.regions[0].handle)
    assert told == [events.WorkFailed(3, "the peer invalidated memory that is in use")]


def test_a_message_that_invalidates_nothing_of_the_roles_is_a_message() -> None:
    """What else the peer could name is not this role's to miss."""
    assert Bench().do(invalidated=4711) == []


def test_a_connection_that_is_lost_while_posting_is_an_end_and_no_exception() -> None:
    """The role hears of it once, by Disconnected."""
    bench = Bench()
    bench.wire.broken = ConnectionLost
    assert bench.do(actions.PostReceive.of(1024), actions.Send(1, b"m")) == []
    bench.wire.connected = False
    assert bench.driver.step()
    assert [type(event) for event in bench.role.told] == [events.Disconnected]
    assert bench.driver.gone
    assert not bench.driver.step()


def test_a_receive_of_one_part_is_memory_of_the_fabric() -> None:
    """Which is all that most Receives are."""
    bench = Bench()
    bench.do(actions.PostReceive.of(1024))
    assert bench.wire.posted == [("receive", one_segment(1024))]


class Structured(Script):
    """A role whose Receives have a structure of three segments."""

    reductions = Reductions(
        structure=BufferStructure(
            1024,
            (
                BufferSegmentGroup(1, BufferSegment(24, 0, 0)),
                BufferSegmentGroup(2, BufferSegment(500, 4096, XMRSFLAG_DDP)),
            ),
        )
    )


def test_receives_of_a_role_are_laid_out_by_its_structure() -> None:
    """Those that are there before the connection, and those posted later, but for parts by key."""
    role = Structured()
    laid_out = (ReceiveSegment(24), *(ReceiveSegment(500, align=4096),) * 2)
    parameters = parameters_for(role)
    assert parameters.initial_receives == (laid_out,) * 2
    assert parameters.receive_segments == 4

    bench = Bench(role)
    parts = (actions.ReceivePart(1000), actions.ReceivePart(24))
    bench.do(*(actions.PostReceive.of(octets) for octets in (1023, 1024, 1025)))
    bench.do(actions.PostReceive(parts))
    assert bench.wire.posted == [
        ("receive", (*laid_out[:2], ReceiveSegment(499, align=4096))),
        ("receive", laid_out),
        ("receive", (*laid_out, ReceiveSegment(1))),
        ("receive", (ReceiveSegment(1000), ReceiveSegment(24))),
    ]


def test_parts_of_a_receive_are_segments_of_the_memory_that_their_keys_name() -> None:
    """In their order, beside such as are the fabric's own."""
    bench = Bench()
    bench.do(actions.Register(3, 8, Access.LOCAL_WRITE))
    parts = (actions.ReceivePart(28), actions.ReceivePart(4, 3, 2))
    bench.do(actions.PostReceive(parts))
    expected = (ReceiveSegment(28), ReceiveSegment(4, bench.wire.regions[0], 2))
    assert bench.wire.posted == [("receive", expected)]
    assert actions.PostReceive(parts).length == 32


def test_a_role_that_disconnects_gets_its_end() -> None:
    """In the next turn; and what waited is not sent any more."""
    bench = Bench()
    bench.do(*(actions.Send(key, b"m") for key in range(SEND_DEPTH + 1)))
    assert bench.do(actions.Disconnect("why")) == []
    assert bench.driver.step()
    assert [type(event) for event in bench.role.told] == [events.Disconnected]
    assert len(bench.wire.posted) == SEND_DEPTH


def test_closing_twice_ends_once() -> None:
    """The application is told once."""
    bench = Bench()
    bench.driver.close()
    bench.driver.close()
    assert [type(event) for event in bench.role.told] == [events.Disconnected]
    assert not bench.wire.connected


def test_what_is_delivered_waits_for_the_application() -> None:
    """In order."""
    bench = Bench()
    replies = [actions.ReplyReceived(token, b"") for token in (1, 2)]
    bench.do(*(actions.Deliver(reply) for reply in replies))
    assert list(bench.driver.delivered) == replies
