"""How calls end that do not end well, without any fabric."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import (
    Action,
    CallFailed,
    Deliver,
    Failure,
    PostReceive,
    Register,
    ReplyReceived,
    Send,
)
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.requester.call_planning import RequesterOptions
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import (
    ErrChunk,
    ErrVers,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
)
from rpcrdma.wire.transmission import Transmission

SHORT = RdmaMsg((), (), None)
ROOM = WriteChunk((RdmaSegment(1, 8, 0),))
READ = (ReadSegment(8, RdmaSegment(1, 4, 0)),)


def sent(*xids: int) -> Endpoint:
    """An endpoint that was asked for NULL calls; tokens are the XIDs."""
    endpoint = Endpoint(Requester())
    endpoint.handle(events.Connected(), 0.0)
    for xid in xids:
        endpoint.handle(events.CallRequested(xid, TestProgram(), calls.null(xid)), 0.0)
    return endpoint


def hear(endpoint: Endpoint, body: object, payload: bytes = b"", version: int = 1) -> list[object]:
    """What the endpoint does about a message with XID 7, but for reposting the Receive."""
    message = encode_header(TransportHeader(7, version, 4, body)) + payload
    actions = endpoint.handle(events.MessageReceived(message), 0.0)
    return [action for action in actions if action != PostReceive.of(1024)]


@pytest.mark.parametrize(
    ("error", "failure", "detail"),
    [
        (ErrVers(2, 3), Failure.REFUSED_VERSION, "2..3"),
        (ErrChunk(), Failure.REFUSED_CHUNKS, ""),
    ],
)
def test_an_error_ends_its_call_whatever_its_version(
    error: ErrVers | ErrChunk, failure: Failure, detail: str
) -> None:
    """D-11: the procedure is looked at before the version."""
    assert hear(sent(7), RdmaError(error), version=2) == [Deliver(CallFailed(7, failure, detail))]


@pytest.mark.parametrize(
    ("body", "payload", "version"),
    [
        (SHORT, rpc.accepted(7), 2),
        (SHORT, rpc.accepted(8), 1),
        (SHORT, b"", 1),
        (SHORT, calls.null(7), 1),
        (RdmaMsgp(0, 0, (), (), None), rpc.accepted(7), 1),
        (RdmaDone(), b"", 1),
        (RdmaNomsg((), (), None), b"", 1),
        (RdmaMsg(READ, (), None), rpc.accepted(7), 1),
    ],
)
def test_a_bad_reply_is_dropped_and_the_call_stays_open(
    body: object, payload: bytes, version: int
) -> None:
    """rfc8166 4.5, and bidir 3.2 for a Call: the good reply after it still completes the call."""
    endpoint = sent(7)
    assert hear(endpoint, body, payload, version) == []
    good = [Deliver(ReplyReceived(7, rpc.accepted(7)))]
    assert hear(endpoint, SHORT, rpc.accepted(7)) == good


def test_a_reply_with_chunks_that_were_not_offered_ends_the_call() -> None:
    """D-28: what does not fit the call is a permanent error."""
    ((delivered),) = hear(sent(7), RdmaMsg((), (ROOM,), None), rpc.accepted(7))
    assert isinstance(delivered, Deliver)
    assert isinstance(delivered.event, CallFailed)
    assert delivered.event.failure is Failure.BAD_REPLY


def test_one_call_goes_out_before_the_first_reply_and_then_as_many_as_granted() -> None:
    """Of six calls one is sent; a grant of four sends four more."""
    endpoint = sent(7, 8, 9, 10, 11, 12)
    delivered, *sends = hear(endpoint, SHORT, rpc.accepted(7))
    assert isinstance(delivered, Deliver)
    assert [type(action) for action in sends] == [Send] * 4


def kinds(actions: list[Action]) -> list[type[Action]]:
    return [type(action) for action in actions]


def reply(endpoint: Endpoint, xid: int) -> list[Action]:
    """A good reply, which grants four credits."""
    message = encode_header(TransportHeader(xid, 1, 4, SHORT)) + rpc.accepted(xid)
    return endpoint.handle(events.MessageReceived(message), 0.0)


def call(endpoint: Endpoint, xid: int) -> list[Action]:
    return endpoint.handle(events.CallRequested(xid, TestProgram(), calls.null(xid)), 0.0)


def test_a_receive_is_posted_again_at_once_while_a_call_is_in_flight() -> None:
    """Two calls are; the first reply's Receive comes back before anything else is done."""
    endpoint = sent(7)
    reply(endpoint, 7)
    assert kinds(call(endpoint, 8)) == [Send, PostReceive]
    assert kinds(call(endpoint, 9)) == [Send]
    assert kinds(reply(endpoint, 8)) == [PostReceive, Deliver]


def test_the_receive_of_a_lone_call_is_posted_again_behind_the_next_send() -> None:
    """And never are two of them missing."""
    endpoint = sent(7)
    assert kinds(reply(endpoint, 7)) == [Deliver]
    assert kinds(reply(endpoint, 7)) == [PostReceive]  # a reply to nobody
    assert kinds(call(endpoint, 8)) == [Send, PostReceive]


def test_a_requester_with_one_receive_posts_it_again_before_it_sends() -> None:
    """rfc8166 3.3.1: a call is not sent without a Receive for its reply."""
    endpoint = Endpoint(Requester(RequesterOptions(credits=1)))
    endpoint.handle(events.Connected(), 0.0)
    call(endpoint, 7)
    assert kinds(reply(endpoint, 7)) == [PostReceive, Deliver]


def test_a_lost_connection_fails_every_call_once() -> None:
    """Calls in flight and calls that wait."""
    actions = sent(7, 8).handle(events.Disconnected("gone"), 0.0)
    assert actions == [
        Deliver(CallFailed(token, Failure.CONNECTION_LOST, "gone")) for token in (7, 8)
    ]


def test_a_cancelled_call_keeps_its_credit_until_it_is_answered() -> None:
    """The next call waits for the reply that nobody wants."""
    endpoint = sent(7, 8)
    cancelled = endpoint.handle(events.CallCancelled(7), 0.0)
    assert cancelled == [Deliver(CallFailed(7, Failure.CANCELLED))]
    (late,) = hear(endpoint, SHORT, rpc.accepted(7))
    assert isinstance(late, Send)


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_reply_with_other_chunks_is_no_first_reply(*, cancelled: bool) -> None:
    """rfc8166 3.3.3: only a valid Reply tells how many calls may be in flight."""
    endpoint = sent(7, 8, 9)
    if cancelled:
        endpoint.handle(events.CallCancelled(7), 0.0)

    heard = hear(endpoint, RdmaMsg((), (ROOM,), None), calls.expected_reply(calls.null(7)))

    assert len([action for action in heard if isinstance(action, Send)]) == 1


def test_shorter_receives_have_longer_replies_come_by_chunks() -> None:
    """xcharext 3.1: what was promised of a reply holds for calls made from then on."""
    requester = Requester(RequesterOptions(dialect=TWO, thresholds=InlineThresholds(4096, 4096)))
    endpoint = Endpoint(requester)
    endpoint.handle(events.Connected(), 0.0)
    layer = TestProgram()

    def request(xid: int) -> list[Action]:
        payload = calls.long_reply(xid, 2000)
        return endpoint.handle(events.CallRequested(xid, layer, payload), 0.0)

    requester.post_from_now(16384)
    assert kinds(request(7)) == [Send]
    requester.post_from_now(1024)
    assert kinds(request(8)) == [Register]
    requester.post_from_now(4096)
    assert kinds(request(9)) == [Register]  # the server may not know of it yet


def test_each_send_of_a_reply_has_its_receive_posted_again() -> None:
    """Two calls are in flight: all that were used up are needed."""
    endpoint = sent(7, 8, 9)
    hear(endpoint, SHORT, rpc.accepted(7))
    message = encode_header(TransportHeader(8, 1, 4, SHORT)) + rpc.accepted(8)
    role = endpoint.role
    group = Transmission((message[:28], b"", message[28:]), message, (28, 0, 4))
    message_ = events.MessageReceived(message, None, group)
    actions = role.handlers[events.MessageReceived](message_, 0.0)

    assert actions.count(PostReceive.of(1024)) == 3
