"""What the judge of the backward direction says about single messages."""

from __future__ import annotations

import pytest

from conformance.explore.backward_judge import BackwardJudge
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, WriteChunk, encode_header

CALL = calls.null(7)
REPLY = calls.expected_reply(CALL)
ROOM = (WriteChunk((RdmaSegment(1, 8, 0),)),)


def message(
    payload: bytes, *, xid: int = 7, grant: int = 2, writes: tuple[WriteChunk, ...] = ()
) -> bytes:
    return encode_header(TransportHeader(xid, 1, grant, RdmaMsg((), writes, None))) + payload


@pytest.fixture
def judge() -> BackwardJudge:
    return BackwardJudge(TestProgram())


def test_good_exchange(judge: BackwardJudge) -> None:
    assert list(judge.called(message(CALL))) == []
    assert list(judge.answered(message(REPLY))) == []


def test_call_with_chunks(judge: BackwardJudge) -> None:
    assert any("bidir.1.5.3" in line for line in judge.called(message(CALL, writes=ROOM)))


def test_call_that_requests_no_credits(judge: BackwardJudge) -> None:
    assert any("bidir.2.1.2.credit" in line for line in judge.called(message(CALL, grant=0)))


def test_second_call_before_the_first_reply(judge: BackwardJudge) -> None:
    list(judge.called(message(CALL)))
    second = calls.null(8)

    assert any("first-reply" in line for line in judge.called(message(second, xid=8)))


def test_reply_to_nothing(judge: BackwardJudge) -> None:
    assert list(judge.answered(message(REPLY))) == [
        "a backward Reply under whose XID nothing is open"
    ]


def test_reply_of_another_call(judge: BackwardJudge) -> None:
    list(judge.called(message(calls.echo(7, b"note"))))

    assert "a backward Reply that is not the Call's own" in list(judge.answered(message(REPLY)))
