"""Answers that are none: about another message, of another version, or by an old procedure."""

from __future__ import annotations

import pytest

from conformance.oracle.outcome import Silent, read_outcome
from conformance.oracle.responder.answer_rules import broken_answer_rules
from rpcrdma.ulp.rpc import accepted
from rpcrdma.wire import (
    Body,
    ErrChunk,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    TransportHeader,
    encode_header,
    v2,
)
from rpcrdma.wire.rpc import MessageType

XID = 5
REPLY = RdmaMsg((), (), None)


def broken(octets: bytes, version: int = 1) -> list[str]:
    return [rule.ids[0] for rule in broken_answer_rules(read_outcome(octets), XID, version)]


def one(body: Body = REPLY, xid: int = XID, version: int = 1) -> bytes:
    return encode_header(TransportHeader(xid, version, 3, body))


def two(direction: MessageType = MessageType.REPLY, xid: int = XID) -> bytes:
    body = v2.Rdma2Msg(direction, (), (), None)
    return v2.encode_header(v2.Rdma2Header(xid, 2, 3, body)) + accepted(xid)


def test_a_good_answer_breaks_nothing() -> None:
    assert broken(one() + accepted(XID)) == broken(two(), 2) == []
    assert broken(one(RdmaError(ErrChunk()))) == []
    assert broken_answer_rules(Silent(1.0), XID, 1) == ()


@pytest.mark.parametrize(
    ("octets", "version", "rules"),
    [
        (one(xid=6), 1, ["rfc8166.2.2.2.reply-xid-is-the-calls"]),
        (two(xid=6), 2, ["v2.5.1.answer-has-the-same-xid"]),
        (two(), 1, ["rfc8166.4.2.2.version-is-one"]),
        (one(), 2, ["v2.5.3.reply-has-the-version-of-its-call"]),
        (two(MessageType.CALL), 2, ["v2.4.2.2.direction-is-the-msg-type"]),
        (one(RdmaError(ErrChunk()), 6), 1, ["rfc8166.4.5.error-xid-echoed"]),
        (one(RdmaMsgp(0, 0, (), (), None)), 1, ["rfc8166.4.6.1.msgp-is-not-sent"]),
        (one(RdmaDone()), 1, ["rfc8166.4.6.2.done-is-not-sent"]),
    ],
)
def test_each_fault_breaks_its_own_rule(octets: bytes, version: int, rules: list[str]) -> None:
    assert broken(octets, version) == rules


def test_a_reply_that_can_be_read_in_version_one_is_an_answer_whatever_version_it_tells() -> None:
    assert broken(one(version=3)) == []
