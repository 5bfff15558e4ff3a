"""What a request in a group must be, rule by rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.groups.draft import GroupDraft, Piece, drafted
from conformance.groups.taken import TAKEN
from conformance.oracle.announced import NOTHING_TOLD
from conformance.oracle.requester.groups import judge_broken, judge_group, unfinished
from conformance.oracle.requester.state import CreditView, RequesterState
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    MessageItem,
    NoItem,
)
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.operations import XmtReq
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import BrokenGroup
from tests.conformance.oracle.requester.group_fakes import (
    ROOMY,
    STORED,
    XID,
    arrived,
    ids,
    request,
    stored,
)

if TYPE_CHECKING:
    from conformance.oracle.requester.request_group import RequestGroup

GroupChange = Callable[[GroupDraft], GroupDraft]

PROGRAM = TestProgram()
STORE = calls.store(XID, bytes(index % 251 for index in range(STORED)))
LONG = calls.long_call(XID, bytes(9000))


def judged(
    group: RequestGroup, unreduced: bytes | None, state: RequesterState = ROOMY
) -> list[str]:
    return ids(judge_group(group, unreduced, state))


def test_a_good_request_breaks_nothing() -> None:
    assert judged(stored(), STORE) == []
    assert judged(request(LONG), LONG) == []


def test_nothing_is_said_of_a_message_that_could_not_be_put_together() -> None:
    assert judged(stored(), None) == []


@pytest.mark.parametrize(
    ("state", "rule"),
    [
        (
            replace(ROOMY, announced=(replace(TAKEN, request_limit=2),)),
            "rtrext.8.4.no-request-beyond-the-limit",
        ),
        (replace(ROOMY, views=(CreditView(6, 8),)), "v2.5.calls-within-the-grant"),
    ],
)
def test_a_group_keeps_to_what_was_announced_and_granted(state: RequesterState, rule: str) -> None:
    assert rule in judged(request(LONG), LONG, state)


LONGER = BufferLayout.of(None, 6000)
"""Buffers of a receiver that takes more than every receiver must."""


def test_its_sends_are_as_long_as_was_announced_or_as_every_receiver_takes() -> None:
    rule = "xcharext.3.1.no-send-beyond-the-announced-size"
    state = replace(ROOMY, lengths=(4000,))

    assert rule not in judged(request(LONG), LONG, state)  # D-142
    assert rule in judged(request(LONG, layout=LONGER), LONG, state)


def test_what_there_are_too_few_credits_for_breaks_the_rule_of_groups() -> None:
    state = replace(ROOMY, views=(CreditView(6, 8),))

    assert "rtrext.4.3.credits-for-the-whole-request" in judged(request(LONG), LONG, state)


def test_who_was_told_no_limit_sends_one_transmission() -> None:
    state = replace(ROOMY, announced=(replace(TAKEN, request_limit=1),))

    (rule,) = judge_group(request(LONG), LONG, state)

    assert rule.ids[1] == "rtrext.8.1.default-of-the-request-limit"


def test_a_size_follows_from_the_structure() -> None:
    told = replace(TAKEN, octets=None)
    state = replace(ROOMY, announced=(told,), lengths=(4000,))

    assert judged(request(LONG), LONG, state) == []  # D-142
    found = judged(request(LONG, layout=LONGER), LONG, state)
    assert set(found) == {"rtrext.8.3.size-follows-from-the-structure"}


def _first(**words: object) -> GroupChange:
    return lambda group: group.with_contents(0, **words)


def test_a_count_of_zero_is_wrong() -> None:
    payload = calls.null(XID)

    assert judged(request(payload, change=_first(optxrq_count=0)), payload) == [
        "rtrext.9.2.count-of-a-request"
    ]


def test_a_request_is_a_call() -> None:
    payload = calls.null(XID)

    group = request(payload, change=lambda one: one.with_send(0, direction=MessageType.REPLY))

    assert judged(group, payload) == ["v2.4.2.2.direction-is-the-msg-type"]


def test_the_type_of_a_continuation_is_worth_a_warning() -> None:
    group = request(LONG, change=lambda one: one.with_contents(2, optxc_itype=0))

    (rule,) = judge_group(group, LONG, ROOMY)

    assert rule.ids == ("rtrext.9.4.itype-is-the-first-operation",)
    assert rule.severity is Verdict.WARN


def test_a_first_transmission_without_payload_is_worth_a_warning() -> None:
    payload = calls.null(XID)

    (rule,) = judge_group(request(payload, sizes=(0, len(payload))), payload, ROOMY)

    assert rule.ids == ("rtrext.9.1.first-transmission-has-payload",)
    assert rule.severity is Verdict.WARN


# -- placement


def test_an_item_says_what_there_is_in_a_request() -> None:
    group = stored(lambda one: one.with_item(0, xmdmi_where=NoItem()))

    assert "rtrext.6.2.types-of-items-in-requests" in judged(group, STORE)


def test_memory_is_as_long_as_its_item() -> None:
    (item,) = PROGRAM.arguments(STORE)
    memory = ByExplicitRdma((RdmaSegment(1, STORED - 1, 0),))
    kept = STORE[: item.position] + STORE[item.end :]

    group = request(kept, (MessageItem(item.position, STORED, memory),))

    assert judged(group, STORE) == ["rtrext.7.3.exrw-of-a-request-names-its-memory"]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"numbers": (0, 1, 2, 3, 900)}, "rtrext.7.3.tbsn-names-the-segments"),
        ({"numbers": (0, 1)}, "rtrext.7.3.tbsn-goes-on-in-the-next-of-the-list"),
        ({"offset": 2000}, "rtrext.7.3.tbsn-begins-at-the-offset"),
    ],
)
def test_an_item_is_where_it_can_be(change: dict[str, object], rule: str) -> None:
    group = stored(lambda one: one.with_targets(0, **change))  # type: ignore[arg-type]  # a table

    assert judged(group, None) == [rule]


def test_who_was_told_no_structure_places_nothing() -> None:
    state = replace(ROOMY, announced=(replace(NOTHING_TOLD, request_limit=8),))

    assert judged(stored(), None, state) == ["rtrext.8.1.default-of-the-buffer-structure"]


def test_padding_that_is_not_zero_is_worth_a_warning() -> None:
    def change(group: GroupDraft) -> GroupDraft:
        first = group.sends[0]
        return group.with_send(0, bulk=(Piece(1000, b"\xee"), *first.bulk))

    (rule,) = judge_group(stored(change), STORE, ROOMY)

    assert rule.ids == ("rtrext.11.padding-tells-nothing",)
    assert rule.severity is Verdict.WARN


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ({"xmdmi_disp": 48}, "rtrext.7.3.displacement-of-an-item"),
        ({"xmdmi_length": STORED - 1}, "rtrext.7.3.length-of-an-item"),
        (
            {"xmdmi_disp": 48, "xmdmi_length": STORED - 1},
            "rtrext.3.3.only-eligible-items-leave-the-stream",
        ),
    ],
)
def test_an_item_is_an_eligible_argument(words: dict[str, int], rule: str) -> None:
    group = stored(lambda one: one.with_item(0, **words))

    # The last transmission has one octet that is then of nothing, and a warning for it.
    assert [one for one in judged(group, STORE) if "padding" not in one] == [rule]


def test_an_ineligible_item_in_memory_is_no_chunk_either() -> None:
    memory = ByExplicitRdma((RdmaSegment(1, 8, 0),))
    group = request(calls.null(XID), (MessageItem(40, 8, memory),))

    (rule,) = judge_group(group, calls.null(XID), ROOMY)

    assert rule.ids[1] == "rtrext.7.3.exrw-items-are-as-chunks"


# -- the RPC message


def test_parts_that_are_no_call_are_suspected_of_all_that_may_be_wrong() -> None:
    (rule,) = judge_group(request(LONG), bytes(4) + LONG, ROOMY)

    assert "rtrext.9.2.payload-begins-after-xmtreq" in rule.ids
    assert "rtrext.9.4.payload-begins-after-xmtcont" in rule.ids


def test_arguments_that_cannot_be_decoded_may_be_bulk_data_that_nobody_listed() -> None:
    (rule,) = judge_group(request(STORE[:44]), STORE[:44], ROOMY)

    assert rule.ids[-1] == "rtrext.7.3.all-bulk-data-are-listed"


def test_a_call_that_was_refused_for_good_does_not_come_as_a_group() -> None:
    state = replace(ROOMY, refused=frozenset({LONG}))

    assert judged(request(LONG), LONG, state) == ["v2.4.2.3.error-is-permanent"]


# -- what never becomes a message


def broken(group: GroupDraft) -> BrokenGroup:
    return next(one for one in arrived(group) if isinstance(one, BrokenGroup))


def _drafted() -> GroupDraft:
    return drafted(
        XID, LONG, (), lambda items, n, length: XmtReq(items, (), n, 0, length), TAKEN.layout
    )


@pytest.mark.parametrize(
    ("group", "rule"),
    [
        (_drafted().in_order(0, 2), "rtrext.9.4.number-of-a-continuation"),
        (_drafted().in_order(1), "rtrext.9.4.continuations-follow-a-beginning"),
        (_drafted().in_order(0, 0), "rtrext.4.2.nothing-in-between"),
        (_drafted().with_send(1, xid=7), "rtrext.9.4.continuation-has-the-xid"),
        (_drafted().with_send(1, version=1), "rtrext.4.2.nothing-in-between"),
        (_drafted().with_send(1, operation=77), "rtrext.4.2.nothing-in-between"),
        (
            _drafted().with_contents(0, optxrq_pslen=5000),
            "rtrext.9.1.pslen-of-a-first-transmission",
        ),
    ],
)
def test_transmissions_that_are_no_message_break_a_rule(group: GroupDraft, rule: str) -> None:
    assert judge_broken(broken(group)).ids[0] == rule


def test_a_group_without_its_end_breaks_its_count() -> None:
    assert unfinished(2).ids == ("rtrext.9.2.count-of-a-request",)
    assert "2 transmissions" in unfinished(2).detail
