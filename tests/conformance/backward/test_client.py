"""The tester as a client that is called back, against the reference and against what it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.backward import build as build_backward
from conformance.backward.client import BackwardClient, is_refusal
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    ErrChunk,
    ErrVers,
    Outcome,
    Silent,
    read_outcome,
)
from conformance.oracle.responder.expectation import Answer
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.client import build
from conformance.tester.client.harness import Harness
from conformance.verify import accepted
from rpcrdma.ulp import rpc
from rpcrdma.ulp.backprog import Tally
from targets.base import Unsupported
from targets.mutants.base import mutant_target
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.tester.client.peer import Peer


@pytest.fixture
def client(peer: Peer) -> BackwardClient:
    made = BackwardClient.of(peer)
    made.announce()
    return made


@pytest.fixture
def against(request: pytest.FixtureRequest) -> Iterator[BackwardClient]:
    """A client of the mutant that the test names."""
    harness = Harness(mutant_target(request.param, find_profile("reference")))
    harness.begin()
    yield BackwardClient.of(harness.connect())
    harness.close()


def test_calls_are_answered_and_the_device_counts_them(client: BackwardClient) -> None:
    client.provoke(3)
    for _ in range(3):
        client.answer(client.next_call())
    client.no_call("there were three")
    assert client.tally() == Tally(answered=3)
    assert client.in_flight == {}
    assert client.granted == build_backward.CREDITS


def test_calls_that_come_among_forward_replies_are_kept(client: BackwardClient) -> None:
    client.provoke(1)
    client.serve(client.peer.workload.small())
    called = client.next_call()
    assert list(client.in_flight) == [called.xid]


def test_no_more_calls_are_taken_than_asked_for(client: BackwardClient) -> None:
    client.provoke(4)
    client.answer(client.next_call(), credits=3)
    assert len(client.calls(2)) == 2
    assert len(client.calls(2)) == 1
    with pytest.raises(Inconclusive, match="no backward Call"):
        client.calls(1)


def test_a_device_that_makes_fewer_calls_at_a_time_cannot_be_shown_more(
    client: BackwardClient,
) -> None:
    client.provoke(4)
    client.answer(client.next_call(), credits=2)
    with pytest.raises(Unsupported, match="2 of 3 Calls at a time"):
        client.together(3)


def test_a_call_where_none_may_come_is_a_deviation(client: BackwardClient) -> None:
    client.provoke(1)
    with pytest.raises(Deviation, match="where none may come") as caught:
        client.no_call("of this test", breaks="bidir.2.3.waits-indefinitely")
    assert caught.value.breaks == ("bidir.2.3.waits-indefinitely",)


def test_a_call_that_does_not_come_is_a_deviation(client: BackwardClient) -> None:
    with pytest.raises(Deviation, match="No backward Call came: nothing within") as caught:
        client.next_call(breaks="bidir.2.3.waits-indefinitely")
    assert caught.value.breaks == ("bidir.2.3.waits-indefinitely",)


@pytest.mark.parametrize(
    ("against", "requirement"),
    [
        ("calls-back-in-version-three", "bidir.2.5.call-has-version-one"),
        ("requests-no-backward-credit", "bidir.2.1.2.credit-is-never-zero"),
    ],
    indirect=["against"],
)
def test_each_call_is_judged_when_it_arrives(against: BackwardClient, requirement: str) -> None:
    against.announce()
    against.provoke(1)
    with pytest.raises(Deviation, match="not as it must be") as caught:
        against.next_call()
    assert caught.value.breaks == (requirement,)


@pytest.mark.parametrize("against", ["hangs-up-over-runts"], indirect=True)
@pytest.mark.parametrize("tolerated", ["", "bidir.2.4.runt-is-dropped"])
def test_a_device_that_hangs_up_is_noticed(against: BackwardClient, tolerated: str) -> None:
    """With a warning, if it should not."""
    against.announce()
    against.provoke(1)
    called = against.next_call()
    assert not against.hung_up()
    against.send(build_backward.cut(against.reply(called), 4, credits=1))
    assert against.hung_up(tolerated=tolerated or ())
    assert [warned.ids for warned in against.peer.case.warnings] == (
        [(tolerated,)] if tolerated else []
    )


def test_an_error_about_something_odd_is_borne_and_about_anything_else_is_not(
    client: BackwardClient,
) -> None:
    """D-41: what was spoiled may be refused."""
    client.provoke(1)
    reply = client.reply(client.next_call())
    (segment,) = client.peer.room((64,)).told
    client.send(build_backward.with_chunks(reply, segment, "nomsg").octets, ErrChunk)
    client.send(build_backward.with_other_words(reply, "version-three").octets, ErrVers)
    assert not client.hung_up()
    assert {type(outcome) for outcome in client.refused} == {ErrChunk, ErrVers}
    cut_header = build_backward.foreign(reply).octets[:20] + b"\0\0\0\1" + bytes(8)
    client.peer.send(cut_header)  # not by `client.send`
    with pytest.raises(Deviation, match="belongs to neither direction"):
        client.hung_up()


@pytest.mark.parametrize("told_of_memory", [True, False])
def test_what_memory_costs_may_come_after_the_reply_to_a_good_call(
    client: BackwardClient, monkeypatch: pytest.MonkeyPatch, told_of_memory: bool
) -> None:
    receive = client.peer.receive

    def ends_in_the_grace_period(timeout: float | None = None) -> Outcome:
        return receive() if timeout is None else Disconnected("by the device")

    monkeypatch.setattr(client.peer, "receive", ends_in_the_grace_period)
    assert client.hung_up(told_of_memory=told_of_memory) is told_of_memory


def test_an_answer_of_another_kind_than_the_case_accepts_is_a_deviation(
    client: BackwardClient,
) -> None:
    blamed = "bidir.1.3.4.reply-is-matched-by-xid"
    client.provoke(1)
    reply = client.reply(client.next_call())
    octets = build_backward.with_other_words(reply, "version-three").octets
    client.send(octets, ErrChunk, breaks=blamed)
    with pytest.raises(Deviation, match="ERR_VERS") as caught:
        client.hung_up()
    assert caught.value.breaks == (blamed,)


def test_notes_what_is_accepted_of_forward_calls_and_of_what_must_have_no_effect(
    client: BackwardClient,
) -> None:
    notes = client.peer.case.acceptances
    assert {note.allowed for note in notes} == {(Answer(Answered, accepted.SERVED.allowed),)}
    client.provoke(1)
    octets = build_backward.foreign(client.reply(client.next_call())).octets
    notes.clear()

    client.send(octets, ErrChunk)
    client.hung_up()
    client.send(octets)
    client.hung_up(tolerated="bidir.2.4.runt-is-dropped")

    found = [
        (kinds(note.allowed), kinds(note.tolerated))
        for note in notes
        if note.message.octets == octets
    ]
    assert found == [
        ([Silent, ErrChunk], []),
        ([Disconnected], []),
        ([Silent], []),
        ([], [Disconnected]),
    ]


def kinds(answers: tuple[Answer, ...]) -> list[type[Outcome]]:
    return [answer.outcome for answer in answers]


def test_what_a_spoiled_message_brings_about_breaks_what_it_was_sent_for(
    client: BackwardClient,
) -> None:
    """A Reply to it, or a Call that comes though none may."""
    blamed = "bidir.2.4.runt-has-no-effect"
    client.provoke(2)
    called = client.next_call()
    client.send(build.null_call(client.peer).octets, breaks=blamed)  # which the device executes
    with pytest.raises(Deviation, match="must have no effect was answered") as caught:
        client.no_call("of this test")
    assert caught.value.breaks == (blamed,)
    client.send(client.reply(called, credits=1).octets, breaks=blamed)  # a good one, in truth
    with pytest.raises(Deviation, match="1 are in flight, 1 are granted") as found:
        client.hung_up()
    assert found.value.breaks == (blamed, "bidir.2.1.2.backward-calls-within-the-grant")


def test_a_client_can_be_known_and_have_announced_nothing(peer: Peer) -> None:
    stranger = BackwardClient.of(peer)
    stranger.introduce()
    stranger.provoke(1)
    stranger.no_call("nothing was announced")


def test_what_is_of_neither_direction_is_a_deviation(client: BackwardClient) -> None:
    """A Reply to a forward Call of which this client knows nothing."""
    client.peer.send(build.null_call(client.peer))
    with pytest.raises(Deviation, match="belongs to neither direction"):
        client.no_call("of this test")
    client.peer.send(build.null_call(client.peer))
    with pytest.raises(Deviation, match="belongs to neither direction"):
        client.hung_up()


def test_a_forward_call_that_is_not_answered_is_a_deviation(client: BackwardClient) -> None:
    client.peer.disconnect()
    with pytest.raises(Deviation, match="was not answered") as caught:
        client.serve(client.peer.workload.small())
    assert caught.value.actual.startswith("the connection ended")


def test_forward_calls_may_be_answered_in_any_order(client: BackwardClient) -> None:
    """Those of the test program are answered in order; the tester waits for them in another."""
    calls = [build.null_call(client.peer) for _ in range(3)]
    for call in calls:
        client.peer.send(call)
    client.all_served(reversed(calls))
    client.peer.disconnect()
    with pytest.raises(Deviation, match="NULL was not answered"):
        client.all_served(calls)


def test_the_same_client_goes_on_over_another_connection(
    client: BackwardClient, harness: Harness
) -> None:
    client.provoke(1)
    before = client.next_call()
    client.peer.disconnect()
    again = client.on(harness.connect())
    again.announce()
    assert again.next_call().xid == before.xid


def test_a_refusal_is_a_reply_that_did_not_execute() -> None:
    refused, served = (
        read_outcome(build_backward.BackwardMessage(1, payload).octets)
        for payload in (rpc.garbage_args(1), rpc.accepted(1))
    )
    assert isinstance(refused, Answered)
    assert isinstance(served, Answered)
    assert is_refusal(refused)
    assert not is_refusal(served)
