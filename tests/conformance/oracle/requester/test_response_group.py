"""What a Requester may do about a response in a group, fault by fault."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.groups.draft import GroupDraft, PlacedEntry
from conformance.oracle.requester.expectation import Reaction, ReactionExpectation
from conformance.oracle.requester.response_group import (
    PENDING,
    broken_reaction,
    group_reaction,
    response_in,
)
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    InTargetedSegments,
    MessageItem,
    NoItem,
    ResponseItem,
    ResponseRange,
    ResponseSet,
    TooShort,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import BrokenGroup
from tests.conformance.oracle.requester.group_fakes import (
    ROOMY,
    XID,
    arrived,
    outstanding,
    request,
    response,
    whole,
)

if TYPE_CHECKING:
    from conformance.oracle.requester.expectation import Contents
    from conformance.oracle.requester.state import RequesterState

W, F, C, X = Reaction.WAITING, Reaction.FAILED, Reaction.COMPLETED, Reaction.CLOSED

SIZE = 2000
FETCH = calls.fetch(XID, SIZE)
REPLY = calls.expected_reply(FETCH)
_ITEMS = TestProgram().results(FETCH, REPLY)
(ITEM,) = (item for item in _ITEMS if item is not None)
DATA = REPLY[ITEM.position : ITEM.position + SIZE]
KEPT = REPLY[: ITEM.position] + REPLY[ITEM.end :]
MEMORY = RdmaSegment(1, SIZE, 0)
CHOICE = ResponseSet(ResponseRange(0, 2**32 - 1), (ResponseItem(0, DirectByChoice((MEMORY,))),))
WAITING_FOR_DATA = outstanding(FETCH, request(FETCH, rsd=(CHOICE,), rsbuf=2))

LONG = calls.long_reply(XID, 9000)
WAITING_FOR_PARTS = outstanding(LONG, request(LONG, rsbuf=2))


def reaction(
    group: GroupDraft, state: RequesterState, contents: Contents | None = None
) -> ReactionExpectation:
    found = whole(group)
    said = response_in(found)
    assert said is not None
    return group_reaction(found, *said, state, contents)


def placed(**words: object) -> GroupDraft:
    where = InTargetedSegments(0, (0, 1))
    group = response(KEPT, (PlacedEntry(ITEM.position, DATA, where),), sizes=(len(KEPT),))
    return group.with_item(0, **words) if words else group


def test_a_good_response_completes_with_its_results_in_place() -> None:
    found = reaction(placed(), WAITING_FOR_DATA)

    assert (found.reactions, found.payload, found.grant) == ({C}, REPLY, 8)
    assert found.is_valid_reply


def test_results_in_memory_are_put_in_place_as_well() -> None:
    item = MessageItem(ITEM.position, SIZE, ByExplicitRdma((MEMORY,)))

    found = reaction(response(KEPT, (item,)), WAITING_FOR_DATA, lambda _: DATA)

    assert (found.reactions, found.payload) == ({C}, REPLY)


def test_where_nobody_knows_the_memory_either_end_is_right() -> None:
    item = MessageItem(ITEM.position, SIZE, ByExplicitRdma((MEMORY,)))

    assert reaction(response(KEPT, (item,)), WAITING_FOR_DATA).reactions == {C, F}


def test_a_result_that_stays_in_the_stream_completes() -> None:
    for item in (MessageItem(ITEM.position, SIZE, TooShort()), MessageItem(0, 0, NoItem())):
        assert reaction(response(REPLY, (item,)), WAITING_FOR_DATA).payload == REPLY


def test_without_a_binding_either_end_is_right() -> None:
    state = replace(WAITING_FOR_DATA, upper_layer=None)

    assert reaction(placed(), state).reactions == {C, F}


def test_an_rpc_error_is_one_however_it_came() -> None:
    error = rpc.garbage_args(XID)

    found = reaction(response(error), outstanding(LONG, request(LONG)))

    assert found.reactions == {C, F}


@pytest.mark.parametrize(
    "items",
    [
        (),
        (MessageItem(0, 0, NoItem()), MessageItem(0, 0, NoItem())),
        (MessageItem(ITEM.position, SIZE, ByExplicitRdma((RdmaSegment(9, SIZE, 0),))),),
        (MessageItem(ITEM.position, SIZE - 4, ByExplicitRdma((MEMORY,))),),
    ],
    ids=["none", "two", "other memory", "another length"],
)
def test_entries_that_answer_no_direction_complete_nothing(
    items: tuple[MessageItem, ...],
) -> None:
    found = reaction(response(KEPT, items), WAITING_FOR_DATA)

    assert found.reactions == {W, F, X}
    assert not found.is_valid_reply


@pytest.mark.parametrize(
    "words",
    [{"xmdmi_disp": ITEM.position + 4}, {"xmdmi_length": SIZE - 4}],
    ids=["displacement", "length"],
)
def test_bulk_data_that_are_no_result_complete_nothing(words: dict[str, int]) -> None:
    assert reaction(placed(**words), WAITING_FOR_DATA).reactions == {W, F, X}


def test_a_result_that_is_nowhere_completes_nothing() -> None:
    missing = response(KEPT, (MessageItem(0, 0, NoItem()),))

    assert reaction(missing, WAITING_FOR_DATA).reactions == {W, F, X}


def test_a_result_that_cannot_be_where_it_is_said_to_be_may_come_again() -> None:
    wrong = placed(xmdmi_where=InTargetedSegments(0, (0, 900)))

    found = reaction(wrong, WAITING_FOR_DATA)

    assert found.allowed[0].kind is W
    assert "rtrext.5.4.faulty-placement-is-reported" in found.ids


def test_a_response_to_nothing_is_dropped() -> None:
    assert reaction(placed(), ROOMY).reactions == {W}


def test_a_response_to_what_was_no_group_completes_nothing() -> None:
    assert reaction(placed(), outstanding(FETCH, None)).reactions == {W, F, X}


def test_a_response_that_says_call_completes_nothing() -> None:
    wrong = placed().with_send(0, direction=MessageType.CALL)

    assert reaction(wrong, WAITING_FOR_DATA).reactions == {W, F, X}


def test_a_count_of_nothing_completes_nothing() -> None:
    assert reaction(placed().with_contents(0, optxrs_count=0), WAITING_FOR_DATA).reactions == {
        W,
        F,
        X,
    }


def test_another_xid_in_the_stream_completes_nothing() -> None:
    other = response(calls.expected_reply(calls.null(XID + 1)))

    assert reaction(other, outstanding(LONG, request(LONG))).reactions == {W, F, X}


@pytest.mark.parametrize(
    ("told", "reactions"), [(3, {C}), (2, {C, W, F, X}), (1, {W, F, X}), (0, {W, F, X})]
)
def test_more_transmissions_than_were_told_of_may_be_refused(
    told: int, reactions: set[Reaction]
) -> None:
    """D-97: one more is lawful by the other reading."""
    state = outstanding(LONG, request(LONG, rsbuf=told))

    assert reaction(response(calls.expected_reply(LONG)), state).reactions == reactions


@pytest.mark.parametrize("order", [(0, 2), (1,), (0, 0)])
def test_a_broken_group_may_be_followed_by_another_reply(order: tuple[int, ...]) -> None:
    parts = response(calls.expected_reply(LONG)).in_order(*order)
    (broken, *_) = arrived(parts)
    assert isinstance(broken, BrokenGroup)

    found = broken_reaction(broken, WAITING_FOR_PARTS)

    assert (found.xid, found.reactions) == (XID, {W, F, X})
    assert broken_reaction(broken, ROOMY).reactions == {W}


def test_transmissions_that_are_followed_by_others_change_nothing() -> None:
    assert (PENDING.reactions, PENDING.xid) == ({W}, None)


def test_whatever_else_comes_is_no_response() -> None:
    assert response_in(request(FETCH).arrived) is None
    assert response_in(msgspec.structs.replace(request(FETCH).arrived, octets=b"short")) is None
