"""The bit masks that name some elements of a propvalset.

xcharext section 2.1  Property Model (propvalsubset; the order of the bits: D-73)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["members", "subset"]

_WORD_BITS: Final = 32


def subset(positions: Iterable[int], *, high_bit_first: bool = False) -> tuple[int, ...]:
    """The propvalsubset of these positions, without words of zeroes at its end.

    Args:
        positions: of elements of a propvalset, from 0 on.
        high_bit_first: bit 0 is the highest of a word (D-73); otherwise it is the lowest.
    """
    words: list[int] = []
    for position in positions:
        number, bit = divmod(position, _WORD_BITS)
        words.extend([0] * (number + 1 - len(words)))
        words[number] |= 1 << (_WORD_BITS - 1 - bit if high_bit_first else bit)
    return tuple(words)


def members(words: Iterable[int], *, high_bit_first: bool = False) -> frozenset[int]:
    """The positions that a propvalsubset names; those beyond its last word are not in it."""
    return frozenset(
        number * _WORD_BITS + (_WORD_BITS - 1 - bit if high_bit_first else bit)
        for number, word in enumerate(words)
        for bit in range(_WORD_BITS)
        if word >> bit & 1
    )
