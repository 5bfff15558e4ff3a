"""The responder's half: Receives, memory and what is said of them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode, WorkId
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.loopback_responder import Executed, LoopbackResponder, LoopbackWork
from rpcrdma.fabric.memory import HandleAllocator, ProtectionDomain
from rpcrdma.fabric.recorder import Recorder
from rpcrdma.fabric.segments import one_segment
from rpcrdma.fabric.trace import EventKind, Side, Trace

READ, WRITE = Access.REMOTE_READ, Access.REMOTE_WRITE


@dataclass
class Place:
    """A responder with room for two Receives."""

    domain: ProtectionDomain
    responder: LoopbackResponder
    trace: Trace


@pytest.fixture
def place() -> Place:
    fabric = LoopbackNetwork().fabric("dut")
    domain = ProtectionDomain(HandleAllocator(1))
    return Place(domain, LoopbackResponder(domain, Recorder(fabric), 2), fabric.trace)


def send(data: bytes, invalidate: int | None = None) -> LoopbackWork:
    return LoopbackWork(WorkId(9), Opcode.SEND, 0, 7, len(data), data=data, invalidate=invalidate)


def test_only_a_send_needs_a_receive(place: Place) -> None:
    """Reads and Writes are served without."""
    assert not place.responder.is_ready(send(b""))
    assert place.responder.is_ready(LoopbackWork(WorkId(9), Opcode.RDMA_READ, 0, 7, 4))
    place.responder.post_receive(WorkId(1), one_segment(8))
    assert place.responder.is_ready(send(b""))


def test_no_more_receives_than_the_depth(place: Place) -> None:
    """The third of two is refused."""
    place.responder.post_receive(WorkId(1), one_segment(8))
    place.responder.post_receive(WorkId(2), one_segment(8))

    with pytest.raises(FabricError, match="2 Receives are posted"):
        place.responder.post_receive(WorkId(3), one_segment(8))


def test_send_completes_the_oldest_receive(place: Place) -> None:
    """With the message and its length."""
    place.responder.post_receive(WorkId(1), one_segment(8))
    place.responder.post_receive(WorkId(2), one_segment(8))

    executed = place.responder.execute(send(b"abc"))

    ok = CompletionStatus.SUCCESS
    assert executed == Executed(ok, b"", Completion(WorkId(1), Opcode.RECEIVE, ok, 3, b"abc"))


def test_too_long_a_send_fails_at_both_ends(place: Place) -> None:
    """Each has its own word for it, and the trace says the sizes."""
    place.responder.post_receive(WorkId(1), one_segment(2))

    executed = place.responder.execute(send(b"abc"))

    assert executed.status is CompletionStatus.REMOTE_INVALID_REQUEST
    assert executed.completion == Completion(
        WorkId(1), Opcode.RECEIVE, CompletionStatus.LOCAL_LENGTH_ERROR
    )
    assert place.trace.events[-1].detail == "Send: 3 octets for a Receive of 2"


def test_send_with_invalidate_ends_the_handle(place: Place) -> None:
    """And the trace says so, after the message."""
    region = place.domain.register(8, READ)
    place.responder.post_receive(WorkId(1), one_segment(8))

    executed = place.responder.execute(send(b"abc", region.handle))

    assert executed.completion is not None
    assert executed.completion.invalidated == region.handle
    assert not region.valid
    told = [(event.side, event.kind, event.handle) for event in place.trace.events[-2:]]
    assert told == [
        (Side.PEER, EventKind.SEND, region.handle),
        (Side.PEER, EventKind.INVALIDATE, region.handle),
    ]


def test_send_with_invalidate_of_nothing_fails_at_both_ends(place: Place) -> None:
    """The message is not delivered."""
    place.responder.post_receive(WorkId(1), one_segment(8))

    executed = place.responder.execute(send(b"abc", 77))

    assert executed.status is CompletionStatus.REMOTE_ACCESS_ERROR
    assert executed.completion == Completion(
        WorkId(1), Opcode.RECEIVE, CompletionStatus.LOCAL_QP_OPERATION_ERROR
    )
    assert place.trace.events[-1].detail == "Send: no such handle in this protection domain"


def test_read_takes_octets_and_write_places_them(place: Place) -> None:
    """At the offset that is named, counted from the region's address."""
    region = place.domain.register(8, READ | WRITE)
    where = region.offset + 2
    write = LoopbackWork(
        WorkId(9), Opcode.RDMA_WRITE, 0, 7, 3, b"abc", handle=region.handle, offset=where
    )
    read = LoopbackWork(
        WorkId(9), Opcode.RDMA_READ, 0, 7, 4, handle=region.handle, offset=where - 1
    )

    assert place.responder.execute(write) == Executed(CompletionStatus.SUCCESS)
    assert place.responder.execute(read) == Executed(CompletionStatus.SUCCESS, b"\0abc")
    assert region.read() == b"\0\0abc\0\0\0"


@pytest.mark.parametrize("opcode", [Opcode.RDMA_READ, Opcode.RDMA_WRITE])
def test_denied_access_is_an_error_for_the_initiator(place: Place, opcode: Opcode) -> None:
    """And changes nothing; of no octets, nothing is looked at."""
    region = place.domain.register(4, Access.LOCAL_WRITE)
    denied = LoopbackWork(
        WorkId(9), opcode, 0, 7, 4, b"abcd", handle=region.handle, offset=region.offset
    )
    empty = LoopbackWork(WorkId(9), opcode, 0, 7, 0, handle=12345)

    assert place.responder.execute(denied) == Executed(CompletionStatus.REMOTE_ACCESS_ERROR)
    assert region.read() == bytes(4)
    assert place.trace.events[-1].detail == (
        f"{opcode.value}: the region was not registered for this access"
    )
    assert place.responder.execute(empty) == Executed(CompletionStatus.SUCCESS)


def test_flush_gives_up_every_receive_once(place: Place) -> None:
    """In the order of posting."""
    place.responder.post_receive(WorkId(1), one_segment(8))
    place.responder.post_receive(WorkId(2), one_segment(8))

    flushed = CompletionStatus.FLUSHED
    assert place.responder.flush() == [
        Completion(WorkId(1), Opcode.RECEIVE, flushed),
        Completion(WorkId(2), Opcode.RECEIVE, flushed),
    ]
    assert place.responder.flush() == []
