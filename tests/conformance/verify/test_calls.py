"""One verification each about a client's calls and acts."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.oracle.verdict import broken_rule
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.server.harness import ClientHarness
from conformance.tester.server.served import CallVerdict, ServedAct
from reports.record import Verdict
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import ErrChunk, encode_header
from rpcrdma.wire.rpc import MessageType
from targets.base import ActKind, ActResult, ActState
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.tester.server import ReceivedCall
    from targets.base import RunningAct

DONE = ActResult(ActState.DONE)
FAILED = ActResult(ActState.FAILED, "input/output error")


@pytest.fixture
def harness() -> Iterator[ClientHarness]:
    running = ClientHarness(find_any_target("reference-client"))  # type: ignore[arg-type]
    running.begin()
    running.ready()
    yield running
    running.close()


def test_done_and_failed_are_told_apart() -> None:
    verify.calls.done(DONE)
    verify.calls.failed(FAILED)
    with pytest.raises(Deviation, match=r"failed \(input/output error\), though") as found:
        verify.calls.done(FAILED)
    assert found.value.actual == "failed (input/output error)"
    with pytest.raises(Deviation, match="takes for done what was refused"):
        verify.calls.failed(DONE)


def test_what_went_on_after_a_refusal_may_end_either_way() -> None:
    act = ServedAct(ActState.DONE, went_on=True)
    verify.calls.failed(act)
    assert act.accepted == {True, False}


def read(data: bytes) -> ActResult:
    return ActResult(ActState.DONE, data=data, digest=hashlib.sha256(data).hexdigest())


def test_what_was_read_is_the_pattern() -> None:
    verify.calls.reads(read(pattern(100)), 100)


@pytest.mark.parametrize(
    ("data", "actual"),
    [(pattern(99), "99 octets"), (pattern(50) + bytes(50), "100 octets, wrong from 50 on")],
)
def test_what_was_read_is_something_else(data: bytes, actual: str) -> None:
    with pytest.raises(Deviation, match="other octets than were placed") as found:
        verify.calls.reads(read(data), 100)
    assert found.value.actual == actual


def test_padding_behind_what_was_read_breaks_rules_of_its_own() -> None:
    rule, padded = ("rfc8166.4.header-is-xdr",), ("rfc8166.2.2.4.2.roundup-stays-below-the-ulp",)

    with pytest.raises(Deviation) as found:
        verify.calls.reads(read(pattern(99) + b"\0"), 99, rule, padded=padded)
    assert found.value.breaks == padded
    with pytest.raises(Deviation) as found:
        verify.calls.reads(read(pattern(99) + bytes(4)), 99, rule, padded=padded)
    assert found.value.breaks == rule


def test_a_digest_is_enough_to_tell() -> None:
    with pytest.raises(Deviation) as found:
        verify.calls.reads(ActResult(ActState.DONE, digest="0" * 64), 100)
    assert found.value.actual == "other octets"
    with pytest.raises(Inconclusive, match="cannot tell what the client has read"):
        verify.calls.reads(DONE, 100)


def test_calls_in_flight_are_counted(harness: ClientHarness) -> None:
    harness.client.begin(ActKind.MANY, count=3)
    harness.service.waiting()

    verify.calls.in_flight(harness.service, at_most=3, after="so")
    with pytest.raises(Deviation, match=r"^3 calls are in flight under a grant of 2\.$"):
        verify.calls.in_flight(harness.service, at_most=2, after="under a grant of 2")


def test_a_reply_that_nobody_asked_for_is_no_call_in_flight(harness: ClientHarness) -> None:
    harness.client.begin(ActKind.MANY, count=3)
    harness.service.waiting()
    last = harness.service.received[-1]
    assert last.header is not None
    last.octets = (
        encode_header(last.header)
        + last.payload[:4]
        + MessageType.REPLY.to_bytes(4)
        + last.payload[8:]
    )

    verify.calls.in_flight(harness.service, at_most=2, after="so")


def test_there_must_be_a_call_to_look_at(harness: ClientHarness) -> None:
    calls = harness.service.received

    assert verify.calls.some(calls, "at all") == tuple(calls)
    with pytest.raises(Inconclusive, match="the client made no call with chunks"):
        verify.calls.some((), "with chunks")


def test_every_call_is_looked_at(harness: ClientHarness) -> None:
    calls = harness.service.received

    verify.calls.each(calls, lambda _call: "")
    with pytest.raises(Deviation, match=r"^It is odd\.$") as found:
        verify.calls.each(calls, lambda _call: "It is odd")
    assert found.value.actual == str(calls[0])
    assert found.value.breaks == ()
    with pytest.raises(Deviation) as found:
        verify.calls.each(calls, lambda _call: "It is odd", ("rfc8166.4.header-is-xdr",))
    assert found.value.breaks == ("rfc8166.4.header-is-xdr",)


def test_what_the_oracle_has_said_of_a_call_is_asked_by_its_rule(harness: ClientHarness) -> None:
    first, *_ = calls = harness.service.received
    verify.calls.obey(calls)
    version = broken_rule(("rfc8166.4.2.2.version-is-one",), "rdma_vers is 3", 1)
    mild = broken_rule("rfc8166.4.header-is-xdr", "it is odd", 1, severity=Verdict.WARN)
    first.broken = (mild, version)

    verify.calls.obey(calls, "rfc8166.4.header-is-xdr", "rfc8166.4.2.1.xid-equals-payload-xid")
    for rules in (("rfc8166.4.2.2.version-is-one",), ()):
        with pytest.raises(Deviation, match=r"^rdma_vers is 3\.$") as found:
            verify.calls.obey(calls, *rules)
        assert found.value.breaks == ("rfc8166.4.2.2.version-is-one",)
        assert found.value.actual == str(first)


def test_verifications_note_what_they_make_of_calls_and_acts(harness: ClientHarness) -> None:
    service, call = harness.service, harness.service.received[0]
    with pytest.raises(Deviation):
        verify.calls.each((call,), lambda _call: "It is odd", ("rfc8166.4.header-is-xdr",))
    assert call.verdicts == [CallVerdict("It is odd", ("rfc8166.4.header-is-xdr",))]

    result = harness.client.serve_good_act()
    verify.calls.done(result)
    with pytest.raises(Deviation):
        verify.calls.failed(result)
    assert service.served[-1].accepted == {True, False}


def test_what_is_stored_is_the_pattern(harness: ClientHarness) -> None:
    service = harness.service
    assert harness.client.do(ActKind.WRITE, 3000).done
    (call,) = (one for one in service.received if one.reads)
    verify.calls.stores(service, (call,), 3000)

    with pytest.raises(Deviation, match="3000 octets are stored instead of 2999"):
        verify.calls.stores(service, (call,), 2999)
    whole = call.unreduced or b""
    call.unreduced = whole[:-4] + b"\xee" * 4
    with pytest.raises(Deviation, match="wrong from octet 2996 on"):
        verify.calls.stores(service, (call,), 3000)
    call.unreduced = None
    with pytest.raises(Deviation, match="cannot be had"):
        verify.calls.stores(service, (call,), 3000)


def test_a_connection_stands_until_either_end_has_ended_it(harness: ClientHarness) -> None:
    line = harness.service.line
    verify.calls.stands(line, "a good call")

    harness.client.begin(ActKind.DISCONNECT)
    harness.service.waiting()

    with pytest.raises(Deviation, match="lost after a good call") as found:
        verify.calls.stands(line, "a good call", ("rfc8166.4.header-is-xdr",))
    assert found.value.actual == "the client has ended it"
    assert found.value.breaks == ("rfc8166.4.header-is-xdr",)


def test_what_a_connection_was_lost_over_is_told(harness: ClientHarness) -> None:
    line = harness.service.line
    line.send(bytes(5000))
    harness.service.waiting()

    with pytest.raises(Deviation) as found:
        verify.calls.stands(line, "5000 octets")
    assert found.value.actual == "Send: remote invalid request"


def test_a_refused_call_is_not_to_be_seen_again(harness: ClientHarness) -> None:
    service = harness.service
    harness.client.begin(ActKind.SMALL)
    call = service.next_call()
    service.error(call, ErrChunk())
    verify.calls.not_again(service, call)

    service.received.append(call)
    with pytest.raises(Deviation, match="sends again a call that an RDMA_ERROR has ended"):
        verify.calls.not_again(service, call)


def waiting_call(harness: ClientHarness) -> tuple[ReceivedCall, RunningAct]:
    act = harness.client.begin(ActKind.SMALL)
    return harness.service.next_call(), act


def test_a_good_reply_completes_the_call(harness: ClientHarness) -> None:
    call, act = waiting_call(harness)

    verify.calls.reaction(harness.service, call, act, harness.service.draft(call).octets)

    assert harness.case.actual == "the Call completes"
    assert act.poll() == DONE


def test_a_call_that_waits_gets_its_reply_afterwards(harness: ClientHarness) -> None:
    call, act = waiting_call(harness)

    verify.calls.reaction(harness.service, call, act, bytes(8))

    assert harness.case.actual == "the Call stays as it is"
    assert act.poll() == DONE


def test_what_is_tolerated_warns(harness: ClientHarness) -> None:
    """A client that hangs up over a bad header (D-28)."""
    call, act = waiting_call(harness)
    harness.session._client.disconnect()  # type: ignore[attr-defined]
    octets = harness.service.draft(call).octets

    verify.calls.reaction(harness.service, call, act, octets[:12] + b"\0\0\0\x09" + octets[16:])

    assert harness.case.actual == "the connection ends"
    assert [warned.ids for warned in harness.case.warnings] == [
        ("rfc8166.4.5.bad-reply-header-discarded",)
    ]


def test_another_reaction_is_a_deviation(harness: ClientHarness) -> None:
    call, act = waiting_call(harness)
    harness.session._client.disconnect()  # type: ignore[attr-defined]

    with pytest.raises(Deviation, match="the connection ends") as found:
        verify.calls.reaction(harness.service, call, act, bytes(8))
    assert found.value.breaks == ("rfc8166.4.5.short-message-discarded",)


@pytest.mark.parametrize(("may", "actual"), [(False, "completes"), (True, "ends with an error")])
def test_an_act_that_asks_for_its_data_again_may_count_as_a_failed_call(
    harness: ClientHarness, may: bool, actual: str
) -> None:
    service, act = harness.service, harness.client.begin(ActKind.READ, 4096)
    call = service.next_call()
    harness.client.begin(ActKind.READ, 4096)
    service.next_call(lambda later: later is not call)
    draft = service.draft(call)
    service.line_of(call).place(draft.placements)

    # The reply is good, so that a call which fails is what the case did not expect.
    context = pytest.raises(Deviation) if may else contextlib.nullcontext()
    with context:
        verify.calls.reaction(service, call, act, draft.octets, may_ask_again=may)

    assert actual in harness.case.actual


def test_an_act_that_is_done_with_other_data_is_a_deviation(harness: ClientHarness) -> None:
    service, act = harness.service, harness.client.begin(ActKind.READ, 4096)
    call = service.next_call()
    draft = service.draft(call)
    (placement,) = draft.placements
    service.line_of(call).place([replace(placement, data=b"\xee" * 4096)])

    with pytest.raises(Deviation, match="other octets than were placed") as found:
        verify.calls.reaction(service, call, act, draft.octets, reading=4096)
    assert found.value.actual == "4096 octets, wrong from 0 on"
