"""Backward Calls to a client that is fuzzed, and what comes of them."""

from __future__ import annotations

from conformance.oracle.message_type import message_type
from fuzz.live.client.backward import BackwardAnswers, backward_call
from fuzz.responder_executor import good_call
from rpcrdma.ulp import rpc
from rpcrdma.wire import ErrChunk, RdmaError, RdmaMsg, TransportHeader, decode_header, encode_header
from rpcrdma.wire.rpc import MessageType

XID = 0x77
NO_CHUNKS = RdmaMsg((), (), None)


def backward_reply(xid: int, payload_xid: int, grant: int = 1) -> bytes:
    return encode_header(TransportHeader(xid, 1, grant, NO_CHUNKS)) + rpc.accepted(payload_xid)


def test_calls_have_several_forms_and_one_xid() -> None:
    made = [backward_call(XID, place, 36) for place in range(96)]
    assert {octets[:4] for octets in made} == {XID.to_bytes(4, "big")}
    assert len(set(made)) > 40
    good = backward_call(XID, 0, 0)
    assert message_type(good) is MessageType.CALL
    _, end = decode_header(good)
    assert rpc.decode_call(good[end:])[0].procedure == 0


def test_replies_and_errors_are_taken_and_calls_are_not() -> None:
    answers = BackwardAnswers({XID}, 1024)
    error = encode_header(TransportHeader(XID, 1, 1, RdmaError(ErrChunk())))
    assert answers.take(backward_reply(XID, XID))
    assert answers.take(error)
    assert not answers.take(good_call())
    assert not answers.take(b"")
    assert len(answers.told) == 2
    assert answers.broken == []


def test_a_reply_that_breaks_a_rule_is_told_of() -> None:
    answers = BackwardAnswers({XID}, 1024)
    assert answers.take(backward_reply(XID, XID + 1))
    assert answers.broken


def test_a_reply_to_nobody_is_taken_and_not_judged() -> None:
    answers = BackwardAnswers(set(), 1024)
    assert answers.take(backward_reply(XID, XID + 1))
    assert answers.broken == []
