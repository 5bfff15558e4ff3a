"""A Requester's memory: offered, taken back, and safe before the application hears (4.4.1)."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import (
    Action,
    CallFailed,
    Deliver,
    Disconnect,
    Failure,
    Forget,
    Invalidate,
    Register,
    ReplyReceived,
    Send,
)
from rpcrdma.endpoint.core.connection import Endpoint, State
from rpcrdma.endpoint.core.faults import RULES, Fault
from rpcrdma.endpoint.requester.requester import Requester, RequesterOptions
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.bindings import reduce
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)

LAYER = TestProgram()
XID = 7
READ = (ReadSegment(8, RdmaSegment(1, 4, 0)),)


class Exchange:
    """One call of a Requester, whose memory this registers under made-up handles."""

    def __init__(self, payload: bytes, options: RequesterOptions | None = None) -> None:
        self.endpoint = Endpoint(Requester(options))
        self.endpoint.handle(events.Connected(), 0.0)
        self.keys: list[int] = []
        asked = self.handle(events.CallRequested(1, LAYER, payload))
        sent = asked
        for action in asked:
            if isinstance(action, Register):
                self.keys.append(action.key)
                sent = self.handle(events.Registered(action.key, action.key + 100, 0))
        (send,) = sent
        assert isinstance(send, Send)
        self.body = decode_header(send.data)[0].rdma_body

    def handle(self, event: events.Event) -> list[Action]:
        return self.endpoint.handle(event, 0.0)

    def reply(self, body: RdmaMsg | RdmaNomsg, payload: bytes = b"") -> list[Action]:
        """The lone call's reply: its Receive is posted again after the next Send."""
        message = encode_header(TransportHeader(XID, 1, 4, body)) + payload
        return self.handle(events.MessageReceived(message))


def offered(payload: bytes, options: RequesterOptions | None = None) -> Exchange:
    exchange = Exchange(payload, options)
    assert exchange.keys
    return exchange


def with_length(chunk: WriteChunk, length: int) -> WriteChunk:
    (segment,) = chunk.target
    return WriteChunk((RdmaSegment(segment.handle, length, segment.offset),))


def reduced_reply(payload: bytes) -> tuple[bytes, bytes]:
    """The reduced reply, and the data of its one item."""
    reply = calls.expected_reply(payload)
    items = [item for item in LAYER.results(payload, reply) if item is not None]
    kept, (data,) = reduce(reply, items)
    return kept, data


FETCH = calls.fetch(XID, 2000)
KEPT, DATA = reduced_reply(FETCH)


def test_a_reply_is_delivered_after_its_memory_was_invalidated() -> None:
    """rfc8166 4.4.1: first Invalidate, then, when that is done, the application."""
    exchange = offered(FETCH)
    (chunk,) = exchange.body.rdma_writes
    (key,) = exchange.keys
    assert exchange.reply(RdmaMsg((), (chunk,), None), KEPT) == [Invalidate(key, 2000)]
    assert exchange.handle(events.Invalidated(key, DATA)) == [
        Deliver(ReplyReceived(1, calls.expected_reply(FETCH)))
    ]


def failure(exchange: Exchange, body: RdmaMsg | RdmaNomsg, payload: bytes, data: bytes) -> str:
    """How the call ends after this reply."""
    actions = exchange.reply(body, payload)
    for key in exchange.keys:
        assert Invalidate in {type(action) for action in actions}
        actions = exchange.handle(events.Invalidated(key, data)) or actions
    (delivered,) = actions
    assert isinstance(delivered, Deliver)
    assert isinstance(delivered.event, CallFailed)
    assert delivered.event.failure is Failure.BAD_REPLY
    return delivered.event.detail


@pytest.mark.parametrize(
    "fault",
    [
        Fault.RETURNED_CHUNKS,
        Fault.UNREDUCED_RESULT,
        Fault.UNDECODABLE_REPLY,
    ],
)
def test_a_reply_that_breaks_a_rule_ends_its_call(fault: Fault) -> None:
    """D-28: permanently, with the requirement, and after the memory was taken back."""
    exchange = offered(FETCH)
    (chunk,) = exchange.body.rdma_writes
    unused = with_length(chunk, 0)
    body, payload, data = {
        Fault.RETURNED_CHUNKS: (RdmaMsg((), (with_length(chunk, 2001),), None), KEPT, DATA),
        Fault.UNREDUCED_RESULT: (RdmaMsg((), (unused,), None), KEPT, b""),
        Fault.UNDECODABLE_REPLY: (RdmaMsg((), (chunk,), None), KEPT[:-4], DATA),
    }[fault]
    assert RULES[fault].requirement in failure(exchange, body, payload, data)


def test_octets_that_no_result_can_have_end_the_call() -> None:
    """rfc8166 6.1: a refused FETCH has no item, and its chunk says that it has."""
    exchange = offered(FETCH)
    (chunk,) = exchange.body.rdma_writes
    refused = calls.expected_reply(calls.fetch(XID, 2**23))
    detail = failure(exchange, RdmaMsg((), (chunk,), None), refused, DATA)
    assert RULES[Fault.INELIGIBLE_RESULT].requirement in detail


def test_a_reply_inline_and_one_in_the_reply_chunk_end_the_call() -> None:
    """rfc8166 4.3.3."""
    payload = calls.long_reply(XID, 3000)
    exchange = offered(payload)
    chunk = with_length(exchange.body.rdma_reply, 8)
    reply = calls.expected_reply(payload)[:900]
    detail = failure(exchange, RdmaMsg((), (), chunk), reply, b"")
    assert RULES[Fault.REPLY_CHUNK_IN_MSG].requirement in detail


def test_a_long_reply_with_another_xid_ends_the_call() -> None:
    """rfc8166 4.5.2: inside the Reply chunk nobody saw it before."""
    payload = calls.long_reply(XID, 3000)
    exchange = offered(payload)
    chunk = with_length(exchange.body.rdma_reply, 8)
    detail = failure(exchange, RdmaNomsg((), (), chunk), b"", b"\0\0\0\x08" * 2)
    assert RULES[Fault.REPLY_XID_MISMATCH].requirement in detail


def test_memory_that_cannot_be_invalidated_closes_the_connection_before_the_call_ends() -> None:
    """rfc8166 4.5.4: no reply goes up; the call fails as lost, once, and nothing can follow."""
    exchange = offered(FETCH)
    (chunk,) = exchange.body.rdma_writes
    (key,) = exchange.keys
    exchange.reply(RdmaMsg((), (chunk,), None), KEPT)
    actions = exchange.handle(events.Invalidated(key, b"", failed=True))
    lost = CallFailed(1, Failure.CONNECTION_LOST, "cannot invalidate")
    assert Deliver(lost) in actions
    assert isinstance(actions[-1], Disconnect)
    assert exchange.endpoint.state is State.CLOSING
    assert exchange.handle(events.Disconnected("gone")) == []


def test_a_call_whose_memory_cannot_be_registered_fails_and_gives_the_rest_back() -> None:
    """rfc8166 4.5.4: it is not sent; what was registered is invalidated before it ends."""
    endpoint = Endpoint(Requester(RequesterOptions(segment=1500)))
    endpoint.handle(events.Connected(), 0.0)
    first, second = endpoint.handle(events.CallRequested(1, LAYER, FETCH), 0.0)
    assert isinstance(first, Register)
    assert isinstance(second, Register)
    assert endpoint.handle(events.Registered(first.key, 9, 0), 0.0) == []
    failed = endpoint.handle(events.RegistrationFailed(second.key, "no room"), 0.0)
    assert failed == [Invalidate(first.key)]
    assert endpoint.handle(events.Invalidated(first.key, b""), 0.0) == [
        Deliver(CallFailed(1, Failure.CANNOT_SEND, "no room"))
    ]


def test_memory_that_is_registered_too_late_is_taken_back_at_once() -> None:
    """A call that was cancelled meanwhile."""
    endpoint = Endpoint(Requester())
    endpoint.handle(events.Connected(), 0.0)
    (register,) = endpoint.handle(events.CallRequested(1, LAYER, FETCH), 0.0)
    assert isinstance(register, Register)
    assert endpoint.handle(events.CallCancelled(1), 0.0) == []
    assert endpoint.handle(events.Registered(register.key, 9, 0), 0.0) == [Invalidate(register.key)]
    assert endpoint.handle(events.Invalidated(register.key, b""), 0.0) == [
        Deliver(CallFailed(1, Failure.CANCELLED))
    ]


@pytest.mark.parametrize("payload", [b"", FETCH[:20], calls.echo(XID, b"")[:40] + b"\xff" * 4])
def test_a_call_that_cannot_be_planned_fails_at_once(payload: bytes) -> None:
    """rfc8166 4.5.4: without a word on the wire."""
    endpoint = Endpoint(Requester())
    endpoint.handle(events.Connected(), 0.0)
    (delivered,) = endpoint.handle(events.CallRequested(1, LAYER, payload), 0.0)
    assert isinstance(delivered, Deliver)
    assert delivered.event.failure is Failure.CANNOT_SEND


def test_an_xid_in_use_is_refused() -> None:
    """rfc8166 4.2.1: a reply could not be told from the other's."""
    exchange = Exchange(calls.null(XID))
    (delivered,) = exchange.handle(events.CallRequested(2, LAYER, calls.null(XID)))
    assert delivered.event.failure is Failure.CANNOT_SEND


def test_memory_that_the_reply_has_invalidated_is_not_invalidated_again() -> None:
    """xcharext 3.2: what it holds is asked for; the other segments are this end's to invalidate."""
    exchange = offered(FETCH, RequesterOptions(segment=1500))
    first, second = exchange.keys
    body = RdmaMsg((), exchange.body.rdma_writes, None)
    message = encode_header(TransportHeader(XID, 1, 4, body)) + KEPT

    asked = exchange.handle(events.MessageReceived(message, second))

    assert asked == [Invalidate(first, 1500), Forget(second, 500)]
    assert exchange.handle(events.Invalidated(first, DATA[:1500])) == []
    assert exchange.handle(events.Invalidated(second, DATA[1500:])) == [
        Deliver(ReplyReceived(1, calls.expected_reply(FETCH)))
    ]


def test_memory_that_a_reply_to_nobody_has_invalidated_is_remembered() -> None:
    """D-80: the call goes on; however it ends, nobody invalidates that memory again."""
    exchange = offered(FETCH)
    (key,) = exchange.keys
    stray = encode_header(TransportHeader(XID + 1, 1, 4, RdmaMsg((), (), None))) + bytes(24)

    assert Forget(key) not in exchange.handle(events.MessageReceived(stray, key))

    assert exchange.handle(events.CallCancelled(1)) == [Forget(key)]
