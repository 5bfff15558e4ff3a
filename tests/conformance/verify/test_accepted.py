"""What verifications note for the comparison with the oracle."""

from __future__ import annotations

from conformance import verify
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk
from conformance.oracle.responder.expectation import Answer
from conformance.tester.client import build
from conformance.verify import accepted
from rpcrdma.fabric.base import Access
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome
from tests.conformance.miniatures import good
from tests.conformance.verify.test_answers import connect

SUCCESS = frozenset({RpcOutcome.SUCCESS})


def test_a_served_call_is_one_of_status_success() -> None:
    peer = connect(good)
    call = build.null_call(peer)
    peer.send(call)

    verify.served(peer, call)

    (noted,) = peer.case.acceptances
    assert (noted.message, noted.allowed) == (call, (Answer(Answered, SUCCESS),))


def test_statuses_of_refusals_are_tolerated_where_a_reply_is_accepted() -> None:
    peer = connect(good)
    call = build.null_call(peer)

    accepted.note(peer, call, (ErrChunk, Answered), (Disconnected,), accepted.REFUSED)
    accepted.note(peer, call, (ErrChunk,), (), accepted.REFUSED)

    replies, errors = peer.case.acceptances
    assert Answer(Answered, accepted.REFUSED.tolerated) in replies.tolerated
    assert errors.tolerated == ()


def test_the_state_has_the_memory_of_its_moment() -> None:
    peer = connect(good)
    chunk = peer.room((8,))
    before = peer.state.memory

    peer.invalidate(chunk)
    later = peer.register(8, Access.REMOTE_READ)

    assert before.is_writable(chunk.told[0])
    assert not peer.state.memory.is_writable(chunk.told[0])
    assert later.handle != chunk.told[0].handle
