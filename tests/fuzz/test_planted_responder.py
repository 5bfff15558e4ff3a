"""A planted bug of a Responder shows in what it is about, and not in good calls."""

from __future__ import annotations

import pytest

from conformance.explore.named_memory import READABLE, WRITABLE
from fuzz.engine import implementation, judge
from fuzz.harnesses import v1_responder
from fuzz.invariant import BrokenInvariant
from fuzz.planted_responder import IN_RESPONDERS
from fuzz.responder_executor import good_call
from fuzz.sequence import join
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
    encode_header,
)

NOWHERE = RdmaNomsg((ReadSegment(0, RdmaSegment(0xBAD, 40, 0)),), (), None)
FATAL = encode_header(TransportHeader(7, 1, 1, NOWHERE))
"""A Long Call whose memory does not exist costs the connection."""
REFUSED = encode_header(TransportHeader(8, 1, 1, RdmaNomsg((), (), None)))


def reads(*words: tuple[int, int]) -> tuple[ReadSegment, ...]:
    """A Read list: Position and length of each segment, in readable memory."""
    return tuple(
        ReadSegment(position, RdmaSegment(READABLE.handle, length, READABLE.offset))
        for position, length in words
    )


def message(xid: int, body: RdmaMsg | RdmaNomsg, payload: bytes = b"") -> bytes:
    return encode_header(TransportHeader(xid, 1, 8, body)) + payload


STORED = calls.store_two(3, bytes(8), b"note", bytes(4))
FIRST, SECOND = TestProgram().arguments(STORED)
KEPT, _ = reduce(STORED, (FIRST, SECOND))
SPLIT = (
    *reads((FIRST.position, 4)),
    ReadSegment(FIRST.position, RdmaSegment(READABLE.handle, 4, READABLE.offset + 4)),
    *reads((SECOND.position, 4)),
)

ENDLESS = reads(*[(0, 2**31)] * 2)
ROOM = WriteChunk((RdmaSegment(WRITABLE.handle, 99, WRITABLE.offset),))

SHOWN = {
    "segment-order": ((message(3, RdmaMsg(SPLIT, (), None), KEPT),), "wrong-results"),
    "read-limit": ((message(3, RdmaNomsg(ENDLESS, (), None)),), "memory-unbounded"),
    "room-by-one": (
        (message(3, RdmaMsg((), (ROOM,), None), calls.fetch(3, 100)),),
        "wrong-results",
    ),
    "after-error": ((REFUSED, good_call(9)), "oracle"),
    "second-connection": ((FATAL, good_call(9)), "not-served"),
}


@pytest.mark.parametrize("name", IN_RESPONDERS)
def test_it_shows(name: str) -> None:
    messages, invariant = SHOWN[name]
    with pytest.raises(BrokenInvariant) as caught:
        judge(v1_responder.check, join(list(messages)), subject(name))

    assert caught.value.invariant == invariant


@pytest.mark.parametrize("name", IN_RESPONDERS)
def test_calls_alone_do_not_show_it(name: str) -> None:
    judge(v1_responder.check, join([good_call(8), good_call(9)]), subject(name))


@pytest.mark.parametrize("name", IN_RESPONDERS)
def test_the_reference_bears_it(name: str) -> None:
    messages, _ = SHOWN[name]
    judge(v1_responder.check, join(list(messages)), v1_responder.reference())


def subject(name: str) -> object:
    return implementation(IN_RESPONDERS[name][1])()
