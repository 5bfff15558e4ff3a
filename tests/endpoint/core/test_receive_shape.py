"""Receives that follow a buffer structure: which segments they have, and how many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.endpoint.core.receive_shape import ReceiveShape
from rpcrdma.fabric.segments import ReceiveSegment, one_segment, total
from rpcrdma.wire._generated_rtrext import BufferSegment, BufferSegmentGroup, BufferStructure

groups = st.builds(
    BufferSegmentGroup,
    st.integers(0, 3),
    st.builds(BufferSegment, st.integers(0, 64), st.integers(0, 64), st.integers(0, 1)),
)
shapes = st.builds(BufferStructure, st.just(0), st.lists(groups, max_size=3).map(tuple))

PLAIN = BufferSegmentGroup(1, BufferSegment(1024, 0, 0))
TARGETS = BufferSegmentGroup(2, BufferSegment(4096, 4096, 1))
SHAPE = ReceiveShape.of(BufferStructure(9216, (PLAIN, TARGETS)))
LAID_OUT = (ReceiveSegment(1024), *(ReceiveSegment(4096, align=4096),) * 2)


def test_without_a_structure_a_receive_is_one_segment() -> None:
    shape = ReceiveShape.of(None)

    assert shape.segments(4096) == one_segment(4096)
    assert shape.most_segments == 1


def test_each_segment_of_the_structure_is_one_of_the_receive() -> None:
    """A group's as often as it counts; the first promises no alignment (D-102)."""
    assert SHAPE.segments(9216) == LAID_OUT


def test_what_is_longer_than_the_structure_has_one_more_segment() -> None:
    """A structure binds a sender that keeps to it; the Receive is as long as its size says."""
    assert SHAPE.segments(9217) == (*LAID_OUT, ReceiveSegment(1))
    assert SHAPE.most_segments == 4


def test_what_is_shorter_than_the_structure_ends_within_it() -> None:
    """What its segments promised holds as far as they go."""
    assert SHAPE.segments(9215) == (*LAID_OUT[:2], ReceiveSegment(4095, align=4096))
    assert SHAPE.segments(1024) == one_segment(1024)


def test_receives_of_a_length_are_laid_out_once() -> None:
    """One is posted for each message, on each of many connections."""
    first = ReceiveShape.of(BufferStructure(9216, (PLAIN, TARGETS)))
    again = ReceiveShape.of(BufferStructure(9216, (PLAIN, TARGETS)))

    assert again.segments(10_000) is first.segments(10_000)


@given(st.none() | shapes, st.integers(0, 1000))
def test_a_receive_is_as_long_as_it_was_asked_for(
    structure: BufferStructure | None, octets: int
) -> None:
    """And the connection is made for as many segments as it has."""
    shape = ReceiveShape.of(structure)

    segments = shape.segments(octets)

    assert total(segments) == octets
    assert 1 <= len(segments) <= shape.most_segments
    assert all(segment.align >= 1 for segment in segments)
