"""Which form a Reply takes: what fits is Short, what can be reduced is, the rest is Long."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.faults import FaultFound
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.responder.call_rules import IncomingCall
from rpcrdma.endpoint.responder.plan import plan_reply
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire import FixedWords, RdmaSegment, WriteChunk, decode_header


def call(*writes: int, reply: int | None = None) -> IncomingCall:
    chunks = tuple(WriteChunk((RdmaSegment(1, length, 0),)) for length in writes)
    offered = None if reply is None else WriteChunk((RdmaSegment(2, reply, 0),))
    return IncomingCall(FixedWords(1, 1, 1, 0), b"", (), chunks, offered)


def test_a_reply_is_short_chunked_or_long_by_its_size_and_its_results() -> None:
    """rfc8166 3.5: the Responder's choice, with what was offered."""
    rules = ReplyRules()
    item = DataItem(24, 1000)
    short = plan_reply(rules, call(), bytes(24), (), 1, 1024)
    chunked = plan_reply(rules, call(1000), bytes(1024), (item,), 1, 1024)
    long = plan_reply(rules, call(reply=1024), bytes(1024), (), 1, 1024)
    assert (short.form, short.placements) == (MessageForm.SHORT, ())
    assert chunked.form is MessageForm.CHUNKED
    assert [len(placement.data) for placement in chunked.placements] == [1000]
    assert long.form is MessageForm.LONG
    assert [len(placement.data) for placement in long.placements] == [1024]
    header, end = decode_header(long.message)
    assert end == len(long.message)
    assert header.rdma_body.rdma_reply == WriteChunk((RdmaSegment(2, 1024, 0),))


def test_a_reply_whose_header_does_not_fit_is_not_sent() -> None:
    """D-142: a Requester can announce Receives that are too short for anything."""
    with pytest.raises(FaultFound, match="its header has 48 octets"):
        plan_reply(ReplyRules(), call(reply=1024), bytes(1024), (), 1, 47)
