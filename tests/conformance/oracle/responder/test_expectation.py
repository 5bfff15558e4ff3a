"""Judging what came by what is allowed."""

from __future__ import annotations

import pytest

from conformance.oracle.outcome import Disconnected, Outcome, Silent, read_outcome
from conformance.oracle.responder.expectation import Expectation, ResponderState
from conformance.oracle.responder.expected import expected
from conformance.oracle.verdict import Judgement
from reports.record import Verdict
from rpcrdma import wire
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome
from rpcrdma.ulp.rpc import RpcReply, encode_reply
from rpcrdma.wire import RdmaError, RdmaMsg, RdmaNomsg, TransportHeader, encode_header
from tests.conformance.oracle.oracle_fakes import (
    STORE,
    XID,
    TinyMemory,
    TinyProgram,
    chunk,
    msg,
    rpc_call,
)

STATE = ResponderState(upper_layer=TinyProgram())
GOOD_CALL = expected(msg(), STATE)
BAD_HEADER = expected(msg()[:16] + b"\0\0\0\x09" + msg()[20:], STATE)
BAD_VERSION = expected(msg(version=3), STATE)
BAD_ARGUMENTS = expected(msg(rpc_call(STORE, b"\0\0\0\x09abc")), STATE)


def err_chunk(xid: int = XID, version: int = 1, credit: int = 4, tail: bytes = b"") -> Outcome:
    body = RdmaError(wire.ErrChunk())
    return read_outcome(encode_header(TransportHeader(xid, version, credit, body)) + tail)


def err_vers(low: int, high: int, version: int = 3) -> Outcome:
    body = RdmaError(wire.ErrVers(low, high))
    return read_outcome(encode_header(TransportHeader(XID, version, 4, body)))


def reply(outcome: RpcOutcome = RpcOutcome.SUCCESS, credit: int = 4) -> Outcome:
    header = TransportHeader(XID, 1, credit, RdmaMsg((), (), None))
    return read_outcome(encode_header(header) + encode_reply(RpcReply(XID, outcome)))


@pytest.mark.parametrize(
    ("expectation", "outcome"),
    [
        (GOOD_CALL, reply()),
        (GOOD_CALL, reply(RpcOutcome.SYSTEM_ERR)),
        (BAD_HEADER, err_chunk()),
        (BAD_VERSION, err_vers(1, 1)),
        (BAD_ARGUMENTS, reply(RpcOutcome.GARBAGE_ARGS)),
    ],
)
def test_allowed_outcome_passes(expectation: Expectation, outcome: Outcome) -> None:
    assert expectation.judge(outcome).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("expectation", "outcome", "violated"),
    [
        (GOOD_CALL, Silent(1.0), "rfc8166.2.2.2.reply-xid-is-the-calls"),
        (GOOD_CALL, reply(credit=0), "rfc8166.3.3.1.grant-is-never-zero"),
        (BAD_HEADER, Silent(1.0), "rfc8166.4.5.2.xdr-error-gets-err-chunk"),
        (BAD_HEADER, Disconnected(""), "rfc8166.4.5.2.xdr-error-gets-err-chunk"),
        (BAD_HEADER, reply(), "rfc8166.4.5.2.xdr-error-gets-err-chunk"),
        (BAD_HEADER, err_chunk(xid=9), "rfc8166.4.5.error-xid-echoed"),
        (BAD_HEADER, err_chunk(version=2), "rfc8166.4.5.error-version-echoed"),
        (BAD_HEADER, err_chunk(tail=bytes(8)), "rfc8166.4.2.4.error-carries-no-payload"),
        (BAD_VERSION, err_vers(0, 2), "rfc8166.4.5.1.err-vers-range"),
        (BAD_VERSION, err_vers(1, 1, version=1), "rfc8166.4.5.error-version-echoed"),
        (
            BAD_ARGUMENTS,
            reply(RpcOutcome.SUCCESS),
            "rfc8166.4.5.2.unparsable-arguments-get-garbage-args",
        ),
    ],
)
def test_other_outcome_fails_and_names_the_requirement(
    expectation: Expectation, outcome: Outcome, violated: str
) -> None:
    judgement = expectation.judge(outcome)

    assert (judgement.verdict, judgement.violated[0]) == (Verdict.FAIL, violated)
    assert judgement.reason


def test_failure_lists_the_alternatives_and_what_came() -> None:
    reason = BAD_HEADER.judge(Silent(2.5)).reason

    assert reason == "expected ERR_CHUNK; got nothing within 2.5 s"


@pytest.mark.parametrize(
    ("expectation", "outcome", "requirement"),
    [
        (
            BAD_ARGUMENTS,
            reply(RpcOutcome.SYSTEM_ERR),
            "rfc8166.4.5.2.unparsable-arguments-get-garbage-args",
        ),
        (BAD_HEADER, err_chunk(credit=0), "rfc8166.3.3.1.every-reply-grants-credits"),
    ],
)
def test_tolerated_outcome_warns(
    expectation: Expectation, outcome: Outcome, requirement: str
) -> None:
    judgement = expectation.judge(outcome)

    assert (judgement.verdict, judgement.violated) == (Verdict.WARN, (requirement,))


def test_verdict_names_the_interpretation_it_rests_on() -> None:
    expectation = expected(msg(rpc_call(xid=XID + 1)), STATE)

    assert expectation.judge(err_chunk()) == Judgement(Verdict.PASS, interpretations=("D-12",))


def test_long_reply_is_judged_by_what_the_reply_chunk_holds() -> None:
    memory = TinyMemory(writable=frozenset({9}))
    call = msg(rpc_call(STORE, b"\0\0\0\x09abc"), reply=chunk(64))
    expectation = expected(call, ResponderState(upper_layer=TinyProgram(), memory=memory))
    body = RdmaNomsg((), (), chunk(24))
    outcome = read_outcome(encode_header(TransportHeader(XID, 1, 4, body)))
    held = encode_reply(RpcReply(XID, RpcOutcome.GARBAGE_ARGS))

    assert expectation.judge(outcome, held).verdict is Verdict.PASS
    assert expectation.judge(outcome).verdict is Verdict.FAIL
