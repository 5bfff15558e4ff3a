"""Histories: sequences of kinds of messages in which each kind comes after each, once.

What an end does wrong only the second time, or only after something else, shows in none of the
cases that try each message alone.  All pairs are drawn by one walk over the complete graph of the
kinds, which is cut into pieces; the drawing is the same in every run.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["histories"]

_SEED: Final = 20261122


def histories(kinds: Iterable[str], length: int) -> tuple[tuple[str, ...], ...]:
    """Sequences in which every kind is followed by every kind, itself included.

    Args:
        kinds: their names.
        length: of each sequence; the last may be shorter.  At least 2.
    """
    names = tuple(kinds)
    chance = random.Random(_SEED)  # noqa: S311  # it hides nothing
    left = {name: chance.sample(names, len(names)) for name in names}
    stack, walk = [names[0]], []
    while stack:  # Hierholzer's walk: every edge once
        following = left[stack[-1]]
        if following:
            stack.append(following.pop())
        else:
            walk.append(stack.pop())
    walk.reverse()
    step = length - 1
    return tuple(tuple(walk[start : start + length]) for start in range(0, len(walk) - 1, step))
