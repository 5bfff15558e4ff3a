from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.reduction import reached, reduce_corpus

if TYPE_CHECKING:
    from pathlib import Path


def reach(octets: bytes) -> frozenset[tuple[int, int, int]]:
    return frozenset((0, octet, 1) for octet in octets)


def test_counts_of_one_range_are_alike() -> None:
    assert reached([bytearray([0, 4])]) == reached([bytearray([0, 7])])
    assert reached([bytearray([0, 7])]) != reached([bytearray([0, 8])])
    assert reached([bytearray(2), bytearray(3)]) == frozenset()
    assert len(reached([bytearray([1, 1]), bytearray([255])])) == 3


def test_what_adds_nothing_to_the_seeds_or_to_shorter_inputs_is_deleted(tmp_path: Path) -> None:
    seeds, folder = tmp_path / "seeds", tmp_path / "corpus"
    for place in (seeds, folder):
        place.mkdir()
    (seeds / "seed").write_bytes(b"ab")
    for octets in (b"ab", b"c", b"ca", b"cbad", b"dc"):
        (folder / octets.decode()).write_bytes(octets)

    assert reduce_corpus(folder, seeds, reach) == (5, 2)
    assert sorted(path.name for path in folder.iterdir()) == ["c", "dc"]
    assert list(seeds.iterdir())
