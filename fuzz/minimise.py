"""The smallest input that still breaks the same invariant, found by removing and simplifying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["minimise"]

_ATTEMPTS: Final = 2000
"""Inputs tried at most: bounds the time however slow one of them is."""


def minimise(octets: bytes, breaks: Callable[[bytes], bool], attempts: int = _ATTEMPTS) -> bytes:
    """Shrink `octets` while `breaks` stays true; deterministic.

    Removes runs of octets, longest first and halving, then turns single octets into zero.  Ends
    when no attempt helps any more, or when `attempts` are used up.
    """
    smallest = octets
    progress = True
    while progress:
        progress = False
        for candidate in _simpler(smallest):
            if attempts == 0:
                return smallest
            attempts -= 1
            if breaks(candidate):
                smallest, progress = candidate, True
                break
    return smallest


def _simpler(octets: bytes) -> Iterator[bytes]:
    size = len(octets)
    run = size
    while run >= 1:
        for start in range(0, size, run):
            yield octets[:start] + octets[start + run :]
        run //= 2
    for index, octet in enumerate(octets):
        if octet:
            yield octets[:index] + b"\0" + octets[index + 1 :]
