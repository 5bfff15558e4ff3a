"""What the judge of the wire says about traces that are wrong in one way."""

from __future__ import annotations

import pytest

from conformance.explore.wire_judge import WireJudge
from conformance.oracle.device import Device
from rpcrdma.endpoint.core.thresholds import DEFAULT
from rpcrdma.fabric.trace import EventKind, Side, TraceEvent
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, WriteChunk, encode_header

XID = 7
CALL = calls.fetch(XID, 2000, 1)
REPLY = calls.expected_reply(CALL)
SEGMENT = RdmaSegment(0x55, 2000, 4096)
DATA = REPLY[-2000:]


def event(kind: EventKind, side: Side, data: bytes = b"", **more: object) -> TraceEvent:
    length = more.pop("length", len(data))
    return TraceEvent(0.0, 1, side, kind, data, length=length, **more)


def message(payload: bytes) -> bytes:
    body = RdmaMsg((), (WriteChunk((SEGMENT,)),), None)
    return encode_header(TransportHeader(XID, 1, 8, body)) + payload


REGISTER = event(
    EventKind.REGISTER, Side.LOCAL, handle=0x55, offset=4096, length=2000, detail="REMOTE_WRITE"
)
ASK = event(EventKind.SEND, Side.LOCAL, message(CALL))
WRITE = event(EventKind.RDMA_WRITE, Side.PEER, DATA, handle=0x55, offset=4096)
ANSWER = event(EventKind.SEND, Side.PEER, message(REPLY[:-2000]))
INVALIDATE = event(EventKind.INVALIDATE, Side.LOCAL, handle=0x55)

GOOD = [REGISTER, ASK, WRITE, ANSWER, INVALIDATE]


def judged(events: list[TraceEvent]) -> WireJudge:
    judge = WireJudge(TestProgram(), {XID: CALL}.get, DEFAULT, Device())
    judge.take(events)
    return judge


def test_good_exchange() -> None:
    judge = judged(GOOD)

    assert (judge.problems, judge.warnings, judge.exposed()) == ([], [], ())


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        ([ASK], "tells of memory that is not there"),
        ([REGISTER, ASK, ASK], "call-xid-is-unique"),
        ([REGISTER, ASK, ANSWER, WRITE], "RDMA Write of memory whose RPC is over"),
        ([REGISTER, WRITE], "RDMA Write of memory whose RPC is over"),
        ([*GOOD, ANSWER], "under which nothing is open"),
        ([event(EventKind.RDMA_READ, Side.LOCAL)], "the Requester uses RDMA Read"),
        ([REGISTER, INVALIDATE, ASK], "tells of memory that is not there"),
        (
            [
                REGISTER,
                ASK,
                event(
                    EventKind.SEND,
                    Side.PEER,
                    ANSWER.data.replace(b"\0\0\x07\xd0", b"\0\0\x07\xd4", 1),
                ),
            ],
            "no-more-data-than-room",
        ),
    ],
)
def test_exchange_that_is_wrong_in_one_way(events: list[TraceEvent], problem: str) -> None:
    assert any(problem in str(rule) for rule in judged(events).problems)


def test_memory_that_was_not_taken_back_is_exposed() -> None:
    assert judged(GOOD[:-1]).exposed() == (0x55,)


# -- the backward direction: Calls of the server, Replies of the client

BACK = calls.null(9)


def backward(side: Side, payload: bytes, *, xid: int = 9, grant: int = 2) -> TraceEvent:
    header = TransportHeader(xid, 1, grant, RdmaMsg((), (), None))
    return event(EventKind.SEND, side, encode_header(header) + payload)


def chunked(side: Side, payload: bytes) -> TraceEvent:
    header = TransportHeader(9, 1, 2, RdmaMsg((), (WriteChunk((SEGMENT,)),), None))
    return event(EventKind.SEND, side, encode_header(header) + payload)


def test_good_backward_exchange() -> None:
    judge = judged(
        [backward(Side.PEER, BACK), backward(Side.LOCAL, calls.expected_reply(BACK))],
    )

    assert (judge.problems, judge.warnings) == ([], [])


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        ([chunked(Side.PEER, BACK)], "bidir.2.5.call-has-empty-lists"),
        ([backward(Side.PEER, BACK, grant=0)], "bidir.2.1.2.credit-is-never-zero"),
        (
            [backward(Side.PEER, BACK), backward(Side.PEER, calls.null(10), xid=10)],
            "bidir.2.1.2.backward-calls-within-the-grant",
        ),
        (
            [backward(Side.LOCAL, calls.expected_reply(BACK))],
            "bidir.1.3.4.reply-xid-is-the-calls",
        ),
        (
            [
                backward(Side.PEER, calls.echo(9, b"note")),
                backward(Side.LOCAL, calls.expected_reply(BACK)),
            ],
            "a backward Reply that is not the Call's own",
        ),
    ],
)
def test_wrong_backward_messages(events: list[TraceEvent], problem: str) -> None:
    assert any(problem in str(rule) for rule in judged(events).problems)
