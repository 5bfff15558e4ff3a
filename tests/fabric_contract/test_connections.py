"""Contract: making, refusing, losing and ending connections, and what the trace says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import ConnectionRejected, DeadlineExceeded
from rpcrdma.fabric.base import Access, Address, ConnectionParameters
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.fabric.segments import one_segment
from rpcrdma.fabric.trace import EventKind, Side, Trace

if TYPE_CHECKING:
    from rpcrdma.fabric.base import ConnectionRequest
    from tests.fabric_contract.conftest import Ends, FabricPair


def test_private_data_travel_both_ways(fabric_pair: FabricPair) -> None:
    """Each end has what the other said; a device may append zeroes."""
    ends = fabric_pair.connect(
        ConnectionParameters(private_data=b"from the active end"),
        ConnectionParameters(private_data=b"from the passive end"),
    )

    assert ends.passive.private_data.rstrip(b"\0") == b"from the active end"
    assert ends.active.private_data.rstrip(b"\0") == b"from the passive end"
    assert ends.active.connected
    assert ends.passive.connected


def test_connections_without_private_data_are_fine(fabric_pair: FabricPair) -> None:
    """Saying nothing is allowed."""
    ends = fabric_pair.connect()

    assert ends.passive.private_data.rstrip(b"\0") == b""
    assert ends.active.private_data.rstrip(b"\0") == b""


def test_listener_sees_the_private_data_before_it_decides(fabric_pair: FabricPair) -> None:
    """A request carries the initiator's octets, and a rejection's octets reach the initiator."""
    asked: list[bytes] = []
    listener = fabric_pair.listen()

    def refuse(request: ConnectionRequest) -> None:
        asked.append(request.private_data)
        request.reject(b"not you")

    fabric_pair.on_request = refuse

    with pytest.raises(ConnectionRejected) as caught:
        fabric_pair.active.connect(
            listener.address, ConnectionParameters(private_data=b"me"), fabric_pair.deadline
        )

    assert asked[0].rstrip(b"\0") == b"me"
    assert caught.value.private_data.rstrip(b"\0") == b"not you"


def test_connecting_where_nobody_listens_is_refused(fabric_pair: FabricPair) -> None:
    """No listener: rejected, and soon."""
    with pytest.raises(ConnectionRejected):
        fabric_pair.active.connect(
            Address(fabric_pair.host, 9), ConnectionParameters(), fabric_pair.deadline
        )


def test_connecting_to_a_closed_listener_is_refused(fabric_pair: FabricPair) -> None:
    """A listener that was closed is nobody; closing twice is allowed."""
    listener = fabric_pair.listen()
    address = listener.address
    listener.close()
    listener.close()

    with pytest.raises(ConnectionRejected):
        fabric_pair.active.connect(address, ConnectionParameters(), fabric_pair.deadline)


def test_connecting_to_somebody_who_never_answers_has_a_deadline(fabric_pair: FabricPair) -> None:
    """A listener that takes up nothing leaves the initiator waiting until its deadline."""
    listener = fabric_pair.listen()
    clock = fabric_pair.active.clock
    before = clock.now()

    with pytest.raises(DeadlineExceeded):
        fabric_pair.active.connect(listener.address, ConnectionParameters(), 0.3)

    assert 0.25 <= clock.now() - before < 0.3 + fabric_pair.deadline


def test_accepting_has_a_deadline(fabric_pair: FabricPair) -> None:
    """Nobody connects: there is no request when the time is over."""
    listener = fabric_pair.passive.listen(Address(fabric_pair.host, 0))
    before = fabric_pair.passive.clock.now()

    assert listener.accept(0.05) is None
    assert fabric_pair.passive.clock.now() - before >= 0.04


def test_listener_on_port_zero_gets_a_real_port(fabric_pair: FabricPair) -> None:
    """Two listeners that ask for any port get different ones."""
    first = fabric_pair.passive.listen(Address(fabric_pair.host, 0))
    second = fabric_pair.passive.listen(Address(fabric_pair.host, 0))

    assert 0 not in {first.address.port, second.address.port}
    assert first.address.port != second.address.port


def test_connections_are_independent(fabric_pair: FabricPair) -> None:
    """The end of one connection leaves the others alone."""
    parameters = ConnectionParameters(initial_receives=(one_segment(64),))
    pairs = [fabric_pair.connect(parameters, parameters) for _ in range(3)]
    pairs[1].active.disconnect()
    pairs[1].rest(pairs[1].passive)

    for number in (0, 2):
        pairs[number].active.post_send(bytes([number]))
        assert pairs[number].received(pairs[number].passive).data == bytes([number])


def test_peer_that_vanishes_is_given_up(fabric_pair: FabricPair) -> None:
    """A Send that gets no answer at all fails when the retries are used up."""
    ends = fabric_pair.connect(
        ConnectionParameters(retry=0), ConnectionParameters(initial_receives=(one_segment(64),) * 2)
    )
    fabric_pair.make_vanish(ends.passive)
    work_id = ends.active.post_send(b"anybody?")

    done = ends.completion(ends.active, work_id)

    assert done.status is CompletionStatus.RETRY_EXCEEDED
    assert not ends.active.connected


def test_disconnect_and_close_may_be_repeated(ends: Ends) -> None:
    """The second time does nothing."""
    ends.active.disconnect()
    ends.active.disconnect()
    ends.active.close()
    ends.active.close()
    ends.rest(ends.passive)
    ends.passive.close()

    assert not ends.active.connected


def test_what_was_sent_before_an_orderly_end_is_received(ends: Ends) -> None:
    """A Send that completed before the disconnect is at the peer, followed by the flush."""
    work_id = ends.active.post_send(b"last words")
    assert ends.completion(ends.active, work_id).ok
    ends.active.disconnect()

    rest = ends.rest(ends.passive)

    assert rest[0].data == b"last words"
    assert {entry.status for entry in rest[1:]} == {CompletionStatus.FLUSHED}


def test_traces_tell_the_story_at_either_end(fabric_pair: FabricPair) -> None:
    """Both traces hold the handshake, the messages of both sides and the end, in order."""
    fabric_pair.active.trace, fabric_pair.passive.trace = Trace(), Trace()
    parameters = ConnectionParameters(private_data=b"hi", initial_receives=(one_segment(64),) * 2)
    ends = fabric_pair.connect(parameters, parameters)
    region = ends.active.register(16, Access.LOCAL_WRITE)
    target = ends.passive.register(16, Access.REMOTE_WRITE | Access.LOCAL_WRITE)
    region.write(b"0123456789abcdef")
    ends.active.post_rdma_write(region, 0, 16, target.handle, target.offset)
    ends.active.post_send(b"question")
    assert ends.received(ends.passive).ok
    ends.passive.post_send(b"answer")
    assert ends.received(ends.active).ok
    ends.active.disconnect()
    ends.rest(ends.passive)

    assert _story(fabric_pair.active.trace) == [
        (Side.LOCAL, EventKind.CONNECT, b"hi"),
        (Side.PEER, EventKind.CONNECT, b"hi"),
        (Side.LOCAL, EventKind.RDMA_WRITE, b"0123456789abcdef"),
        (Side.LOCAL, EventKind.SEND, b"question"),
        (Side.PEER, EventKind.SEND, b"answer"),
        (Side.LOCAL, EventKind.DISCONNECT, b""),
    ]
    passive = _story(fabric_pair.passive.trace)
    assert [entry for entry in passive if entry[1] is not EventKind.RDMA_WRITE] == [
        (Side.PEER, EventKind.CONNECT, b"hi"),
        (Side.LOCAL, EventKind.CONNECT, b"hi"),
        (Side.PEER, EventKind.SEND, b"question"),
        (Side.LOCAL, EventKind.SEND, b"answer"),
        (Side.PEER, EventKind.DISCONNECT, b""),
    ]


def test_trace_numbers_connections(fabric_pair: FabricPair) -> None:
    """Events of different connections have different numbers, from 1."""
    fabric_pair.active.trace = trace = Trace()
    parameters = ConnectionParameters(initial_receives=(one_segment(64),))
    for _ in range(2):
        ends = fabric_pair.connect(parameters, parameters)
        ends.active.post_send(b"x")
        assert ends.received(ends.passive).ok

    sends = [event for event in trace.events if event.kind is EventKind.SEND]
    assert [event.connection for event in sends] == [1, 2]


def _story(trace: Trace) -> list[tuple[Side, EventKind, bytes]]:
    told = {
        EventKind.CONNECT,
        EventKind.SEND,
        EventKind.RDMA_READ,
        EventKind.RDMA_WRITE,
        EventKind.DISCONNECT,
    }
    return [
        (event.side, event.kind, event.data.rstrip(b"\0"))
        for event in trace.events
        if event.kind in told
    ]
