"""Where the segments of a receiver's buffers begin, and which numbers the targets have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_rtrext import buffer_structures
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
)
from rpcrdma.wire.buffers import BufferLayout, Segment, SegmentList

LARGEST = 2**32 - 1
OTHER_FLAG = 2


def structure(*groups: tuple[int, int, int, int]) -> BufferStructure:
    """Of groups of count, length, alignment and flags."""
    return BufferStructure(
        sum(count * length for count, length, _, _ in groups),
        tuple(BufferSegmentGroup(count, BufferSegment(*info)) for count, *info in groups),
    )


def small_groups() -> st.SearchStrategy[list[tuple[int, int, int, int]]]:
    """Groups that can be written out."""
    group = st.tuples(
        st.integers(0, 4), st.integers(0, 9), st.integers(0, 4), st.integers(0, OTHER_FLAG + 1)
    )
    return st.lists(group, max_size=5)


TYPICAL = structure((1, 1024, 0, 0), (3, 4096, 4096, XMRSFLAG_DDP), (1, 512, 8, OTHER_FLAG))


def test_groups_become_segments_one_after_the_other() -> None:
    layout = BufferLayout.of(TYPICAL, 65536)
    targets = [Segment(1024 + at * 4096, 4096, 4096, is_target=True) for at in range(3)]
    first, last = (
        Segment(0, 1024, 1, is_target=False),
        Segment(13312, 512, 8, is_target=False),
    )
    assert layout.length == 13824
    assert list(layout.segments) == [first, *targets, last]
    assert list(layout.targets) == targets
    assert last.end == layout.length


def test_nothing_told_is_one_segment_that_is_no_target() -> None:
    layout = BufferLayout.of(None, 4096)
    assert layout.length == 4096
    assert list(layout.segments) == [Segment(0, 4096, 1, is_target=False)]
    assert len(layout.targets) == 0


@pytest.mark.parametrize("octets", [0, 1000, 13823, 13824, 13825])
def test_the_smaller_size_binds_and_all_targets_keep_their_numbers(octets: int) -> None:
    layout = BufferLayout.of(TYPICAL, octets)
    assert layout.length == min(octets, 13824)
    assert len(layout.targets) == 3


@pytest.mark.parametrize(
    ("number", "send", "start"), [(0, 0, 1024), (2, 0, 9216), (3, 1, 1024), (10, 3, 5120)]
)
def test_numbers_go_on_in_the_next_send(number: int, send: int, start: int) -> None:
    expected = (send, Segment(start, 4096, 4096, is_target=True))
    assert BufferLayout.of(TYPICAL, 4096).target(number) == expected


def test_a_buffer_without_targets_has_no_target_of_any_number() -> None:
    with pytest.raises(IndexError, match="no target"):
        BufferLayout.of(None, 4096).target(0)


@pytest.mark.parametrize("number", [-1, 5])
def test_a_number_that_no_segment_has_is_refused(number: int) -> None:
    with pytest.raises(IndexError, match=f"{number} is none of 5 segments"):
        BufferLayout.of(TYPICAL, 65536).segments[number]


@given(small_groups())
def test_every_segment_is_found_by_its_number(groups: list[tuple[int, int, int, int]]) -> None:
    segments = BufferLayout.of(structure(*groups), 65536).segments
    written_out = list(segments)
    assert [segments[number] for number in range(len(segments))] == written_out
    assert [segment.length for segment in written_out] == [
        length for count, length, _, _ in groups for _ in range(count)
    ]
    ends = [0, *(segment.end for segment in written_out)]
    assert [segment.start for segment in written_out] == ends[:-1]


@given(small_groups(), st.integers(0, 200))
def test_the_nearest_target_is_found_by_its_place(
    groups: list[tuple[int, int, int, int]], octet: int
) -> None:
    targets = BufferLayout.of(structure(*groups), 65536).targets
    filled = [(number, target) for number, target in enumerate(targets) if target.length]
    after = [number for number, target in filled if target.start >= octet]
    before = [number for number, target in filled if target.end <= octet]
    assert targets.first_from(octet) == (after[0] if after else None)
    assert targets.last_until(octet) == (before[-1] if before else None)


@given(buffer_structures(), st.integers(0, LARGEST))
def test_whatever_a_peer_tells_is_a_layout(told: BufferStructure, octets: int) -> None:
    """However many segments it tells of, none is made before it is asked for."""
    layout = BufferLayout.of(told, octets)
    assert layout.length <= octets
    assert len(layout.segments) == sum(group.xmrgrp_count for group in told.xmrbuf_groups)
    assert len(layout.targets) <= len(layout.segments)
    number = layout.targets.first_from(0)
    assert number is None or layout.targets[number].length > 0


def test_the_last_of_very_many_segments_is_found_at_once() -> None:
    empty = (Segment(8, 0, 1, is_target=True), LARGEST)
    full = (Segment(8, 4, 1, is_target=True), LARGEST)
    segments = SegmentList((empty, full))
    end = 8 + 4 * LARGEST
    assert segments[2 * LARGEST - 1] == Segment(end - 4, 4, 1, is_target=True)
    assert segments.first_from(8) == LARGEST
    assert segments.last_until(end) == 2 * LARGEST - 1
    assert segments.first_from(end) is None
