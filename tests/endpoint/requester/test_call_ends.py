"""How calls end that went as groups: refused, cancelled, or with their connection."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import CallFailed, Failure, ReplyReceived
from rpcrdma.endpoint.core.group_sends import option_message
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import RdmaSegment, v2
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    ByExplicitRdma,
    InTargetedSegments,
    MessageItem,
    NoItem,
    PlacementType,
    ReptErr,
    TooShort,
    TransmissionId,
)
from rpcrdma.wire.rpc import MessageType
from tests.endpoint.groups import BARE, BULKY
from tests.endpoint.lone_ends import GRANTED, LoneRequester, in_two, plain_reply, reply_of, response

BY_RDMA = replace(BULKY, direction=PlacementType.XMDTYPE_EXRW)
"""Results go into memory, although the Receives have targets."""

CALL = calls.long_fetch(7, 8192, 9000)
"""A call with memory for a result, and Receives for its response."""

REPLY = calls.expected_reply(CALL)
LONG_CALL = calls.long_call(7, pattern(9000))
WHOLE = response(7, calls.expected_reply(calls.null(7)), [MessageItem(0, 0, NoItem())])


def report(way: MessageType = MessageType.CALL, number: int = 0) -> bytes:
    """The peer's word that a transmission was faulty."""
    contents = ReptErr(TransmissionId(7, way, number), None, BadContinuation())
    return option_message(7, GRANTED, MessageType.REPLY, contents)


REFUSALS = {
    "REPTERR": report(),
    "INVAL_OPTION": in_two(7, v2.Rdma2Error(v2.ErrInvalidOption())),
    "BAD_HEADER": in_two(7, v2.Rdma2Error(v2.ErrBadHeader())),
}


def body_of(message: bytes) -> v2.Rdma2Body:
    return v2.decode_header(message)[0].rdma_body


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("call", [CALL, LONG_CALL], ids=["with memory", "without"])
def test_refused_group_is_made_again_by_the_base_protocol(call: bytes, refusal: str) -> None:
    """rtrext 5.4: under the same XID, with the credits and the memory of the group given back."""
    end = LoneRequester(BY_RDMA, BARE)
    end.asks(call)
    before = set(end.held)
    (message,) = end.hears(REFUSALS[refusal])

    assert message[:4] == call[:4]
    assert not isinstance(body_of(message), v2.Rdma2Optional)
    assert (end.outstanding, end.told) == (1, [])
    assert before.isdisjoint(end.held)


@pytest.mark.parametrize("later", ["REPTERR", "INVAL_OPTION"])
@pytest.mark.parametrize("refusal", REFUSALS)
def test_further_refusals_of_a_group_do_not_touch_the_call_made_again(
    refusal: str, later: str
) -> None:
    """One may come for each of its Sends; no base protocol message is an option."""
    end = LoneRequester(BARE, BARE)
    assert len(end.asks(LONG_CALL)) == 3
    end.hears(REFUSALS[refusal])

    assert end.hears(REFUSALS[later], REFUSALS[later]) == []
    assert (end.told, end.outstanding) == ([], 1)
    end.hears(plain_reply(7, calls.expected_reply(LONG_CALL)))
    assert (reply_of(end), end.outstanding) == (calls.expected_reply(LONG_CALL), 0)


def test_call_made_again_can_fail_as_any_other() -> None:
    """rfc8166 4.5.3."""
    end = LoneRequester(BARE, BARE)
    end.asks(LONG_CALL)
    end.hears(REFUSALS["REPTERR"], REFUSALS["BAD_HEADER"])

    assert end.told == [CallFailed(7, Failure.REFUSED_CHUNKS)]


@pytest.mark.parametrize("refusal", REFUSALS)
def test_only_an_unsupported_operation_ends_groups_for_good(refusal: str) -> None:
    """v2 3.1: the others are about one group."""
    end = LoneRequester(BARE, BARE)
    end.asks(LONG_CALL)
    end.hears(REFUSALS[refusal])
    (message, *_) = end.asks(calls.long_call(8, pattern(9000)))

    is_group = isinstance(body_of(message), v2.Rdma2Optional)
    assert is_group is (refusal != "INVAL_OPTION")


def test_version_that_is_refused_fails_the_call() -> None:
    """rfc8166 4.5.1: the base protocol would fare no better."""
    end = LoneRequester(BARE, BARE)
    end.asks(LONG_CALL)
    end.hears(in_two(7, v2.Rdma2Error(v2.ErrVers(1, 1))))

    assert end.told == [CallFailed(7, Failure.REFUSED_VERSION, "1..1")]


def test_report_about_a_response_is_about_no_call() -> None:
    """rtrext 9.5: xmsi_dir says so."""
    end = LoneRequester(BARE, BARE)
    end.asks(LONG_CALL)

    assert end.hears(report(MessageType.REPLY)) == []
    assert (end.told, end.outstanding) == ([], 3)


def test_unsupported_operation_fails_a_call_that_never_was_one() -> None:
    """D-53."""
    end = LoneRequester(BARE, BARE)
    end.asks(calls.null(7))
    end.hears(REFUSALS["INVAL_OPTION"])

    assert end.told == [CallFailed(7, Failure.REFUSED_CHUNKS)]


def test_memory_is_safe_before_the_call_is_made_again() -> None:
    """rfc8166 4.4.1: the refused request still names it."""
    end = LoneRequester(BY_RDMA, BARE)
    end.asks(CALL)
    end.slow = True

    assert end.hears(REFUSALS["REPTERR"]) == []
    assert not end.held
    assert end.hears(REFUSALS["REPTERR"], REFUSALS["INVAL_OPTION"]) == []
    end.catch_up()
    (message,) = end.sent
    assert not isinstance(body_of(message), v2.Rdma2Optional)


PLACED = {
    "EXRW": lambda key: ByExplicitRdma((RdmaSegment(key, 3000, 0),)),
    "TBSN": lambda _key: InTargetedSegments(0, (0, 1, 2)),
    "TOOSHORT": lambda _key: TooShort(),
    "NOITEM": lambda _key: NoItem(),
}


@pytest.mark.parametrize("kind", ["EXRW", "CHOICE", "BYSIZE"])
@pytest.mark.parametrize("answer", PLACED)
def test_memory_is_taken_back_before_the_application_hears(kind: str, answer: str) -> None:
    """rtrext 7.4, table 2: DR, whichever way the direction was answered; also if it is invalid."""
    directed = replace(BULKY, direction=PlacementType[f"XMDTYPE_{kind}"], always=True)
    end = LoneRequester(directed, BULKY)
    call = calls.fetch(7, 3000)
    end.asks(call)
    (key,) = end.held
    end.slow = True
    whole, kept = calls.expected_reply(call), calls.expected_reply(call)[:-3000]
    items = [MessageItem(len(kept), 3000, PLACED[answer](key))]
    header = len(response(7, kept, items))
    placed = response(7, kept, items, rest=bytes(1024 - header) + whole[-3000:])
    inline = response(7, whole, items)
    end.hears(placed if answer in ("EXRW", "TBSN") else inline)

    assert (end.told, end.held) == ([], {})
    end.catch_up()
    (event,) = end.told
    is_valid = (kind, answer) != ("EXRW", "TBSN")
    assert isinstance(event, ReplyReceived if is_valid else CallFailed)


# -- cancelled, or lost with the connection, in each phase

PHASES = ("registering", "queued", "sent", "being made again", "made again")


def at(phase: str) -> LoneRequester:
    """A Requester whose call 7 is in that phase."""
    end = LoneRequester(BY_RDMA, BARE, granted=1)
    if phase == "queued":
        end.asks(calls.null(6))
    end.slow = phase == "registering"
    end.asks(CALL)
    if "again" in phase:
        end.slow = phase == "being made again"
        end.hears(REFUSALS["REPTERR"])
    return end


@pytest.mark.parametrize("phase", PHASES)
def test_cancelled_call_is_heard_of_once_its_memory_is_safe(phase: str) -> None:
    """And only then; nothing more is sent of it."""
    end = at(phase)
    end.slow = True
    end.sent.clear()
    end.does(events.CallCancelled(7))
    assert end.told == []

    end.catch_up()
    assert end.told == [CallFailed(7, Failure.CANCELLED)]
    assert end.held == {}
    assert end.sent == []


@pytest.mark.parametrize("phase", PHASES)
def test_lost_connection_ends_the_call_once(phase: str) -> None:
    """Memory is taken back all the same, and the call is for the next connection to make."""
    end = at(phase)
    end.slow = True
    end.sent.clear()
    end.does(events.Disconnected("gone"))
    end.catch_up()

    assert [type(event) for event in end.told if event.token == 7] == [CallFailed]
    (failed,) = (event for event in end.told if event.token == 7)
    assert failed.failure is Failure.CONNECTION_LOST
    assert end.held == {}
    assert end.sent == []


@pytest.mark.parametrize("phase", ["sent", "made again"])
def test_cancelled_call_keeps_its_credits_until_it_is_answered(phase: str) -> None:
    """The Responder may still work on it; whatever answers it will do."""
    end = at(phase)
    end.does(events.CallCancelled(7))
    assert end.outstanding == 1

    end.hears(REFUSALS["BAD_HEADER"])
    assert end.outstanding == 0


def test_cancelled_group_of_several_sends_keeps_all_its_credits() -> None:
    """rtrext 4.3, D-109."""
    end = LoneRequester(BARE, BARE)
    end.asks(LONG_CALL)
    end.does(events.CallCancelled(7))
    assert end.outstanding == 3

    end.hears(REFUSALS["REPTERR"])
    assert end.outstanding == 0


ANSWERS = {"response": WHOLE, **REFUSALS}


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("answer", ANSWERS)
def test_answer_to_a_cancelled_group_returns_all_its_credits(answer: str, *, slow: bool) -> None:
    """And is not followed by another attempt, whether its memory is safe by then or not."""
    end = LoneRequester(BY_RDMA, BARE)
    end.asks(CALL)
    end.slow = slow
    end.does(events.CallCancelled(7))

    assert end.hears(ANSWERS[answer]) == []
    assert end.outstanding == 0
    end.catch_up()
    assert end.told == [CallFailed(7, Failure.CANCELLED)]
    assert end.sent == []
