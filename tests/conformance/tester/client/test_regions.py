"""Memory of which all segments lie in one region."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.client.harness import Harness
from conformance.tester.client.regions import OneRegion
from conformance.tester.memory import FILL, GUARD
from targets.profile import SHIPPED, load_profile
from targets.reference.server import ReferenceTarget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.tester.client.peer import Peer


@pytest.fixture
def peer() -> Iterator[Peer]:
    harness = Harness(ReferenceTarget(load_profile(SHIPPED / "reference.toml"), "loopback"))
    yield harness.connect()
    harness.close()


@pytest.mark.parametrize("gap", [0, 5])
def test_segments_have_one_handle_and_lie_behind_one_another(peer: Peer, gap: int) -> None:
    chunk = OneRegion(peer, gap).expose(b"abcdefg", (3, 4))

    first, second = chunk.told
    assert first.handle == second.handle
    assert second.offset == first.offset + 3 + gap
    assert chunk.contents(chunk.told) == b"abcdefg"


def test_the_whole_of_the_data_is_one_segment_by_default(peer: Peer) -> None:
    assert [one.length for one in OneRegion(peer).expose(b"abc").told] == [3]


def test_shows_what_is_written_between_and_behind_segments(peer: Peer) -> None:
    chunk = OneRegion(peer, 5).room((8, 8))
    first, second = (segment.region for segment in chunk.segments)
    assert (first.length, second.length) == (8 + 5, 8 + 5 + GUARD)
    assert first.read() == bytes((FILL,)) * first.length

    first.write(b"12345678")
    assert chunk.overwritten(chunk.told) is None
    first.write(b"9", 8)

    assert chunk.overwritten(chunk.told) == (0, 8)


def test_room_of_no_segment_takes_no_memory(peer: Peer) -> None:
    assert OneRegion(peer).room(()).told == ()


def test_a_part_is_as_valid_and_as_accessible_as_the_whole(peer: Peer) -> None:
    chunk = OneRegion(peer).room((8, 8))
    part = chunk.segments[1].region

    assert part.valid
    peer.invalidate(chunk)

    assert not part.valid
    assert part.access == chunk.segments[0].region.access
    assert part.read(0, 2) == bytes((FILL,)) * 2
