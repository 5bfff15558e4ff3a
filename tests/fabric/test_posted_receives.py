"""Posted Receives: their order and depth, and messages that they take or cannot."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode, WorkId
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.loopback_responder import LoopbackWork
from rpcrdma.fabric.memory import HandleAllocator, ProtectionDomain
from rpcrdma.fabric.posted_receives import PostedReceives, note_failed_request, note_failed_work
from rpcrdma.fabric.recorder import Recorder
from rpcrdma.fabric.segments import Placement, ReceiveSegment, one_segment
from rpcrdma.fabric.trace import EventKind, Side, Trace

OK = CompletionStatus.SUCCESS


@dataclass
class Queue:
    """Room for two Receives."""

    domain: ProtectionDomain
    recorder: Recorder
    receives: PostedReceives
    trace: Trace


@pytest.fixture
def queue() -> Queue:
    fabric = LoopbackNetwork().fabric("dut")
    domain = ProtectionDomain(HandleAllocator(1))
    recorder = Recorder(fabric)
    return Queue(domain, recorder, PostedReceives(domain, recorder, 2), fabric.trace)


def test_no_more_than_the_depth_and_the_oldest_first(queue: Queue) -> None:
    """The third of two is refused; `room` is that of the oldest."""
    queue.receives.post(WorkId(1), one_segment(8))
    queue.receives.post(WorkId(2), one_segment(16))
    with pytest.raises(FabricError, match="2 Receives are posted"):
        queue.receives.post(WorkId(3), one_segment(8))

    assert (len(queue.receives), queue.receives.room) == (2, 8)
    assert queue.receives.deliver(b"abc", None) == (
        OK,
        Completion(WorkId(1), Opcode.RECEIVE, OK, 3, b"abc"),
    )
    assert (len(queue.receives), queue.receives.room) == (1, 16)


def test_scattered_message_is_where_the_segments_are(queue: Queue) -> None:
    """And the trace says what landed where."""
    region = queue.domain.register(8, Access.LOCAL_WRITE)
    queue.receives.post(WorkId(1), (ReceiveSegment(2), ReceiveSegment(4, region, 1)))

    status, completion = queue.receives.deliver(b"abcde", None)

    placed = (Placement(None, 2), Placement(region.offset + 1, 3))
    assert (status, completion.placed) == (OK, placed)
    assert region.read() == b"\0cde\0\0\0\0"
    assert queue.trace.events[-1].placed == placed


def test_aligned_memory_has_an_address_from_its_posting_on(queue: Queue) -> None:
    """Told by the trace at once, and another one for each Receive."""
    segments = (ReceiveSegment(2), ReceiveSegment(4, align=4096))
    for number in (1, 2):
        queue.receives.post(WorkId(number), segments)
    posted = [event.placed for event in queue.trace.events]

    arrived = [queue.receives.deliver(b"abcde", None)[1].placed for _ in range(2)]

    addresses = [placed[1].address for placed in posted]
    assert [[one.address for one in placed] for placed in arrived] == [
        [None, address] for address in addresses
    ]
    assert [[one.length for one in placed] for placed in arrived] == [[2, 3]] * 2
    assert len(set(addresses)) == 2
    assert all(address is not None and address % 4096 == 0 for address in addresses)


FAILURES = {
    "too long": (b"123456789", None, "LOCAL_LENGTH_ERROR", "REMOTE_INVALID_REQUEST"),
    "no such handle": (b"1", 77, "LOCAL_QP_OPERATION_ERROR", "REMOTE_ACCESS_ERROR"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_message_that_cannot_be_taken_fails_at_both_ends(queue: Queue, name: str) -> None:
    """Each end has its own word, the trace the reason."""
    data, invalidate, here, there = FAILURES[name]
    queue.receives.post(WorkId(1), one_segment(8))

    status, completion = queue.receives.deliver(data, invalidate)

    assert status is CompletionStatus[there]
    assert completion == Completion(WorkId(1), Opcode.RECEIVE, CompletionStatus[here])
    event = queue.trace.events[-1]
    assert (event.side, event.kind, event.handle) == (Side.PEER, EventKind.FAILURE, invalidate)
    assert event.detail.startswith("Send: ")
    assert not queue.receives


def test_memory_that_may_not_be_written_takes_no_message(queue: Queue) -> None:
    """Not in part, either."""
    good = queue.domain.register(4, Access.LOCAL_WRITE)
    bad = queue.domain.register(4, Access.REMOTE_READ)
    queue.receives.post(WorkId(1), (ReceiveSegment(4, good), ReceiveSegment(4, bad)))

    status, completion = queue.receives.deliver(b"abcdefgh", None)

    assert status is CompletionStatus.REMOTE_OPERATION_ERROR
    assert completion.status is CompletionStatus.LOCAL_PROTECTION_ERROR
    assert good.read() == bad.read() == bytes(4)


def test_flush_gives_up_every_receive_once(queue: Queue) -> None:
    """In the order of posting."""
    queue.receives.post(WorkId(1), one_segment(8))
    queue.receives.post(WorkId(2), one_segment(8))

    flushed = CompletionStatus.FLUSHED
    assert queue.receives.flush() == [
        Completion(WorkId(1), Opcode.RECEIVE, flushed),
        Completion(WorkId(2), Opcode.RECEIVE, flushed),
    ]
    assert queue.receives.flush() == []


def test_failed_request_is_told_with_its_kind(queue: Queue) -> None:
    """Before the reason."""
    note_failed_request(
        queue.recorder, Side.LOCAL, Opcode.RDMA_READ, "why", handle=1, offset=2, length=3
    )

    event = queue.trace.events[-1]
    assert (event.side, event.detail) == (Side.LOCAL, "RDMA Read: why")
    assert (event.handle, event.offset, event.length) == (1, 2, 3)


@pytest.mark.parametrize(
    ("opcode", "handle", "offset"), [(Opcode.SEND, 4, None), (Opcode.RDMA_READ, 1, 2)]
)
def test_failed_work_is_told_with_what_it_names(
    queue: Queue, opcode: Opcode, handle: int, offset: int | None
) -> None:
    """A Send names the handle that it would have ended, any other work the peer's memory."""
    work = LoopbackWork(WorkId(1), opcode, 0, 7, 3, invalidate=4, handle=1, offset=2)
    note_failed_work(queue.recorder, Side.PEER, work, "why")

    event = queue.trace.events[-1]
    assert (event.side, event.detail) == (Side.PEER, f"{opcode.value}: why")
    assert (event.handle, event.offset, event.length) == (handle, offset, 3)
