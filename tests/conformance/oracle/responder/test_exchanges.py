"""Whatever a server says is held against the oracle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from conformance.oracle.outcome import Answered, read_outcome
from conformance.oracle.responder.exchanges import Exchanges
from conformance.tester.client import build, mutate
from conformance.tester.client.harness import Harness
from rpcrdma.wire import ErrChunk as ErrChunkBody
from rpcrdma.wire import RdmaError, TransportHeader, encode_header

if TYPE_CHECKING:
    from types import ModuleType

    from conformance.oracle.outcome import Outcome
    from conformance.tester.client.peer import Peer


def err_chunk(xid: int) -> Outcome:
    return read_outcome(encode_header(TransportHeader(xid, 1, 8, RdmaError(ErrChunkBody()))))


def answer(peer: Peer) -> Answered:
    """That of the reference to a good call."""
    peer.send(build.null_call(peer))
    outcome = peer.receive()
    assert isinstance(outcome, Answered)
    return outcome


def test_right_answers_break_nothing(peer: Peer) -> None:
    answer(peer)
    peer.send(mutate.version(build.null_call(peer), 99))
    peer.receive()

    assert peer.broken() == ()


def test_a_good_call_is_not_refused(peer: Peer) -> None:
    exchanges = Exchanges(1)
    call = build.null_call(peer)
    exchanges.sending(call.sends, peer.state)

    exchanges.arrived(err_chunk(call.xid), None)

    (rule,) = exchanges.broken(())
    assert rule.ids == ("rfc8166.2.2.2.reply-xid-is-the-calls",)
    assert "got ERR_CHUNK" in rule.detail


def test_the_case_says_what_may_answer_its_own_message(peer: Peer) -> None:
    exchanges = Exchanges(1)
    call = build.null_call(peer)
    exchanges.sending(call.sends, peer.state)

    exchanges.arrived(err_chunk(call.xid), None)

    assert tuple(exchanges.broken({call.sends})) == ()


def test_rules_about_replies_hold_for_those_too(peer: Peer) -> None:
    good = answer(peer)
    exchanges = Exchanges(1)
    call = build.call(peer, peer.workload.null(), xid=good.xid)
    exchanges.sending(call.sends, peer.state)
    header = msgspec.structs.replace(good.header, rdma_credit=0)

    exchanges.arrived(read_outcome(encode_header(header) + good.payload), None)

    (rule,) = exchanges.broken({call.sends})
    assert rule.ids == ("rfc8166.3.3.1.grant-is-never-zero",)


def test_what_answers_nothing_is_told(peer: Peer) -> None:
    exchanges = Exchanges(1)
    call = build.null_call(peer)
    exchanges.sending(call.sends, peer.state)
    good = answer(peer)
    header = msgspec.structs.replace(good.header, rdma_xid=call.xid)
    payload = call.xid.to_bytes(4) + good.payload[4:]

    exchanges.arrived(read_outcome(encode_header(header) + payload), None)
    assert tuple(exchanges.broken(())) == ()

    exchanges.arrived(read_outcome(encode_header(header) + payload), None)
    (rule,) = exchanges.broken(())
    assert "answers nothing that is in flight" in rule.detail


def test_garbage_is_told(mini: ModuleType) -> None:
    harness = Harness(mini.MiniatureTarget(mini.babbling))
    harness.begin()
    peer = harness.connect()
    peer.send(b"anything")
    peer.receive()

    (rule,) = peer.broken()

    assert "rfc8166.4.header-is-xdr" in rule.ids


def test_what_is_broken_before_a_case_ends_it(mini: ModuleType) -> None:
    harness = Harness(mini.MiniatureTarget(mini.twice))
    harness.begin()
    harness.ready_peer()
    harness.ready_peer().waiting()
    harness.end()

    found = harness.judged(None, ())

    assert "answers nothing that is in flight" in str(found)
