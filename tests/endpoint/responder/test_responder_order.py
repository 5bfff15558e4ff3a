"""Calls in progress at a Responder: deferred, out of order, equal XIDs, too many."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import Action, Disconnect, PostReceive, RdmaRead, Send
from rpcrdma.endpoint.core.connection import Endpoint, State
from rpcrdma.endpoint.core.faults import RULES, Fault
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram, hold_reply
from rpcrdma.wire import (
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)

SHORT = RdmaMsg((), (), None)


def responder(**chosen: int) -> Endpoint:
    endpoint = Endpoint(Responder(TestProgram(), ResponderOptions(**chosen)))
    endpoint.handle(events.Connected(), 0.0)
    return endpoint


def hear(
    endpoint: Endpoint, payload: bytes, body: RdmaMsg = SHORT, credit: int = 4
) -> list[Action]:
    """What the endpoint does about a call, but for reposting the Receive, which comes first."""
    xid = int.from_bytes(payload[:4], "big")
    message = encode_header(TransportHeader(xid, 1, credit, body)) + payload
    first, *rest = endpoint.handle(events.MessageReceived(message), 0.0)
    assert first == PostReceive.of(1024)
    return rest


def replies(actions: list[Action]) -> list[tuple[TransportHeader, bytes]]:
    found = []
    for action in actions:
        assert isinstance(action, Send)
        header, end = decode_header(action.data)
        found.append((header, action.data[end:]))
    return found


def test_released_calls_are_answered_behind_the_release_in_order_of_arrival() -> None:
    """HOLD 1, 2 and 3, of which 1 and 3 are released: RELEASE first, then 1, then 3."""
    endpoint = responder()
    for xid, token in ((1, 5), (2, 6), (3, 5)):
        assert hear(endpoint, calls.hold(xid, token)) == []
    found = replies(hear(endpoint, calls.release(4, 5)))
    assert [header.rdma_xid for header, _ in found] == [4, 1, 3]
    assert endpoint.role.deferred == 1
    found = replies(hear(endpoint, calls.release(5, 6)))
    assert [header.rdma_xid for header, _ in found] == [5, 2]
    assert [payload for _, payload in found[1:]] == [hold_reply(2, 6)]
    assert endpoint.role.deferred == 0


def test_each_reply_carries_the_credits_and_chunks_of_its_own_call() -> None:
    """rfc8166 3.3.1 and 4.3.3, also when another call set it free."""
    endpoint = responder()
    room = WriteChunk((RdmaSegment(1, 8, 0),))
    hear(endpoint, calls.hold(1, 5), RdmaMsg((), (), room), credit=9)
    (release, _), (hold, _) = replies(hear(endpoint, calls.release(2, 5), credit=3))
    unused = WriteChunk((RdmaSegment(1, 0, 0),))
    assert (release.rdma_credit, release.rdma_body.rdma_reply) == (3, None)
    assert (hold.rdma_credit, hold.rdma_body.rdma_reply) == (9, unused)


def test_two_held_calls_with_one_xid_are_answered_in_order_of_arrival() -> None:
    """The oldest gets the first of the released replies."""
    endpoint = responder()
    hear(endpoint, calls.hold(1, 5), credit=2)
    hear(endpoint, calls.hold(1, 5), credit=3)
    found = replies(hear(endpoint, calls.release(2, 5)))
    assert [(header.rdma_xid, header.rdma_credit) for header, _ in found] == [
        (2, 4),
        (1, 2),
        (1, 3),
    ]


def test_a_call_with_the_xid_of_a_held_one_gets_its_own_reply() -> None:
    """Its first reply is the newest call's; the held one is still answered when it is released."""
    endpoint = responder()
    hear(endpoint, calls.hold(1, 5), credit=2)
    ((header, payload),) = replies(hear(endpoint, calls.null(1), credit=3))
    assert (header.rdma_credit, payload) == (3, calls.expected_reply(calls.null(1)))
    found = replies(hear(endpoint, calls.release(1, 5), credit=7))
    assert [header.rdma_credit for header, _ in found] == [7, 2]
    assert found[1][1] == hold_reply(1, 5)
    assert endpoint.role.deferred == 0


@pytest.mark.parametrize("most", [1, 3])
def test_a_peer_with_far_too_many_calls_loses_its_connection(most: int) -> None:
    """rfc8166 3.3.1: and no earlier than the limit."""
    endpoint = responder(most_calls=most)
    for xid in range(most):
        assert hear(endpoint, calls.hold(xid, 5)) == []
    assert hear(endpoint, calls.null(99)) == [Disconnect(RULES[Fault.TOO_MANY_CALLS].requirement)]
    assert endpoint.state is State.CLOSING


def test_calls_that_are_being_pulled_count_and_stop_counting() -> None:
    """A Read under way is a call in progress until its reply is made."""
    endpoint = responder(most_calls=1)
    payload = calls.store(1, b"four")
    body = RdmaMsg((ReadSegment(44, RdmaSegment(9, 4, 0)),), (), None)
    (read,) = hear(endpoint, payload[:44], body)
    assert isinstance(read, RdmaRead)
    (send,) = endpoint.handle(events.ReadCompleted(read.key, b"four"), 0.0)
    assert replies([send])[0][1] == calls.expected_reply(payload)
    assert len(hear(endpoint, calls.null(2))) == 1
    (read,) = hear(endpoint, payload[:44], body)
    assert type(hear(endpoint, calls.null(2))[0]) is Disconnect


def test_what_is_lost_with_the_connection_is_forgotten() -> None:
    """Nothing of it can be answered."""
    endpoint = responder()
    hear(endpoint, calls.hold(1, 5))
    endpoint.handle(events.Disconnected(), 0.0)
    assert endpoint.role.deferred == 0
