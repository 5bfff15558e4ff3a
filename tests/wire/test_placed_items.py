"""Where the items of a group lie, and what is reported of one that cannot lie there."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_rtrext import message_items
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BadOffset,
    BadTargetSegment,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
    ByExplicitRdma,
    ErrorInformation,
    InTargetedSegments,
    MessageItem,
    NoItem,
    TooShort,
)
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.placed_items import PlacementFault, Span, gather, spans_of

PLAIN = BufferSegmentGroup(1, BufferSegment(100, 0, 0))
TARGETS = BufferSegmentGroup(3, BufferSegment(50, 0, XMRSFLAG_DDP))
LAYOUT = BufferLayout.of(BufferStructure(250, (PLAIN, TARGETS)), 250)
"""Targets from octet 100, 150 and 200 of each Send, up to octet 250."""

SENDS, ENDS = (250, 220), (100, 40)
"""A Send that ends with its buffer, and one that ends within its last target."""

NAMES = "rtrext.7.3.tbsn-names-the-segments"
OFFSET = "rtrext.7.3.tbsn-begins-at-the-offset"
NEXT = "rtrext.7.3.tbsn-goes-on-in-the-next-of-the-list"


def item(length: int, *numbers: int, offset: int = 0) -> MessageItem:
    return MessageItem(8, length, InTargetedSegments(offset, numbers))


@pytest.mark.parametrize(
    ("placed", "spans"),
    [
        pytest.param(item(50, 0), (Span(0, 100, 50),), id="a whole segment"),
        pytest.param(item(8, 1, offset=12), (Span(0, 162, 8),), id="within a segment"),
        pytest.param(
            item(60, 1, 2, offset=12), (Span(0, 162, 38), Span(0, 200, 22)), id="over two"
        ),
        pytest.param(item(70, 2, 3), (Span(0, 200, 50), Span(1, 100, 20)), id="over two Sends"),
        pytest.param(item(70, 4, 0), (Span(1, 150, 50), Span(0, 100, 20)), id="in any order"),
        pytest.param(item(20, 5), (Span(1, 200, 20),), id="up to the end of its Send"),
        pytest.param(item(0), (), id="no octets in no segment"),
        pytest.param(item(0, 5, offset=30), (), id="no octets in a segment"),
        pytest.param(MessageItem(8, 4, ByExplicitRdma(())), (), id="by explicit RDMA"),
        pytest.param(MessageItem(8, 4, TooShort()), (), id="too short"),
        pytest.param(MessageItem(0, 0, NoItem()), (), id="no item"),
    ],
)
def test_an_item_lies_in_its_segments(placed: MessageItem, spans: tuple[Span, ...]) -> None:
    assert spans_of(LAYOUT, (placed,), SENDS, ENDS) == (spans,)


def test_items_may_share_a_segment_with_each_other_and_with_payload() -> None:
    spans = spans_of(LAYOUT, (item(10, 0, offset=30), item(10, 0, offset=20)), (250,), (120,))
    assert spans == ((Span(0, 130, 10),), (Span(0, 120, 10),))


def test_an_item_without_octets_is_in_no_payload() -> None:
    assert spans_of(LAYOUT, (item(0, 0),), (250,), (120,)) == ((),)


@pytest.mark.parametrize(
    ("placed", "requirement", "send", "info"),
    [
        pytest.param(item(8, 6), NAMES, 0, BadTargetSegment(6, 0, 5), id="no such number"),
        pytest.param(item(8, 0, offset=50), OFFSET, 0, BadOffset(50, 0, 49), id="offset"),
        pytest.param(item(60, 0), NEXT, 0, None, id="too few segments"),
        pytest.param(item(4), NEXT, 0, None, id="no segment"),
        pytest.param(item(50, 0, 1), NEXT, 0, None, id="too many segments"),
        pytest.param(item(21, 5), NAMES, 1, BadTargetSegment(5, 0, 4), id="after the Send"),
    ],
)
def test_an_item_that_cannot_lie_there_is_refused(
    placed: MessageItem, requirement: str, send: int, info: ErrorInformation | None
) -> None:
    with pytest.raises(PlacementFault) as caught:
        spans_of(LAYOUT, (placed,), SENDS, ENDS)
    assert (caught.value.requirement, caught.value.send, caught.value.info) == (
        requirement,
        send,
        info,
    )


@pytest.mark.parametrize(
    ("front", "info"),
    [
        pytest.param(101, BadTargetSegment(3, 4, 5), id="one octet of payload"),
        pytest.param(151, BadTargetSegment(3, 5, 5), id="payload in two"),
        pytest.param(220, BadTargetSegment(3, 1, 0), id="payload in all"),
    ],
)
def test_an_item_in_the_payload_is_refused(front: int, info: BadTargetSegment) -> None:
    with pytest.raises(PlacementFault, match="header or payload") as caught:
        spans_of(LAYOUT, (item(8, 3),), SENDS, (100, front))
    assert (caught.value.send, caught.value.info) == (1, info)


def test_a_target_that_the_payload_ends_in_is_left_for_the_next_send() -> None:
    with pytest.raises(PlacementFault) as caught:
        spans_of(LAYOUT, (item(8, 0),), SENDS, (210, 40))
    assert caught.value.info == BadTargetSegment(0, 3, 5)


@pytest.mark.parametrize(
    "items",
    [
        pytest.param((item(10, 3), item(10, 3, offset=9)), id="two items"),
        pytest.param((item(10, 3, offset=9), item(10, 3)), id="the later one first"),
        pytest.param((item(100, 3, 3),), id="an item twice in a segment"),
    ],
)
def test_octets_that_belong_to_two_items_are_refused(items: tuple[MessageItem, ...]) -> None:
    with pytest.raises(PlacementFault, match="two items") as caught:
        spans_of(LAYOUT, items, SENDS, ENDS)
    assert (caught.value.send, caught.value.info) == (1, None)


@pytest.mark.parametrize("number", [0, 7])
def test_no_number_is_valid_in_buffers_without_targets(number: int) -> None:
    with pytest.raises(PlacementFault) as caught:
        spans_of(BufferLayout.of(None, 4096), (item(4, number),), (80,), (40,))
    assert caught.value.info == BadTargetSegment(number, 1, 0)


def test_a_send_that_reaches_no_target_has_no_valid_number() -> None:
    with pytest.raises(PlacementFault) as caught:
        spans_of(LAYOUT, (item(4, 0),), (80,), (40,))
    assert caught.value.info == BadTargetSegment(0, 1, 0)


def placed_items() -> st.SearchStrategy[MessageItem]:
    """Items that often lie where they can in Sends of `LAYOUT`."""
    return st.builds(
        lambda length, numbers, offset: item(length, *numbers, offset=offset),
        st.integers(0, 120),
        st.lists(st.integers(0, 9), max_size=3),
        st.sampled_from([0, 0, 0, 12, 60]),
    )


@given(
    st.lists(st.one_of(placed_items(), message_items()), max_size=4).map(tuple),
    st.lists(st.integers(28, 250), min_size=1, max_size=3),
)
def test_whatever_a_peer_names_lies_within_its_sends_or_is_refused(
    items: tuple[MessageItem, ...], sends: list[int]
) -> None:
    with suppress(PlacementFault):
        spans = spans_of(LAYOUT, items, sends, [28] * len(sends))
        used = [
            (span.send, octet)
            for of_item in spans
            for span in of_item
            for octet in range(span.start, span.start + span.length)
        ]
        assert len(set(used)) == len(used)
        assert all(28 <= octet < sends[send] for send, octet in used)
        assert [sum(span.length for span in of_item) for of_item in spans] == [
            one.xmdmi_length if isinstance(one.xmdmi_where, InTargetedSegments) else 0
            for one in items
        ]


def test_octets_are_gathered_in_the_order_of_the_spans() -> None:
    sends = (b"0123456789", b"abcdefghij")
    assert gather(sends, (Span(1, 2, 3), Span(0, 0, 2))) == b"cde01"
    assert gather(sends, ()) == b""
