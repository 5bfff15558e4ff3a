"""Chunks are grouped by Position, in the order of the list."""

# Arguments come from strategies and parameters that say what they are:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import pytest

from rpcrdma.wire import (
    RdmaSegment,
    ReadChunk,
    ReadSegment,
    WriteChunk,
    any_overlap,
    chunk_length,
    group_by_position,
    overlap,
    roundup_padding,
)

A, B, C = RdmaSegment(1, 10, 0), RdmaSegment(2, 20, 0), RdmaSegment(3, 30, 0)


def test_segments_of_one_position_are_one_chunk_even_when_others_stand_between():
    reads = (ReadSegment(8, A), ReadSegment(0, B), ReadSegment(8, C))

    assert group_by_position(reads) == (ReadChunk(8, (A, C)), ReadChunk(0, (B,)))


def test_chunk_gives_its_segments_back():
    assert ReadChunk(8, (A, C)).segments == (ReadSegment(8, A), ReadSegment(8, C))


def test_length_is_the_sum_of_the_segments():
    assert (ReadChunk(8, (A, C)).length, chunk_length(WriteChunk((A, B)))) == (40, 30)


@pytest.mark.parametrize(("length", "padding"), [(0, 0), (1, 3), (2, 2), (3, 1), (4, 0), (5, 3)])
def test_padding_fills_up_to_four(length, padding):
    assert roundup_padding(length) == padding


@pytest.mark.parametrize(
    ("segments", "wanted"),
    [
        ((), False),
        ((A, B, C), False),
        ((RdmaSegment(1, 10, 10), A), False),
        ((RdmaSegment(1, 10, 9), A), True),
        ((RdmaSegment(1, 0, 5), A), False),
        ((RdmaSegment(1, 1, 5), B, A), True),
        ((A, A), True),
    ],
)
def test_segments_overlap_that_name_an_octet_twice(segments, wanted):
    assert any_overlap(segments) is wanted


@pytest.mark.parametrize(
    ("other", "octets"),
    [
        (RdmaSegment(1, 10, 9), 1),
        (RdmaSegment(1, 10, 10), 0),
        (RdmaSegment(1, 3, 5), 3),
        (RdmaSegment(1, 0, 5), 0),
        (RdmaSegment(2, 10, 0), 0),
        (A, 10),
    ],
)
def test_overlap_is_what_both_segments_name(other, octets):
    assert (overlap(A, other), overlap(other, A)) == (octets, octets)
