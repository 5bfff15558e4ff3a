"""Mutations that know nothing of any structure: what a fuzzing engine does by itself.

A campaign against a device elsewhere has no engine around it: what takes its time is the device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from fuzz.structure.mutator import Raw

__all__ = ["raw_by"]

_WORD: Final = 4
_NUMBERS: Final = (0, 1, 2, 3, 4, 0x7F, 0x80, 0xFF, 0x1000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
_LONGEST_RUN: Final = 64


def raw_by(draw: Random) -> Raw:
    """What changes octets in one way, by chance, to at most so many."""

    def raw(octets: bytes, maximum: int) -> bytes:
        made = bytearray(octets) or bytearray(_WORD)
        draw.choice(_WAYS)(made, draw)
        return bytes(made[:maximum])

    return raw


def _flip(octets: bytearray, draw: Random) -> None:
    if octets:
        octets[draw.randrange(len(octets))] ^= 1 << draw.randrange(8)


def _replace(octets: bytearray, draw: Random) -> None:
    if octets:
        octets[draw.randrange(len(octets))] = draw.randrange(256)


def _number(octets: bytearray, draw: Random) -> None:
    """A number that programs are wrong about, in place of a word."""
    words = len(octets) // _WORD
    if words:
        start = _WORD * draw.randrange(words)
        octets[start : start + _WORD] = draw.choice(_NUMBERS).to_bytes(_WORD, "big")


def _insert(octets: bytearray, draw: Random) -> None:
    place = draw.randint(0, len(octets))
    octets[place:place] = draw.randbytes(draw.choice((1, _WORD, 2 * _WORD)))


def _erase(octets: bytearray, draw: Random) -> None:
    start, end = _run(octets, draw)
    del octets[start:end]


def _copy(octets: bytearray, draw: Random) -> None:
    """A run of octets once more, somewhere."""
    start, end = _run(octets, draw)
    place = draw.randint(0, len(octets))
    octets[place:place] = octets[start:end]


def _run(octets: bytearray, draw: Random) -> tuple[int, int]:
    start = draw.randint(0, len(octets))
    return start, min(len(octets), start + draw.randint(1, _LONGEST_RUN))


_WAYS: Final[tuple[Callable[[bytearray, Random], None], ...]] = (
    _flip,
    _replace,
    _number,
    _number,
    _insert,
    _erase,
    _copy,
)
