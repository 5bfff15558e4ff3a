from __future__ import annotations

import pytest

from fuzz.header_codec import check_header, count_segments
from fuzz.invariant import BrokenInvariant
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import RdmaSegment, ReadSegment, WriteChunk


class Words:
    """A header of one word that says how many segments it has; the octets are the header."""

    def decode(self, octets: bytes) -> tuple[bytes, int]:
        if len(octets) < 4:
            raise DecodeError(0, "word", Reason.TRUNCATED)
        return octets[:4], 4

    def encode(self, header: bytes) -> bytes:
        return header

    def segments(self, header: bytes) -> int:
        return header[3]


class RefusesOtherwise(Words):
    """Has another reason for what is cut short."""

    def decode(self, octets: bytes) -> tuple[bytes, int]:
        if len(octets) < 4:
            raise DecodeError(0, "word", Reason.BAD_ENUM)
        return super().decode(octets)


def test_header_is_returned_and_what_is_none_is_not() -> None:
    assert check_header(bytes(5), Words()) == bytes(4)
    assert check_header(bytes(3), Words()) is None


@pytest.mark.parametrize(
    ("codec", "octets", "invariant"),
    [(Words(), b"\0\0\0\1", "unbounded"), (RefusesOtherwise(), bytes(4), "cut-short")],
)
def test_broken_invariant_is_found(codec: Words, octets: bytes, invariant: str) -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check_header(octets, codec)
    assert caught.value.invariant == invariant


def test_segments_of_every_list_are_counted() -> None:
    segment = RdmaSegment(1, 2, 3)
    reads, chunk = (ReadSegment(0, segment),), WriteChunk((segment, segment))
    assert count_segments(reads, (chunk, WriteChunk(())), chunk) == 5
    assert count_segments((), (), None) == 0
