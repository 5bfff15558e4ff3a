"""Entries of a response against the directions of its request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.responder.directions import broken_entries
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    InTargetedSegments,
    MessageItem,
    NoItem,
    ResponseDirection,
    ResponseItem,
    ResponseRange,
    ResponseSet,
    TooShort,
)
from tests.conformance.oracle.group_fakes import LAYER, XID, asked, directed, reply_to, state

if TYPE_CHECKING:
    from collections.abc import Sequence

FETCH = testprog_calls.fetch(XID, 100)
REPLY = reply_to(FETCH)
((RESULT,),) = ([one for one in LAYER.results(FETCH, REPLY) if one],)
OFFERED = (RdmaSegment(7, 60, 0), RdmaSegment(8, 60, 0))
WRITTEN = ByExplicitRdma((RdmaSegment(7, 60, 0), RdmaSegment(8, 40, 0)))
IN_SENDS = InTargetedSegments(0, (0,))
EXRW, CHOICE = DirectToExplicitRdma(OFFERED), DirectByChoice(OFFERED)
TBSN = DirectToSends()
NOTHING = MessageItem(0, 0, NoItem())


def entry(where: object, *, by: int = 0, longer: int = 0) -> MessageItem:
    return MessageItem(RESULT.position + by, RESULT.length + longer, where)


def broken(
    entries: Sequence[MessageItem],
    *directions: ResponseDirection,
    least: int = 0,
    call: bytes = FETCH,
) -> list[str]:
    request = asked(call, directed(*directions, least=least))
    return [str(one.ids[0]) for one in broken_entries(entries, reply_to(call), request, state())]


@pytest.mark.parametrize(
    ("where", "direction"),
    [
        (WRITTEN, EXRW),
        (IN_SENDS, TBSN),
        (WRITTEN, CHOICE),
        (IN_SENDS, CHOICE),
        (WRITTEN, DirectBySize(99, OFFERED)),
        (IN_SENDS, DirectBySize(101, OFFERED)),
        (WRITTEN, DirectBySize(100, OFFERED)),
        (IN_SENDS, DirectBySize(100, OFFERED)),
    ],
)
def test_what_table_2_allows_is_right(where: object, direction: ResponseDirection) -> None:
    assert broken([entry(where)], direction) == []


@pytest.mark.parametrize("direction", [EXRW, TBSN, CHOICE])
def test_small_and_missing_results_are_said_to_be_so(direction: ResponseDirection) -> None:
    assert broken([entry(TooShort())], direction, least=101) == []
    assert broken([entry(IN_SENDS), NOTHING], TBSN, direction) == []


@pytest.mark.parametrize(
    ("entries", "directions", "rules"),
    [
        ([], (TBSN,), ["rtrext.7.4.every-direction-is-answered"]),
        ([entry(IN_SENDS)], (EXRW,), ["rtrext.7.4.answers-to-exrw"]),
        (
            [entry(WRITTEN)],
            (TBSN,),
            [
                "rtrext.7.4.answers-to-tbsn",
                "rtrext.7.3.exrw-of-a-response-names-what-was-written",
            ],
        ),
        ([NOTHING], (TBSN,), ["rtrext.7.4.one-direction-for-one-item"]),
        ([entry(TooShort())], (TBSN,), ["rtrext.6.2.tooshort-is-an-item-left-inline"]),
        ([entry(IN_SENDS, by=4)], (TBSN,), ["rtrext.7.3.displacement-of-an-item"]),
        ([entry(IN_SENDS, longer=1)], (TBSN,), ["rtrext.7.3.length-of-an-item"]),
        (
            [entry(WRITTEN)],
            (DirectBySize(101, OFFERED),),
            ["rtrext.6.2.bysize-goes-by-the-length"],
        ),
        (
            [NOTHING, entry(IN_SENDS)],
            (TBSN, TBSN),
            ["rtrext.7.4.answers-are-in-the-order-of-directions"],
        ),
        (
            [entry(IN_SENDS), entry(IN_SENDS, by=-4)],
            (TBSN, TBSN),
            ["rtrext.3.3.only-eligible-items-leave-the-stream"],
        ),
        (
            [entry(IN_SENDS), entry(IN_SENDS)],
            (TBSN, TBSN),
            ["rtrext.7.4.directions-hold-within-their-range"],
        ),
        (
            [entry(IN_SENDS), MessageItem(0, 0, TooShort())],
            (TBSN, TBSN),
            ["rtrext.6.2.noitem-is-a-direction-left-over"],
        ),
        (
            [entry(IN_SENDS), MessageItem(4, 0, NoItem())],
            (TBSN, TBSN),
            ["rtrext.6.2.noitem-is-a-direction-left-over"],
        ),
    ],
)
def test_everything_else_is_not(
    entries: list[MessageItem], directions: tuple[ResponseDirection, ...], rules: list[str]
) -> None:
    assert broken(entries, *directions) == rules


def test_a_small_result_stays_inline() -> None:
    assert broken([entry(IN_SENDS)], TBSN, least=101) == ["rtrext.7.4.small-items-stay-inline"]
    assert broken([entry(TooShort(), by=4)], TBSN, least=101) == [
        "rtrext.6.2.tooshort-is-an-item-left-inline"
    ]


def test_a_small_result_uses_its_direction_up() -> None:
    call = testprog_calls.fetch_two(XID, 40, 100)
    _, second = (one for one in LAYER.results(call, reply_to(call)) if one)
    placed = MessageItem(second.position, 100, IN_SENDS)
    found = broken([placed, NOTHING], TBSN, TBSN, least=50, call=call)
    assert found[0] == "rtrext.7.4.small-item-uses-its-direction-up"


def test_another_result_is_not_the_next_one() -> None:
    call = testprog_calls.fetch_two(XID, 40, 100)
    _, second = (one for one in LAYER.results(call, reply_to(call)) if one)
    placed = MessageItem(second.position, 100, IN_SENDS)
    assert broken([placed], TBSN, call=call) == ["rtrext.7.4.one-direction-for-one-item"]


@pytest.mark.parametrize(
    ("segments", "rule"),
    [
        ((60, 60), "rtrext.7.3.exrw-of-a-response-names-what-was-written"),
        ((100,), "rtrext.7.3.exrw-of-a-response-names-what-was-written"),
        ((40, 60), "rtrext.7.3.exrw-items-are-as-chunks"),
        ((61, 39), "rtrext.7.3.exrw-items-are-as-chunks"),
    ],
)
def test_returned_segments_are_those_offered_and_filled(
    segments: tuple[int, ...], rule: str
) -> None:
    told = tuple(
        RdmaSegment(one.handle, length, 0) for one, length in zip(OFFERED, segments, strict=False)
    )
    assert broken([entry(ByExplicitRdma(told))], EXRW)[0] == rule


def test_another_handle_is_none_that_was_offered() -> None:
    told = (RdmaSegment(9, 60, 0), RdmaSegment(8, 40, 0))
    assert broken([entry(ByExplicitRdma(told))], EXRW) == [
        "rtrext.7.3.exrw-of-a-response-names-what-was-written"
    ]


def test_a_direction_holds_within_its_range() -> None:
    directions = (
        ResponseSet(ResponseRange(0, 0), (ResponseItem(0, TBSN),)),
        ResponseSet(ResponseRange(0, 4), (ResponseItem(0, TBSN),)),
    )
    request = asked(FETCH, directions)
    assert list(broken_entries([NOTHING, entry(IN_SENDS)], REPLY, request, state())) == []


def test_without_a_binding_only_types_are_looked_at() -> None:
    request = asked(FETCH, directed(TBSN))
    unknown = state(upper_layer=None)
    assert list(broken_entries([entry(IN_SENDS, by=4)], REPLY, request, unknown)) == []
    assert list(broken_entries([entry(IN_SENDS, by=4)], b"none", request, state())) == []
