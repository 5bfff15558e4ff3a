"""Queues, traces and order of one simulated connection; and a property test of all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import ConnectionLost, FabricError
from rpcrdma.fabric.base import Access, ConnectionParameters
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode
from rpcrdma.fabric.loopback_connection import RNR_DELAY
from rpcrdma.fabric.segments import one_segment
from rpcrdma.fabric.trace import EventKind, Side

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.loopback_connection import LoopbackConnection
    from tests.fabric.conftest import World

ALL = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE


# -- queues


def test_send_queue_has_its_depth(world: World) -> None:
    """One more than was asked for is refused, not lost."""
    connection = world.connect(ConnectionParameters(send_depth=2))
    connection.post_send(b"1")
    connection.post_send(b"2")

    with pytest.raises(FabricError, match="2 requests are posted"):
        connection.post_send(b"3")
    world.drain(connection, 0.1)
    connection.post_send(b"3")


def test_receive_queue_has_its_depth(world: World) -> None:
    """The same for Receives."""
    connection = world.connect(ConnectionParameters(receive_depth=1))
    connection.post_receive(one_segment(8))

    with pytest.raises(FabricError, match="1 Receives are posted"):
        connection.post_receive(one_segment(8))


# -- traces


def test_each_side_sees_what_the_peer_does_to_its_memory(world: World) -> None:
    """With the octets, unlike on a device."""
    connection = world.connect()
    region = connection.register(4, ALL)
    target = world.accepted[0].register(4, ALL)
    region.write(b"abcd")
    world.dut.trace.events.clear()
    connection.post_rdma_write(region, 0, 4, target.handle, target.offset)
    connection.post_rdma_read(region, 0, 2, target.handle, target.offset + 2)
    world.drain(connection, 0.1)

    write, read = world.dut.trace.events
    assert (write.side, write.kind, write.data) == (Side.PEER, EventKind.RDMA_WRITE, b"abcd")
    assert (read.side, read.kind, read.data) == (Side.PEER, EventKind.RDMA_READ, b"cd")
    assert (read.handle, read.offset, read.length) == (target.handle, target.offset + 2, 2)


def test_failures_say_why_at_either_end(world: World) -> None:
    """The initiator knows the status, the responder the rule that was broken."""
    connection = world.connect()
    region = connection.register(4, ALL)
    connection.post_rdma_write(region, 0, 4, 0xDEAD, 0xBEEF)
    world.drain(connection, 0.1)

    here, there = (
        next(event for event in trace.events if event.kind is EventKind.FAILURE)
        for trace in (world.tester.trace, world.dut.trace)
    )
    assert (here.side, here.detail) == (Side.LOCAL, "RDMA Write: remote access error")
    assert (there.side, there.handle, there.offset) == (Side.PEER, 0xDEAD, 0xBEEF)
    assert there.detail == "RDMA Write: no such handle in this protection domain"


def test_waiting_for_a_receive_is_traced_once(world: World) -> None:
    """However often it is tried again."""
    world.parameters = ConnectionParameters()
    connection = world.connect()
    connection.post_send(b"x")
    connection.poll(1.0)

    failures = [event for event in world.dut.trace.events if event.kind is EventKind.FAILURE]
    assert [event.detail for event in failures] == ["Send: no Receive is posted"]


def test_reads_into_a_region_invalidated_meanwhile_fail(world: World) -> None:
    """The owner's invalidation wins over a Read on its way."""
    connection = world.connect()
    region = connection.register(4, ALL)
    target = world.accepted[0].register(4, ALL)
    connection.post_rdma_read(region, 0, 4, target.handle, target.offset)
    connection.invalidate(region)

    assert world.drain(connection)[0].status is CompletionStatus.LOCAL_PROTECTION_ERROR


# -- failures


def test_message_that_may_not_wait_fails_behind_its_attempts(world: World) -> None:
    """Each attempt takes one delay; what is posted meanwhile is flushed."""
    world.parameters = ConnectionParameters()
    connection = world.connect(ConnectionParameters(rnr_retry=2))
    start = connection.clock.now()
    connection.post_send(b"one")
    connection.poll(RNR_DELAY / 2)
    connection.post_send(b"two")

    statuses = [done.status for done in world.drain(connection)]

    assert statuses == [CompletionStatus.RNR_RETRY_EXCEEDED, CompletionStatus.FLUSHED]
    assert 2 * RNR_DELAY < connection.clock.now() - start < 4 * RNR_DELAY
    assert not world.accepted[0].connected


def test_messages_posted_while_one_waits_arrive_once_and_in_order(world: World) -> None:
    """What was sent after it and dropped is sent again, not twice."""
    world.parameters = ConnectionParameters()
    connection = world.connect()
    for number in range(3):
        connection.post_send(bytes([number]))
        connection.poll(RNR_DELAY / 3)
    for _ in range(4):
        world.accepted[0].post_receive(one_segment(8))

    received = world.drain(world.accepted[0], 1.0)

    assert [done.data for done in received] == [b"\0", b"\1", b"\2"]
    assert [done.ok for done in world.drain(connection, 1.0)] == [True] * 3


def test_work_behind_one_that_its_own_region_forbids_never_leaves(world: World) -> None:
    """What was posted before it is carried out; a refused one is a local error, in its turn."""
    connection = world.connect()
    region = connection.register(4, Access.REMOTE_READ)
    target = world.accepted[0].register(4, ALL)
    connection.post_send(b"before")
    connection.post_rdma_read(region, 0, 4, target.handle, target.offset)
    connection.post_send(b"behind")

    statuses = [done.status for done in world.drain(connection)]
    arrived = [done.data for done in world.drain(world.accepted[0]) if done.ok]

    assert statuses[:3] == [
        CompletionStatus.SUCCESS,
        CompletionStatus.LOCAL_PROTECTION_ERROR,
        CompletionStatus.FLUSHED,
    ]
    assert arrived == [b"before"]


def test_message_too_long_ends_both_ends(world: World) -> None:
    """Sender and receiver each have their status, the rest is flushed."""
    connection = world.connect()
    connection.post_send(bytes(65))

    here = [done.status for done in world.drain(connection)]
    there = [done.status for done in world.drain(world.accepted[0])]

    assert here == [CompletionStatus.REMOTE_INVALID_REQUEST, *[CompletionStatus.FLUSHED] * 4]
    assert there == [CompletionStatus.LOCAL_LENGTH_ERROR, *[CompletionStatus.FLUSHED] * 3]


def test_nothing_is_posted_on_a_connection_that_ended(world: World) -> None:
    """Every kind of work says so; ending it again does nothing."""
    connection = world.connect()
    region = connection.register(4, ALL)
    connection.close()
    connection.close()

    posts: list[Callable[[], object]] = [
        lambda: connection.post_send(b""),
        lambda: connection.post_receive(one_segment(4)),
        lambda: connection.post_rdma_read(region, 0, 4, 1, 1),
        lambda: connection.post_rdma_write(region, 0, 4, 1, 1),
    ]
    for post in posts:
        with pytest.raises(ConnectionLost, match="gone"):
            post()
    assert not region.valid


# -- any legal sequence of work

SIZE = 64
ENDS = st.integers(0, 1)
RANGES = st.tuples(st.integers(0, SIZE), st.integers(0, SIZE)).map(
    lambda pair: (min(pair), max(pair) - min(pair))
)
OPERATIONS = st.one_of(
    st.tuples(st.just("send"), ENDS, st.binary(max_size=SIZE)),
    st.tuples(st.just("write"), ENDS, RANGES),
    st.tuples(st.just("read"), ENDS, RANGES),
    st.tuples(st.just("fill"), ENDS, st.binary(min_size=SIZE, max_size=SIZE)),
    st.tuples(st.just("poll"), ENDS, st.sampled_from([0.0, 1e-3, 0.1])),
    st.tuples(st.just("receive"), ENDS, st.none()),
)


class End:
    """One end of the property test, with a model of what its work must do.

    It writes from `source` to the peer's `target` and reads from there into `sink`; nobody else
    touches the peer's `target`, so its own order of posting decides what is where.
    """

    def __init__(self, connection: LoopbackConnection) -> None:
        self.connection = connection
        self.source, self.sink, self.target = (connection.register(SIZE, ALL) for _ in range(3))
        self.posted: list[int] = []
        self.done: list[Completion] = []
        self.sent: list[bytes] = []
        self.model_target = bytearray(SIZE)  # of the peer
        self.model_sink = bytearray(SIZE)

    def act(self, kind: str, argument: object, peer: End) -> None:
        match kind, argument:
            case "send", bytes(data):
                self.posted.append(self.connection.post_send(data))
                self.sent.append(data)
            case "write", (int(start), int(length)):
                self.posted.append(self._transfer(self.connection.post_rdma_write, peer, argument))
                self.model_target[start : start + length] = self.source.read(start, length)
            case "read", (int(start), int(length)):
                self.posted.append(self._transfer(self.connection.post_rdma_read, peer, argument))
                self.model_sink[start : start + length] = self.model_target[start : start + length]
            case "fill", bytes(data):
                self.source.write(data)
            case "poll", float(timeout):
                self.done += self.connection.poll(timeout)
            case "receive", _:
                self.posted.append(self.connection.post_receive(one_segment(SIZE)))

    def _transfer(self, post: object, peer: End, extent: object) -> int:
        start, length = extent
        region = self.source if post == self.connection.post_rdma_write else self.sink
        return post(region, start, length, peer.target.handle, peer.target.offset + start)


@given(operations=st.lists(OPERATIONS, max_size=40))
def test_every_request_completes_once_and_octets_end_where_they_belong(
    make_world: Callable[..., World],
    operations: list[tuple[str, int, object]],
) -> None:
    """Whatever legal work both ends post, in whatever order they poll."""
    world = make_world()
    world.parameters = ConnectionParameters()
    connection = world.connect(ConnectionParameters())
    ends = [End(connection), End(world.accepted[0])]
    for kind, number, argument in operations:
        ends[number].act(kind, argument, ends[1 - number])

    for number, end in enumerate(ends):
        for _ in ends[1 - number].sent:  # room for all that the peer sent, and then some
            end.act("receive", None, ends[1 - number])
    for end in ends:
        end.done += world.drain(end.connection, 1.0)
    ends[0].connection.disconnect()
    for end in ends:
        end.done += world.drain(end.connection, 1.0)

    for number, end in enumerate(ends):
        peer = ends[1 - number]
        assert sorted(done.work_id for done in end.done) == sorted(end.posted)
        initiated = [done for done in end.done if done.opcode is not Opcode.RECEIVE]
        assert all(done.ok for done in initiated)
        assert [done.work_id for done in initiated] == sorted(done.work_id for done in initiated)
        received = [done.data for done in end.done if done.opcode is Opcode.RECEIVE and done.ok]
        assert received == peer.sent
        assert end.target.read() == bytes(peer.model_target)
        assert end.sink.read() == bytes(end.model_sink)
