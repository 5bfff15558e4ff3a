"""Scatter lists by themselves: how long they are, and what lands where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Access
from rpcrdma.fabric.memory import Region
from rpcrdma.fabric.segments import (
    Placement,
    ReceiveSegment,
    has_address,
    one_segment,
    placements,
    require_segments,
    total,
)

REGION = Region(1, 4096, 64, Access.LOCAL_WRITE)

lengths = st.lists(st.integers(0, 40), min_size=1, max_size=6)


def test_a_segment_of_a_region_has_an_address() -> None:
    assert ReceiveSegment(8, REGION, 16).address == 4112
    assert ReceiveSegment(8).address is None


def test_only_memory_of_the_fabrics_own_is_put_at_an_alignment() -> None:
    """That of a region is where its owner has it."""
    assert ReceiveSegment(8, align=2).is_aligned
    assert not ReceiveSegment(8).is_aligned
    assert not ReceiveSegment(8, REGION, align=64).is_aligned


def test_where_one_segment_of_the_fabrics_own_lies_does_not_matter() -> None:
    assert not has_address(one_segment(8))
    assert has_address((ReceiveSegment(8, REGION),))
    assert has_address((ReceiveSegment(8), ReceiveSegment(8)))
    assert has_address((ReceiveSegment(8, align=64),))


@given(lengths, st.data())
def test_segments_are_filled_in_their_order(octets: list[int], data: st.DataObject) -> None:
    """Each is full before the next holds anything, and nothing is lost."""
    segments = tuple(ReceiveSegment(length, REGION) for length in octets)
    length = data.draw(st.integers(0, total(segments)))

    addresses = range(len(segments))
    placed = [one.length for one in placements(segments, addresses, length)]

    assert sum(placed) == length
    assert len(placed) == len(segments)
    for number, here in enumerate(placed):
        assert here == octets[number] or not any(placed[number + 1 :])
    assert [one.address for one in placements(segments, addresses, length)] == list(addresses)


def test_a_placement_is_said_in_words() -> None:
    assert str(Placement(4096, 3)) == "3 octets at 0x1000"
    assert str(Placement(None, 3)) == "3 octets"


@pytest.mark.parametrize("count", [0, 3])
def test_no_segment_and_one_too_many_are_refused(count: int) -> None:
    with pytest.raises(FabricError, match=f"a Receive of {count} segments: .* made for 1 to 2"):
        require_segments((ReceiveSegment(1),) * count, 2)
