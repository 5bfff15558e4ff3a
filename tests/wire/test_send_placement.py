"""How a message is arranged in the Sends of a group."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_rtrext import buffer_structures
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
    InTargetedSegments,
    MessageItem,
)
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.operations import XmtCont, XmtReq
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.placed_items import gather, spans_of
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.send_placement import CONTINUATION_HEADER, Arrangement, BulkItem, Part, arrange

if TYPE_CHECKING:
    from rpcrdma.wire.operations import KnownOption

PLAIN = 0
TARGET = XMRSFLAG_DDP


def layout_of(*groups: tuple[int, int, int], octets: int = 2**32 - 1) -> BufferLayout:
    """Of groups of count, length and flags."""
    return BufferLayout.of(
        BufferStructure(
            sum(count * length for count, length, _ in groups),
            tuple(
                BufferSegmentGroup(count, BufferSegment(length, length, flags))
                for count, length, flags in groups
            ),
        ),
        octets,
    )


def header_of(option: KnownOption) -> bytes:
    return v2.encode_header(
        v2.Rdma2Header(7, v2.VERSION, 32, encode_option(MessageType.CALL, option))
    )


def request_header(items: tuple[MessageItem, ...]) -> int:
    """Octets of the header of an XMTREQ with these items."""
    return len(header_of(XmtReq(items, (), 1, 1, 0)))


NO_ITEMS = request_header(())
ONE_ITEM = request_header((MessageItem(0, 0, InTargetedSegments(0, ())),))

ANY = 2**32 - 1
"""The largest limit that a peer can tell of: the sender has to see by itself that it is lost."""

TYPICAL = layout_of((1, 1024, PLAIN), (3, 4096, TARGET))
"""As section 7.2 has it in mind: room for header and payload, then segments for bulk data."""


def octets_of(length: int, seed: int = 1) -> bytes:
    """Octets that differ from those before them and from zero."""
    return bytes((at * 7 + seed) % 251 + 1 for at in range(length))


def sends_of(arrangement: Arrangement) -> tuple[bytes, ...]:
    """The Sends as they are received, with headers that are not zero."""
    first = b"\xff" * request_header(arrangement.items)
    headers = (first, *[b"\xff" * CONTINUATION_HEADER] * (len(arrangement.parts) - 1))
    return tuple(
        header + part.payload + part.rest
        for header, part in zip(headers, arrangement.parts, strict=True)
    )


def arranged(
    layout: BufferLayout, payload: bytes, bulk: tuple[BulkItem, ...] = (), most: int = 16
) -> Arrangement:
    arrangement = arrange(layout, payload, bulk, request_header, most=most)
    assert arrangement is not None
    return arrangement


def numbers_of(arrangement: Arrangement) -> list[tuple[int, ...]]:
    """The target segments of each item."""
    return [
        item.xmdmi_where.xmdl_bsnum
        for item in arrangement.items
        if isinstance(item.xmdmi_where, InTargetedSegments)
    ]


def payloads_of(arrangement: Arrangement) -> list[int]:
    """How much of the Payload stream each Send has."""
    return [len(part.payload) for part in arrangement.parts]


def lengths_of(arrangement: Arrangement) -> list[int]:
    """The octets of each Send."""
    return [len(send) for send in sends_of(arrangement)]


def test_the_header_of_a_continuation_has_the_length_that_is_counted_on() -> None:
    assert len(header_of(XmtCont(1, 5, 0))) == CONTINUATION_HEADER


def test_a_short_message_is_one_send() -> None:
    assert arranged(TYPICAL, b"payload!") == Arrangement((), (Part(b"payload!", b""),))


def test_an_item_begins_at_the_first_target_after_the_payload() -> None:
    data = octets_of(5000)
    arrangement = arranged(TYPICAL, octets_of(100), (BulkItem(96, data),))
    assert arrangement.items == (MessageItem(96, 5000, InTargetedSegments(0, (0, 1))),)
    (part,) = arrangement.parts
    front = request_header(arrangement.items) + 100
    assert part.payload == octets_of(100)
    assert part.rest == bytes(1024 - front) + data


def test_an_item_goes_on_in_the_next_send_and_unused_targets_are_numbered() -> None:
    """Two Sends of three targets each: the second item begins in a fresh target of the first."""
    bulk = (BulkItem(40, octets_of(4100)), BulkItem(4140, octets_of(5000, seed=9)))
    arrangement = arranged(TYPICAL, octets_of(64), bulk)
    assert numbers_of(arrangement) == [(0, 1), (2, 3)]
    assert lengths_of(arrangement) == [13312, 1024 + 904]
    assert payloads_of(arrangement) == [64, 0]


def test_payload_longer_than_the_first_segment_takes_a_target() -> None:
    """The target that holds payload is numbered as well (6.2)."""
    arrangement = arranged(TYPICAL, octets_of(1500), (BulkItem(8, octets_of(8192)),))
    assert numbers_of(arrangement) == [(1, 2)]
    assert payloads_of(arrangement) == [1500]


def test_payload_gives_way_to_bulk_data_that_need_every_target() -> None:
    arrangement = arranged(TYPICAL, octets_of(1500), (BulkItem(8, octets_of(6 * 4096)),))
    assert numbers_of(arrangement) == [(0, 1, 2, 3, 4, 5)]
    header = request_header(arrangement.items)
    assert payloads_of(arrangement) == [1024 - header, 1500 - (1024 - header)]


def test_bulk_data_that_end_in_a_send_make_room_there_for_payload() -> None:
    arrangement = arranged(TYPICAL, octets_of(5000), (BulkItem(8, octets_of(4 * 4096)),))
    assert numbers_of(arrangement) == [(0, 1, 2, 4)]
    header = request_header(arrangement.items)
    assert payloads_of(arrangement) == [1024 - header, 5000 - (1024 - header)]


def test_payload_that_is_left_when_the_bulk_data_end_fills_whole_sends() -> None:
    arrangement = arranged(TYPICAL, octets_of(25001), (BulkItem(8, octets_of(100)),))
    assert numbers_of(arrangement) == [(2,)]
    header = request_header(arrangement.items)
    first, second = 1024 + 2 * 4096 - header, 13312 - CONTINUATION_HEADER
    assert payloads_of(arrangement) == [first, second, 25001 - first - second]
    assert [part.rest for part in arrangement.parts[1:]] == [b"", b""]


def test_a_first_segment_that_is_a_target_holds_the_header() -> None:
    layout = layout_of((4, 512, TARGET))
    arrangement = arranged(layout, octets_of(8), (BulkItem(8, octets_of(600)),))
    assert numbers_of(arrangement) == [(1, 2)]


def test_a_header_longer_than_the_first_segment_goes_on_in_the_next() -> None:
    layout = layout_of((1, 16, PLAIN), (4, 64, TARGET))
    arrangement = arranged(layout, b"", (BulkItem(0, octets_of(100)),))
    assert 16 < request_header(arrangement.items) <= 16 + 64
    assert numbers_of(arrangement) == [(1, 2)]


def test_segments_that_are_no_targets_are_passed_over_by_padding() -> None:
    layout = layout_of((1, 128, PLAIN), (1, 256, TARGET), (1, 64, PLAIN), (1, 256, TARGET))
    data = octets_of(300)
    (part,) = arranged(layout, b"", (BulkItem(0, data),)).parts
    assert part.rest.endswith(data[:256] + bytes(64) + data[256:])


def test_the_numbers_in_the_header_can_move_the_item() -> None:
    """The header without numbers ends where a target begins; with them it does not."""
    layout = layout_of((1, ONE_ITEM, PLAIN), (3, 64, TARGET))
    arrangement = arranged(layout, b"", (BulkItem(0, octets_of(64)),))
    assert numbers_of(arrangement) == [(1,)]


def test_an_item_without_octets_is_in_no_segment() -> None:
    bulk = (BulkItem(0, b""), BulkItem(4, b"data"), BulkItem(8, b""))
    assert numbers_of(arranged(TYPICAL, b"", bulk)) == [(), (0,), ()]


def test_a_target_that_the_longest_send_cuts_off_is_not_used() -> None:
    """Items use all but their last segment to the end (D-103)."""
    layout = layout_of((1, 1024, PLAIN), (3, 4096, TARGET), octets=1024 + 2 * 4096 - 1)
    arrangement = arranged(layout, b"", (BulkItem(0, octets_of(5000)),))
    assert numbers_of(arrangement) == [(0, 3)]


def test_payload_fills_a_target_that_bulk_data_cannot_use() -> None:
    layout = layout_of((1, 40, PLAIN), (1, 64, TARGET), (1, 300, TARGET), octets=240)
    arrangement = arranged(layout, octets_of(120), (BulkItem(8, octets_of(64)),))
    assert numbers_of(arrangement) == [(2,)]
    assert payloads_of(arrangement) == [120, 0]


def test_parts_of_the_payload_are_cut_between_units_of_xdr() -> None:
    layout = layout_of((1, 1022, PLAIN))
    assert payloads_of(arranged(layout, octets_of(2001))) == [
        1020 - NO_ITEMS,
        1020 - CONTINUATION_HEADER,
        2001 - (2040 - NO_ITEMS - CONTINUATION_HEADER),
    ]


def test_a_first_send_may_have_nothing_but_its_header() -> None:
    layout = layout_of((1, NO_ITEMS, PLAIN))
    assert payloads_of(arranged(layout, octets_of(8))) == [0, 8]


@pytest.mark.parametrize(
    ("layout", "payload", "bulk", "most"),
    [
        pytest.param(TYPICAL, 20000, 0, 1, id="more Sends than the receiver takes"),
        pytest.param(TYPICAL, 0, 13000, 1, id="more bulk data than the Sends take"),
        pytest.param(layout_of((1, 4096, PLAIN)), 0, 4, ANY, id="no target"),
        pytest.param(layout_of((1, NO_ITEMS - 4, PLAIN)), 0, 0, 16, id="the header does not fit"),
        pytest.param(layout_of((99, 1, TARGET)), 0, 50, 16, id="the header grows too long"),
        pytest.param(layout_of((2, 32, TARGET)), 0, 4, ANY, id="no target is free"),
    ],
)
def test_what_cannot_be_arranged_is_not(
    layout: BufferLayout, payload: int, bulk: int, most: int
) -> None:
    items = (BulkItem(0, octets_of(bulk)),) if bulk else ()
    assert arrange(layout, octets_of(payload), items, request_header, most=most) is None


def test_headers_of_continuations_that_no_send_holds_allow_one_send_only() -> None:
    layout = layout_of((1, 64, PLAIN))
    assert arrange(layout, octets_of(64), (), lambda _: 8, most=ANY, continuation_header=68) is None


def test_segment_numbers_that_no_word_holds_are_not_used() -> None:
    layout = layout_of((1, 1024, PLAIN), (2**32 - 1, 0, TARGET), (2, 64, TARGET))
    bulk = (BulkItem(0, octets_of(64)),)
    assert numbers_of(arranged(layout, b"", bulk)) == [(2**32 - 1,)]
    assert arrange(layout, b"", bulk * 2, lambda _: 60, most=16) is None


def layouts() -> st.SearchStrategy[BufferLayout]:
    """Small buffers of all shapes."""
    group = st.tuples(
        st.integers(1, 4),
        st.sampled_from([0, 4, 10, 64, 100, 256]),
        st.sampled_from([PLAIN, TARGET]),
    )
    octets = st.one_of(st.just(2**32 - 1), st.integers(NO_ITEMS, 1024))
    return st.builds(
        lambda groups, most: layout_of(*groups, octets=most),
        st.lists(group, min_size=1, max_size=5),
        octets,
    )


def bulks() -> st.SearchStrategy[tuple[BulkItem, ...]]:
    """Items of different octets."""
    return st.lists(st.integers(0, 700), max_size=4).map(
        lambda lengths: tuple(
            BulkItem(position, octets_of(length, seed))
            for seed, (length, position) in enumerate(
                zip(lengths, accumulate(lengths), strict=True)
            )
        )
    )


@given(layouts(), st.integers(0, 1500), bulks(), st.integers(1, 9))
def test_what_is_arranged_is_found_where_it_may_lie(
    layout: BufferLayout, payload_length: int, bulk: tuple[BulkItem, ...], most: int
) -> None:
    payload = octets_of(payload_length, seed=200)
    arrangement = arrange(layout, payload, bulk, request_header, most=most)
    if arrangement is None:
        return
    sends = sends_of(arrangement)
    lengths = [len(send) for send in sends]
    ends = [
        length - len(part.rest) for length, part in zip(lengths, arrangement.parts, strict=True)
    ]
    spans = spans_of(layout, arrangement.items, lengths, ends)

    assert len(sends) <= most
    assert max(lengths) <= layout.length
    assert b"".join(part.payload for part in arrangement.parts) == payload
    with_payload = [part.payload for part in arrangement.parts if part.payload]
    assert all(len(part) % 4 == 0 for part in with_payload[:-1])
    assert all(part.payload or part.rest for part in arrangement.parts[1:])
    assert [gather(sends, of_item) for of_item in spans] == [item.data for item in bulk]
    # Every item begins at the beginning of a target, and so at the promised alignment.
    starts = {target.start for target in layout.targets}
    assert all(span.start in starts for of_item in spans for span in of_item)
    # What is neither header, payload nor bulk is zero, and nothing follows the last octet of bulk.
    left = [bytearray(send[end:]) for send, end in zip(sends, ends, strict=True)]
    for span in (span for of_item in spans for span in of_item):
        begin = span.start - ends[span.send]
        left[span.send][begin : begin + span.length] = bytes(span.length)
    assert not any(any(octets) for octets in left)
    assert all(part.rest[-1] for part in arrangement.parts if part.rest)


@given(layouts(), st.integers(0, 1500), st.integers(1, 9))
def test_payload_alone_takes_as_few_sends_as_it_can(
    layout: BufferLayout, length: int, most: int
) -> None:
    arrangement = arrange(layout, octets_of(length), (), request_header, most=most)
    first, other = (layout.length - NO_ITEMS) & ~3, (layout.length - CONTINUATION_HEADER) & ~3
    if layout.length < NO_ITEMS:
        assert arrangement is None
        return
    in_one = length <= layout.length - NO_ITEMS
    # The last part is not cut, so it may use the octets that are less than a unit.
    tail = layout.length - CONTINUATION_HEADER
    needed = 1 if in_one else 2 + max(0, -((tail - (length - first)) // other))
    assert (None if arrangement is None else len(arrangement.parts)) == (
        needed if needed <= most else None
    )


@given(buffer_structures(), st.integers(0, 2**32 - 1), st.integers(0, 300), bulks())
def test_no_structure_that_a_peer_tells_of_is_too_much(
    told: BufferStructure, octets: int, payload: int, bulk: tuple[BulkItem, ...]
) -> None:
    layout = BufferLayout.of(told, octets)
    arrangement = arrange(layout, octets_of(payload), bulk, request_header, most=4)
    if arrangement is not None:
        assert sum(payloads_of(arrangement)) == payload
