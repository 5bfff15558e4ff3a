"""Segments within regions, and what a device can reach of them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from conformance.oracle.memory import NO_MEMORY, ExposedRegions, within
from rpcrdma.wire import RdmaSegment


@dataclass(frozen=True)
class Tiny:
    """Eight octets under a handle."""

    handle: int = 7
    offset: int = 4096
    data: bytes = b"abcdefgh"

    @property
    def length(self) -> int:
        return len(self.data)

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        return self.data[start:] if length is None else self.data[start : start + length]


REGION = Tiny()
EMPTY_ELSEWHERE = RdmaSegment(99, 0, 1)


def segment(start: int, length: int, handle: int = 7) -> RdmaSegment:
    return RdmaSegment(handle, length, REGION.offset + start)


@pytest.mark.parametrize(
    ("given", "place"),
    [
        (segment(0, 8), slice(0, 8)),
        (segment(3, 2), slice(3, 5)),
        (segment(8, 0), slice(8, 8)),
        (segment(-1, 2), None),
        (segment(7, 2), None),
        (segment(0, 8, handle=8), None),
    ],
    ids=["all", "inside", "at the end", "before", "over the end", "other handle"],
)
def test_segment_lies_within_a_region_whole_or_not(given: RdmaSegment, place: slice | None) -> None:
    assert within(given, REGION) == place


def test_what_may_be_read_is_no_room_for_writes_and_the_reverse() -> None:
    readable, writable = ExposedRegions(), ExposedRegions()
    readable.expose(REGION, read=True)
    writable.expose(REGION, write=True)

    assert readable.fetch(segment(2, 3)) == b"cde"
    assert not readable.is_writable(segment(2, 3))
    assert writable.fetch(segment(2, 3)) is None
    assert writable.is_writable(segment(2, 3))


@pytest.mark.parametrize("memory", [NO_MEMORY, ExposedRegions()])
def test_nothing_lies_everywhere_and_anything_else_in_no_memory(memory: ExposedRegions) -> None:
    assert memory.fetch(EMPTY_ELSEWHERE) == b""
    assert memory.is_writable(EMPTY_ELSEWHERE)
    assert memory.fetch(segment(0, 1)) is None
    assert not memory.is_writable(segment(0, 1))


def test_contents_are_joined_unless_nobody_can_say_what_they_are() -> None:
    memory = ExposedRegions()
    memory.expose(REGION, write=True)

    assert memory.contents((segment(6, 2), EMPTY_ELSEWHERE, segment(0, 2))) == b"ghab"
    assert memory.contents((segment(0, 4), segment(3, 2))) is None
    assert memory.contents((segment(0, 9),)) is None
