"""Memory that the tester exposes, and what it tells about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.memory import FILL, GUARD, OctetPlace, split
from rpcrdma.wire import RdmaSegment

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer


@pytest.mark.parametrize(
    ("length", "sizes", "pieces"),
    [
        (10, (), (10,)),
        (10, (4,), (4, 6)),
        (10, (4, 6), (4, 6)),
        (10, (0, 10), (0, 10)),
        (0, (), ()),
    ],
)
def test_the_last_piece_takes_what_is_left(
    length: int, sizes: tuple[int, ...], pieces: tuple[int, ...]
) -> None:
    assert split(length, sizes) == pieces


@pytest.mark.parametrize("sizes", [(11,), (-1, 5)])
def test_sizes_that_do_not_fit_are_refused(sizes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="10 octets cannot be cut"):
        split(10, sizes)


def test_room_is_filled_and_guarded(peer: Peer) -> None:
    room = peer.room((8, 4))

    assert room.length == 12
    assert [len(segment.region.read()) for segment in room.segments] == [8 + GUARD, 4 + GUARD]
    assert set(room.segments[0].region.read()) == {FILL}


def test_a_lie_changes_what_is_told_and_not_the_memory(peer: Peer) -> None:
    true = peer.expose(b"abcd")
    lying = true.lying(0, length=100)

    assert (true.told[0].length, lying.told[0].length) == (4, 100)
    assert lying.segments[0].region is true.segments[0].region


def returned(*lengths: int) -> tuple[RdmaSegment, ...]:
    return tuple(RdmaSegment(1, length, 0) for length in lengths)


def test_contents_are_what_the_returned_lengths_cover(peer: Peer) -> None:
    room = peer.room((4, 4))
    room.segments[0].region.write(b"abcd")
    room.segments[1].region.write(b"ef")

    assert room.contents(returned(4, 2)) == b"abcdef"
    assert len(room.contents(returned(10_000, 0))) == 4 + GUARD


def test_octets_beyond_the_returned_lengths_are_found(peer: Peer) -> None:
    room = peer.room((4, 4))
    room.segments[1].region.write(b"ef")

    assert room.overwritten(returned(0, 2)) is None
    assert room.overwritten(returned(0, 1)) == (1, 1)
    assert room.overwritten(returned(0)) == (1, 0)


def test_what_is_written_has_no_gaps_though_it_holds_octets_of_the_filling(peer: Peer) -> None:
    room = peer.room((1, 4, 4, 4))
    for segment, octets in zip(room.segments, (bytes((FILL,)), b"abc", b"ef"), strict=False):
        segment.region.write(octets)

    assert [segment.length for segment in room.written()] == [1, 4, 2, 0]
    assert [segment.handle for segment in room.written()] == [one.handle for one in room.told]


def test_the_place_of_an_octet_is_told_in_words() -> None:
    assert f"{OctetPlace(2, 93)} changed" == "octet 93 of segment 2 changed"
