"""Chunk lists as a device sees them that takes any word but zero for "another item follows"."""

from __future__ import annotations

import pytest

from conformance.explore.lenient import ChunkLists, read_leniently
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
    v2,
)

FIRST, SECOND, THIRD = (RdmaSegment(number, 8 * number, 64 * number) for number in (1, 2, 3))
READS = (ReadSegment(0, FIRST), ReadSegment(4, SECOND))
FULL = encode_header(
    TransportHeader(
        7, 1, 1, RdmaMsg(READS, (WriteChunk((SECOND, THIRD)), WriteChunk(())), WriteChunk((FIRST,)))
    )
)
FOLLOWS = slice(16, 20)
"""Says that the Read list has an item."""


def test_a_good_header_has_the_chunks_that_a_strict_decoder_sees() -> None:
    assert read_leniently(FULL) == ChunkLists((FIRST, SECOND), (SECOND, THIRD, FIRST))
    assert read_leniently(FULL + b"\xff" * 40) == read_leniently(FULL)


def test_any_word_but_zero_says_that_an_item_follows() -> None:
    spoiled = bytearray(FULL)
    spoiled[FOLLOWS] = bytes((0, 1, 0, 8))
    assert read_leniently(bytes(spoiled)) == read_leniently(FULL)


def test_version_two_has_one_word_more_before_the_lists() -> None:
    body = v2.Rdma2Msg(0, READS, (WriteChunk((SECOND, THIRD)),), WriteChunk((FIRST,)))
    two = v2.encode_header(v2.Rdma2Header(7, v2.VERSION, 1, body))
    assert read_leniently(two) == read_leniently(FULL)


def test_of_other_versions_nothing_is_known() -> None:
    assert read_leniently(FULL[:4] + bytes((0, 0, 0, 9)) + FULL[8:]) == ChunkLists()


@pytest.mark.parametrize("length", range(len(FULL)))
def test_what_is_cut_off_is_not_there(length: int) -> None:
    lists, whole = read_leniently(FULL[:length]), read_leniently(FULL)
    assert lists.reads == whole.reads[: len(lists.reads)]
    assert lists.results == whole.results[: len(lists.results)]


def test_a_count_beyond_the_end_takes_what_there_is() -> None:
    body = RdmaNomsg((), (WriteChunk((FIRST,)),), None)
    octets = bytearray(encode_header(TransportHeader(7, 1, 1, body)))
    octets[24:28] = b"\xff" * 4
    assert read_leniently(bytes(octets)).results == (FIRST,)


def test_other_procedures_have_no_lists() -> None:
    assert read_leniently(FULL[:12] + bytes((0, 0, 0, 3)) + FULL[16:]) == ChunkLists()
    assert read_leniently(b"") == ChunkLists()
