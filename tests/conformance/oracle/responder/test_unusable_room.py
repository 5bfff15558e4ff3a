"""Results that must be written where nobody can write."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.oracle.responder.expectation import ResponderState
from conformance.oracle.responder.expected import expected
from conformance.oracle.responder.unusable_room import needs_unusable_memory
from rpcrdma.ulp import rpc, testprog_calls
from rpcrdma.ulp.bindings import ReplyExpectation
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, RdmaSegment, WriteChunk
from tests.conformance.oracle.oracle_fakes import XID, chunk, msg

ROOM = 1000
GOOD = 9
"""A handle under which `ROOM` octets may be written, from offset 64 on."""
BAD = 8
FETCH = ReplyExpectation(28 + 800, (800,), exact=True)
LONG = ReplyExpectation(28 + 4000, exact=True)
TWO = ReplyExpectation(28 + 1200, (400, 800), exact=True)


class Memory:
    """The memory under `GOOD`."""

    def fetch(self, segment: RdmaSegment) -> bytes | None:
        raise AssertionError(f"nothing is read from {segment}")

    def contents(self, segments: object) -> bytes | None:
        raise AssertionError(f"nobody looks into {segments}")

    def is_writable(self, segment: RdmaSegment) -> bool:
        return segment.handle == GOOD and segment.offset + segment.length <= 64 + ROOM


def needs(reply: ReplyExpectation, *writes: WriteChunk, room: WriteChunk | None = None) -> bool:
    return needs_unusable_memory(RdmaMsg((), writes, room), reply, Memory(), 1024)


def test_a_result_goes_into_its_chunk() -> None:
    assert needs(FETCH, chunk(800, handle=BAD))
    assert not needs(FETCH, chunk(800))
    assert not needs(FETCH)


def test_as_much_of_a_chunk_counts_as_the_result_needs() -> None:
    assert not needs(FETCH, chunk(5 * ROOM))
    assert needs(ReplyExpectation(2028, (2000,), exact=True), chunk(5 * ROOM))
    behind = WriteChunk((*chunk(800).target, *chunk(800, handle=BAD).target))
    assert not needs(FETCH, behind)
    assert needs(ReplyExpectation(932, (904,), exact=True), behind)


def test_a_chunk_that_asks_for_its_result_inline_needs_no_memory() -> None:
    assert not needs(FETCH, WriteChunk(()))
    assert needs(TWO, WriteChunk(()), chunk(800, handle=BAD))


def test_what_does_not_fit_inline_goes_into_the_reply_chunk() -> None:
    assert needs(LONG, room=chunk(5000, handle=BAD))
    assert needs(LONG, room=chunk(5000))
    assert not needs(FETCH, room=chunk(5000, handle=BAD))
    assert not needs(TWO, chunk(400), chunk(800), room=chunk(5000, handle=BAD))
    assert not needs(LONG)


@pytest.mark.parametrize(
    "unsure", [replace(FETCH, exact=False), replace(TWO, items=(0, 800))], ids=["may be less", "no"]
)
def test_what_may_need_less_is_no_reason(unsure: ReplyExpectation) -> None:
    assert not needs(unsure, chunk(800, handle=BAD), chunk(800, handle=BAD))


def test_no_success_can_come_from_memory_that_cannot_be_written() -> None:
    state = ResponderState(upper_layer=TestProgram(), memory=Memory())
    call = testprog_calls.fetch(XID, 800, 1)

    good = expected(msg(call, writes=(chunk(800),)), state)
    bad = expected(msg(call, writes=(chunk(800, handle=BAD),)), state)

    assert [str(item) for item in good.allowed] == ["a Reply"]
    assert [str(item) for item in bad.allowed] == [
        "loss of the connection",
        "ERR_CHUNK",
        "an RPC error reply",
    ]
    assert bad.allowed[0].ids == ("rfc8166.4.5.3.invalid-chunk-is-a-remote-access-error",)
    assert rpc.RpcOutcome.SUCCESS not in bad.allowed[2].kind.statuses
