"""The client's backward half: a Responder of Short Messages."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.backward.requester import BackwardOptions
from rpcrdma.endpoint.backward.responder import BackwardResponder
from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import PostReceive, Send
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import (
    ErrChunk,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)

NO_CHUNKS = RdmaMsg((), (), None)
SEGMENT = RdmaSegment(1, 64, 0)
ROOM = WriteChunk((SEGMENT,))


class Executed(TestProgram):
    """Notes what it is made to do."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[bytes] = []

    def execute(self, call: bytes) -> list[bytes]:
        self.calls.append(call)
        return super().execute(call)


def answer(
    program: TestProgram,
    payload: bytes,
    body: object = NO_CHUNKS,
    requested: int = 3,
    options: BackwardOptions | None = None,
) -> tuple[TransportHeader, bytes]:
    endpoint = Endpoint(BackwardResponder(program, options))
    endpoint.handle(events.Connected(), 0.0)
    message = encode_header(TransportHeader(7, 1, requested, body)) + payload
    first, second = endpoint.handle(events.MessageReceived(message), 0.0)
    assert isinstance(first, PostReceive)
    assert isinstance(second, Send)
    header, end = decode_header(second.data)
    return header, second.data[end:]


@pytest.mark.parametrize(("requested", "granted"), [(0, 1), (3, 3), (99, 8)])
def test_a_call_is_answered_by_a_short_message_that_grants(requested: int, granted: int) -> None:
    """Under its XID, in version one, with empty lists; never zero, never more than Receives."""
    header, payload = answer(TestProgram(), calls.echo(7, b"note"), requested=requested)
    assert header == TransportHeader(7, 1, granted, NO_CHUNKS)
    assert payload == calls.expected_reply(calls.echo(7, b"note"))


@pytest.mark.parametrize(
    ("body", "payload"),
    [
        (RdmaMsg((ReadSegment(40, SEGMENT),), (), None), calls.null(7)),
        (RdmaMsg((), (ROOM,), None), calls.null(7)),
        (RdmaMsg((), (), ROOM), calls.null(7)),
        (RdmaNomsg((ReadSegment(0, SEGMENT),), (), None), b""),
    ],
)
def test_a_call_with_chunks_is_refused_and_not_executed(body: object, payload: bytes) -> None:
    """D-41."""
    program = Executed()
    header, _ = answer(program, payload, body)
    assert header.rdma_body == RdmaError(ErrChunk())
    assert program.calls == []


def test_a_reply_that_does_not_fit_the_servers_receives_is_an_error() -> None:
    """There is no Reply chunk for it; the call inline threshold limits it (D-44)."""
    thresholds = InlineThresholds(call=1024, reply=4096)
    options = BackwardOptions(thresholds)
    room = 1024 - 28 - 24 - 8
    header, payload = answer(TestProgram(), calls.long_reply(7, room), options=options)
    assert isinstance(header.rdma_body, RdmaMsg)
    assert len(payload) == 1024 - 28
    header, _ = answer(TestProgram(), calls.long_reply(7, room + 4), options=options)
    assert header.rdma_body == RdmaError(ErrChunk())


def test_receives_are_as_long_as_those_for_replies() -> None:
    """As many as are granted; and it has nothing of its own to send."""
    half = BackwardResponder(
        TestProgram(), BackwardOptions(InlineThresholds(call=1024, reply=2048), 2)
    )
    assert half.initial_receives == (2048,) * 2
    assert half.later_receives == 0
    assert half.armed
    assert half.flush() == []


def test_a_half_without_credits_has_no_part_in_anything() -> None:
    half = BackwardResponder(TestProgram(), BackwardOptions(credits=0))

    assert half.initial_receives == ()
    assert not half.armed


def test_errors_of_the_rpc_layer_are_replies() -> None:
    """As forward."""
    _, payload = answer(TestProgram(), rpc.encode_call(7, 1, 1, 0))
    assert rpc.decode_reply(payload)[0].outcome is rpc.RpcOutcome.PROG_UNAVAIL
