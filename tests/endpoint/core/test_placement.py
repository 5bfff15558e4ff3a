"""Schedules of explicit RDMA: every octet moves once, in list order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.endpoint.core.actions import Transfer
from rpcrdma.endpoint.core.placement import (
    fill_lengths,
    returned_chunk,
    split,
    transfers,
    unused_chunk,
)
from rpcrdma.wire import RdmaSegment, WriteChunk

chunks = st.builds(
    WriteChunk,
    st.lists(
        st.builds(RdmaSegment, st.integers(1, 99), st.integers(0, 50), st.integers(0, 10**9)),
        max_size=6,
    ).map(tuple),
)


@given(chunks, st.integers(0, 400))
def test_segments_are_filled_in_array_order_each_before_the_next(
    chunk: WriteChunk, length: int
) -> None:
    """rfc8166 3.4.6: a segment holds data only when all before it are full."""
    lengths = fill_lengths(chunk, length)
    rooms = [segment.length for segment in chunk.target]
    assert sum(lengths) == min(length, sum(rooms))
    for index, part in enumerate(lengths):
        if part:
            assert list(lengths[:index]) == rooms[:index]


@given(chunks, st.integers(0, 50))
def test_a_schedule_covers_local_octets_once_and_in_order(chunk: WriteChunk, start: int) -> None:
    """One operation for each segment that is not empty (D-34), one after the other."""
    schedule = transfers(chunk.target, [segment.length for segment in chunk.target], start)
    used = [segment for segment in chunk.target if segment.length]
    assert [(item.length, item.handle, item.offset) for item in schedule] == [
        (segment.length, segment.handle, segment.offset) for segment in used
    ]
    for item in schedule:
        assert item.start == start
        start += item.length


@given(chunks, st.integers(0, 400))
def test_a_returned_chunk_differs_in_nothing_but_its_lengths(
    chunk: WriteChunk, length: int
) -> None:
    """rfc8166 3.4.6: count, order, handles and offsets are those of the call."""
    lengths = fill_lengths(chunk, length)
    for found, expected in (
        (returned_chunk(chunk, lengths), lengths),
        (unused_chunk(chunk), (0,) * len(lengths)),
    ):
        assert tuple(segment.length for segment in found.target) == expected
        assert [(item.handle, item.offset) for item in found.target] == [
            (item.handle, item.offset) for item in chunk.target
        ]


def test_a_local_start_is_where_the_first_transfer_begins() -> None:
    """Chunks of one call lie one after the other in local memory."""
    assert transfers([RdmaSegment(5, 3, 70)], [3], 8) == (Transfer(8, 3, 5, 70),)


@given(st.integers(0, 10**6), st.integers(1, 10**5))
def test_a_split_chunk_has_no_empty_and_no_too_long_segment(length: int, most: int) -> None:
    """rfc8166 3.4.4: any boundaries will do, and nothing is left out."""
    parts = split(length, most)
    assert sum(parts) == length
    assert all(0 < part <= most for part in parts)
