"""One connection of a client: memory, messages, and its end."""

from __future__ import annotations

from typing import Any

from conformance.tester.server import ReplyPlacement, Welcome
from conformance.tester.server.line import MOST_FETCHED
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.fabric.segments import one_segment
from rpcrdma.wire import RdmaSegment
from targets.base import ActKind

Facing = Any

DEADLINE = 1.0


def offered(facing: Facing) -> tuple[Any, RdmaSegment]:
    """A held call that offers memory for a result of 4000 octets, and that memory."""
    facing.begin(ActKind.READ, 4000)
    call = facing.service.next_call()
    return call, call.writes[0].target[0]


def test_writes_to_memory_that_was_offered(facing: Facing) -> None:
    _, segment = offered(facing)

    status = facing.service.line.write(segment, b"octets", DEADLINE)

    assert status is CompletionStatus.SUCCESS


def test_a_write_beyond_what_was_offered_breaks_the_connection(facing: Facing) -> None:
    _, segment = offered(facing)
    line = facing.service.line

    status = line.write(segment, bytes(4001), DEADLINE)

    assert status is CompletionStatus.REMOTE_ACCESS_ERROR
    assert not line.connected
    assert line.lost == "RDMA Write: remote access error"
    assert line.write(segment, b"", DEADLINE) is None
    assert line.read(segment, DEADLINE) is None


def test_memory_for_results_cannot_be_read(facing: Facing) -> None:
    _, segment = offered(facing)

    status = facing.service.line.read(segment, DEADLINE)

    assert status is CompletionStatus.REMOTE_ACCESS_ERROR


def test_fetches_segment_by_segment(facing: Facing) -> None:
    facing.begin(ActKind.WRITE, 4000)
    call = facing.service.next_call()
    (read,) = call.reads
    handle, length, offset = read.target.handle, read.target.length, read.target.offset
    halves = RdmaSegment(handle, 1000, offset), RdmaSegment(handle, length - 1000, offset + 1000)

    whole = facing.service.line.fetch((read.target,), DEADLINE)

    assert facing.service.line.fetch(halves, DEADLINE) == whole
    assert facing.service.line.fetch((RdmaSegment(handle, 0, offset),), DEADLINE) == b""


def test_does_not_fetch_more_than_any_call_can_be(facing: Facing) -> None:
    facing.do(ActKind.SMALL)
    line = facing.service.line

    assert line.fetch((RdmaSegment(1, MOST_FETCHED + 1, 0),), DEADLINE) is None
    assert line.connected


def test_what_cannot_be_fetched_breaks_the_connection(facing: Facing) -> None:
    facing.do(ActKind.SMALL)
    line = facing.service.line

    assert line.fetch((RdmaSegment(1, 10, 0),), DEADLINE) is None
    assert not line.connected
    assert line.fetch((RdmaSegment(1, 10, 0),), DEADLINE) is None


def test_on_a_lost_connection_nothing_raises(facing: Facing) -> None:
    facing.do(ActKind.SMALL)
    line = facing.service.line
    line.drop()

    line.send(b"octets")
    line.post_receives(1)
    line.place([ReplyPlacement(1, 2, b"octets")])

    assert line.poll(0.0) is None
    assert line.lost == "by the tester"


def test_a_welcome_says_how_connections_are_accepted() -> None:
    parameters = Welcome(private_data=b"hello", receives=3, receive_length=2048).parameters

    assert parameters.private_data == b"hello"
    assert parameters.initial_receives == (one_segment(2048),) * 3
