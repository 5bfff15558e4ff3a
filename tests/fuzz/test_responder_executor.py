from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.outcome import Answered, Disconnected, Silent
from fuzz.harnesses.v1_responder import reference
from fuzz.invariant import BrokenInvariant
from fuzz.responder_executor import ResponderExecutor, good_call, xid_of
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp import nfs3
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, WriteChunk, encode_header
from targets.reference.server_parts import Parts, responder_factory

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action, Send

HEADER = good_call(1)[4:28]
NOWHERE = RdmaMsg((), (WriteChunk((RdmaSegment(0xDEAD, 100, 0),)),), None)
LOST = encode_header(TransportHeader(2, 1, 8, NOWHERE)) + calls.fetch(2, 100)


def call(payload: bytes) -> bytes:
    return payload[:4] + HEADER + payload


def test_each_message_has_its_outcome() -> None:
    execution = ResponderExecutor(reference()).run([good_call(1), b"short", good_call(2)])

    first, short, second = execution.outcomes
    assert isinstance(first.outcome, Answered)
    assert isinstance(short.outcome, Silent)
    assert (first.xid, second.xid) == (1, 2)
    assert xid_of(second.answers[0]) == 2
    assert execution.alive


def test_a_message_after_the_end_of_a_connection_goes_to_another() -> None:
    execution = ResponderExecutor(reference()).run([LOST, good_call(3)])

    lost, served = execution.outcomes
    assert lost.ended
    assert isinstance(lost.outcome, Disconnected)
    assert isinstance(served.outcome, Answered)
    assert not served.ended


def test_a_held_call_is_answered_by_a_later_message() -> None:
    sequence = [call(calls.hold(1, 3)), call(calls.release(2, 3))]
    held, release = ResponderExecutor(reference()).run(sequence).outcomes

    assert held.deferred
    assert held.answers == ()
    assert [xid_of(answer) for answer in release.answers] == [2, 1]


def test_no_execution_finds_what_another_has_written() -> None:
    root = FileStore().root.handle
    new = [call(nfs3.call(xid, nfs3.create(root, b"new"))) for xid in (1, 2)]
    seen = call(nfs3.call(3, nfs3.lookup(root, b"new")))
    executor = ResponderExecutor(reference())

    before = executor.run([seen])
    executor.run([*new, seen])

    assert executor.run([seen]) == before
    assert str(executor.run([new[0], seen]).outcomes[1]) != str(before.outcomes[0])


class ServesNobody(Responder):
    """Answers nothing."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        return []


def test_who_does_not_serve_the_last_call_is_not_alive() -> None:
    execution = ResponderExecutor(lambda: responder_factory(Parts(responder=ServesNobody))).run([])

    assert not execution.alive
    assert execution.unserved == "a good call got []"


def test_what_has_no_xid_is_garbage() -> None:
    with pytest.raises(BrokenInvariant, match="garbage-sent"):
        xid_of(Silent(0.0))
