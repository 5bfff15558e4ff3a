"""The tester as a server that calls back, against the reference client and its mutants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.backward import build as build_backward
from conformance.backward.server import PATIENCE, BackwardServer
from conformance.oracle.outcome import Answered, ErrChunk, read_outcome
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.server.harness import ClientHarness
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaSegment
from targets.base import Unsupported
from targets.mutants.base import mutant_target
from targets.profile import Binding
from targets.reference.client import ReferenceClientTarget
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Iterator

PROFILE = find_profile("reference-client")


def running(name: str = "") -> ClientHarness:
    target = mutant_target(name, PROFILE) if name else ReferenceClientTarget(PROFILE)
    assert isinstance(target, ReferenceClientTarget)
    harness = ClientHarness(target)
    harness.begin()
    return harness


@pytest.fixture
def server() -> Iterator[BackwardServer]:
    """Of the reference client, which has just made a good call."""
    harness = running()
    yield BackwardServer.of(harness.ready())
    harness.close()


def test_a_call_gets_its_right_reply(server: BackwardServer) -> None:
    xids = [server.call(lambda xid: calls.echo(xid, b"note")) for _ in range(3)]
    replies = [server.answered(xid) for xid in xids]
    assert [reply.xid for reply in replies] == xids
    assert len(server.answers(xids[0])) == 1
    assert server.service.violations == ()


def test_calls_of_the_client_are_served_meanwhile(server: BackwardServer) -> None:
    """And are no business of the backward direction."""
    before = len(server.service.received)
    server.answered(server.call(calls.null))
    assert len(server.service.received) == before


def test_silence_is_no_reply(server: BackwardServer) -> None:
    xid = server.call(lambda xid: calls.hold(xid, 1))
    server.unanswered(xid)
    with pytest.raises(Deviation, match="was not answered by a Reply: nothing") as caught:
        server.answered(xid, breaks="bidir.2.6.reply-has-the-calls-xid")
    assert caught.value.breaks == ("bidir.2.6.reply-has-the-calls-xid",)


def test_an_error_is_no_reply_and_no_execution(server: BackwardServer) -> None:
    xid = server.next_xid()
    good = build_backward.call(xid, calls.null(xid))
    segment = RdmaSegment(1, 64, 0)
    server.send(build_backward.with_chunks(good, segment, "write-list").octets, xid)
    server.unanswered(xid)
    assert [type(outcome) for outcome in server.answers(xid)] == [ErrChunk]
    with pytest.raises(Deviation, match="ERR_CHUNK"):
        server.answered(xid)


def test_a_reply_to_what_must_not_be_executed_is_a_deviation(server: BackwardServer) -> None:
    """An error of the RPC layer says that nothing was executed."""
    refused = server.call(lambda xid: calls.echo(xid, b"")[:-4])
    server.unanswered(refused)
    executed = server.call(calls.null)
    with pytest.raises(Deviation, match="was executed") as caught:
        server.unanswered(executed, breaks="bidir.2.4.runt-has-no-effect")
    assert caught.value.breaks == ("bidir.2.4.runt-has-no-effect",)
    assert all(isinstance(outcome, Answered) for outcome in server.received)


def test_a_reply_that_cannot_be_read_is_no_execution_but_is_not_as_it_must_be(
    server: BackwardServer,
) -> None:
    """As of a server that refuses what is cut, and forgets the verifier."""
    xid = server.call(calls.null)
    server.answered(xid)
    (whole,) = server.answers(xid)
    assert isinstance(whole, Answered)
    cut = build_backward.BackwardMessage(xid, whole.payload[:16]).octets
    server.received[:] = [read_outcome(cut)]
    with pytest.raises(Deviation, match="no whole RPC Reply follows") as caught:
        server.unanswered(xid, breaks="bidir.2.4.runt-has-no-effect")
    assert caught.value.breaks == ("bidir.2.6.reply-header-follows-with-the-same-xid",)


def test_what_was_recalled_is_waited_for(
    server: BackwardServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answered(server.call(server.calls.recall))
    server.given_back()
    monkeypatch.setattr(server.calls, "outstanding", lambda: True)
    with pytest.raises(Inconclusive, match="does not give back"):
        server.given_back()


def test_what_nobody_asked_for_is_a_deviation(server: BackwardServer) -> None:
    server.silent()
    server.answered(server.call(calls.null))
    with pytest.raises(Deviation, match="nobody made") as caught:
        server.silent(breaks="bidir.1.5.1.interoperates-without-support")
    assert caught.value.breaks == ("bidir.1.5.1.interoperates-without-support",)


def test_a_call_that_is_put_off_is_made_again(
    server: BackwardServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a Call of its own, whose Reply counts."""
    first = server.next_xid()
    monkeypatch.setattr(
        server.calls,
        "put_off",
        lambda call, _reply: calls.null if call == calls.null(first) else None,
    )

    reply = server.answered(server.call(calls.null, xid=first))

    assert reply.xid == first + 1
    assert len(server.received) == 2


def test_a_call_that_is_put_off_for_ever_decides_nothing(
    server: BackwardServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.calls, "put_off", lambda _call, _reply: calls.null)
    with pytest.raises(Inconclusive, match="puts the backward Call off again and again"):
        server.answered(server.call(calls.null))
    assert len(server.received) == PATIENCE


def test_wrong_results_are_a_deviation(server: BackwardServer) -> None:
    xid = server.call(calls.null)
    server._calls[xid] = calls.echo(xid, b"something else")
    with pytest.raises(Deviation, match="results of a backward Call are wrong"):
        server.answered(xid)


@pytest.mark.parametrize(
    ("name", "requirement"),
    [
        ("answers-backward-calls-in-version-three", "bidir.2.6.reply-has-version-one"),
        ("answers-backward-calls-by-calls", "bidir.2.6.reply-msg-type"),
        (
            "answers-backward-calls-with-two-xids",
            "bidir.2.6.reply-header-follows-with-the-same-xid",
        ),
        ("grants-no-backward-credit", "bidir.2.1.2.credit-is-never-zero"),
    ],
)
def test_each_reply_is_judged(name: str, requirement: str) -> None:
    harness = running(name)
    server = BackwardServer.of(harness.ready())
    xid = server.call(calls.null)
    with pytest.raises(Deviation, match="not as it must be") as caught:
        server.answered(xid)
    assert caught.value.breaks == (requirement,)
    harness.close()


def test_a_long_message_in_place_of_a_reply_is_noticed() -> None:
    harness = running("answers-backward-calls-by-nomsg")
    server = BackwardServer.of(harness.ready())
    xid = server.call(calls.null)
    with pytest.raises(Deviation, match="RDMA_NOMSG") as caught:
        server.answered(xid)
    assert caught.value.breaks == ("bidir.2.6.reply-is-rdma-msg",)
    harness.close()


def test_a_binding_without_backward_calls_says_so(server: BackwardServer) -> None:
    server.service.profile = msgspec.structs.replace(PROFILE, binding=Binding.NFS3)
    with pytest.raises(Unsupported, match="nfs3"):
        BackwardServer.of(server.service)


def test_calls_a_client_back_in_the_version_of_its_connection() -> None:
    harness = running()
    server = BackwardServer.of(harness.ready_two())
    xid = server.call(lambda xid: server.calls.long_call(xid, 2000))

    reply = server.answered(xid)

    assert (server.version, server.threshold, reply.header.rdma_vers) == (2, 4096, 2)
    harness.close()


def test_what_is_cut_is_dropped_or_garbage(server: BackwardServer) -> None:
    garbage = server.call(lambda xid: calls.echo(xid, b"")[:-4])
    server.dropped_or_garbage(garbage)
    assert server.service.case.warnings == []

    unknown = server.call(
        lambda xid: calls.null(xid)[:20] + (99).to_bytes(4) + calls.null(xid)[24:]
    )
    server.dropped_or_garbage(unknown)

    (warning,) = server.service.case.warnings
    assert warning.ids == ("rfc8166.4.5.2.unparsable-arguments-get-garbage-args",)
