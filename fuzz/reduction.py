"""The smallest corpus that reaches as much: what no input adds to those before it is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

__all__ = ["reached", "reduce_corpus"]

_RANGES: Final = bytes(
    next(number for number, most in enumerate((0, 1, 2, 3, 7, 15, 31, 127, 255)) if times <= most)
    for times in range(256)
)
"""Count -> which of the fuzzer's ranges it is in."""


def reached(memories: Iterable[bytearray]) -> frozenset[tuple[int, int, int]]:
    """Each counter that is not zero: piece, place in it, and the range of the count."""
    return frozenset(
        (piece, place, _RANGES[times])
        for piece, memory in enumerate(memories)
        for place, times in enumerate(memory)
        if times
    )


def reduce_corpus(
    folder: Path, seeds: Path, reach: Callable[[bytes], frozenset[tuple[int, int, int]]]
) -> tuple[int, int]:
    """Delete what adds nothing to the seeds and to shorter inputs; inputs before and after.

    Args:
        folder: the corpus.
        seeds: another, which stays as it is.
        reach: runs an input, and tells what it reached.
    """
    known: set[tuple[int, int, int]] = set()
    for path in sorted(seeds.iterdir()):
        known |= reach(path.read_bytes())
    paths = sorted(folder.iterdir(), key=lambda path: (path.stat().st_size, path.name))
    kept = 0
    for path in paths:
        new = reach(path.read_bytes())
        if new <= known:
            path.unlink()
        else:
            known |= new
            kept += 1
    return len(paths), kept
