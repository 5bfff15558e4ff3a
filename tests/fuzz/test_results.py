"""Results that lost an octet, or have another, are seen; what nobody can say is let pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.explore.named_memory import WRITABLE
from conformance.oracle.outcome import Answered, Silent
from fuzz.responder_executor import ResponderExecutor
from fuzz.results import written_by, wrong_results
from fuzz.world import RequesterMemory
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, WriteChunk, encode_header
from targets.reference.server_parts import responder_factory

if TYPE_CHECKING:
    from fuzz.responder_executor import Delivered

ROOM = RdmaSegment(WRITABLE.handle, 100, WRITABLE.offset)


def delivered(payload: bytes, *room: RdmaSegment) -> Delivered:
    writes = (WriteChunk(room),) if room else ()
    header = TransportHeader(int.from_bytes(payload[:4]), 1, 8, RdmaMsg((), writes, None))
    executor = ResponderExecutor(responder_factory)
    return executor.run([encode_header(header) + payload]).outcomes[0]


def wrong(one: Delivered, **changed: object) -> str:
    given = {"message": one.message, "outcome": one.outcome, "held": one.held}
    return wrong_results(**{**given, "written": one.written, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize("room", [(), (ROOM,)])
def test_right_results_are_right(room: tuple[RdmaSegment, ...]) -> None:
    assert not wrong(delivered(calls.fetch(3, 100), *room))


def test_another_octet_is_seen_in_a_chunk_and_inline() -> None:
    chunked, inline = delivered(calls.fetch(3, 100), ROOM), delivered(calls.echo(3, b"note"))
    assert chunked.written is not None
    ((target, octets),) = chunked.written
    assert "another than" in wrong(chunked, written=((target, octets[:-1] + b"?"),))

    outcome = inline.outcome
    assert isinstance(outcome, Answered)
    changed = Answered(outcome.header, outcome.body, outcome.payload[:-4] + b"moth", 0)
    assert "another than" in wrong(inline, outcome=changed)


def test_a_result_that_lacks_an_octet_is_seen() -> None:
    one = delivered(calls.fetch(3, 100), ROOM)
    shorter = RdmaSegment(ROOM.handle, 99, ROOM.offset)
    assert isinstance(one.outcome, Answered)
    body = RdmaMsg((), (WriteChunk((shorter,)),), None)
    told = Answered(one.outcome.header, body, one.outcome.payload, one.outcome.length)

    assert wrong(one, outcome=told, written=(((shorter,), bytes(99)),))


def test_what_nobody_can_say_is_let_pass() -> None:
    one = delivered(calls.fetch(3, 100), ROOM)

    assert not wrong(one, written=None)
    assert not wrong(one, outcome=Silent(0.0))
    assert written_by(Silent(0.0), RequesterMemory()) is None
    assert not wrong(delivered(calls.release(3, 1)))


def test_chunks_that_overlap_tell_nothing() -> None:
    header = TransportHeader(3, 1, 8, RdmaMsg((), (WriteChunk((ROOM, ROOM)),), None))
    outcome = Answered(header, RdmaMsg((), (WriteChunk((ROOM, ROOM)),), None), b"", 0)

    assert written_by(outcome, RequesterMemory()) is None
