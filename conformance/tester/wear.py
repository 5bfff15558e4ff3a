"""What a device loses with each connection, call or error, and whether it slows down.

A *series* is what was seen of one resource after so many items.  A device that keeps something of
each item grows by as much from every look to the next.  One whose caches grow once, or whose
figures go up and down, does not.  So a series *drifts* only if

    it grows between every two looks, each time by a fourth of the usual growth or more, and
    its slope, the median over all pairs of looks (Theil and Sen), is not less than the noise.

The noise bound of each resource is in `NOISE`.  Less than that for each item is not told, and a
loss that does not show at each look is not, either: what is told here is there.

Calls slow down if the fastest of each look drifts likewise, and the last one takes twice as long as
the first.  The fastest call of a look has waited for little else on a busy machine, and a machine
that becomes busy does not do so evenly.  In virtual time all take the same.

No document says how much a device may hold: all this is for notes, never for a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

from targets.usage import Resource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rpcrdma.fabric.base import Clock
    from targets.usage import Usage

__all__ = ["NOISE", "SLOWER", "Look", "drift", "losses", "slowing", "timed"]

_ANY: Final = 0.5
"""Of what is counted: one for every second item."""

NOISE: Final[Mapping[Resource, float]] = {
    Resource.RESIDENT: 65536,
    Resource.PINNED: 2048,
    Resource.LOCKED: 2048,
    Resource.MACHINE: 65536,
    Resource.KERNEL: 16384,
    Resource.REGISTERED: 1,
}
"""The least growth for each item that is told, in octets; of all else it is a half.

Allocators and garbage collectors take more and more at first: the reference as a process grows by
36 kB for each of its first forty connections, and by up to 8 kB for each of the next three hundred.
A guest's kernel keeps accounts of memory for each processor and adds them up late: half a megabyte
may move between two looks, and does so between few of them, so that the growth is not even."""

SLOWER: Final = 2.0
"""How many times as long the last calls take, if that is told."""

_EVEN: Final = 0.25
"""The part of the usual growth that there must be between every two looks."""

_FEWEST: Final = 3
"""Looks without which nothing can be said."""

_UNITS: Final = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of a device at one moment.

    Attributes:
        items: connections, calls or errors so far.
        usage: what the device holds; None if that cannot be told.
        seconds: how long each of several good calls took, by the fabric's clock.
    """

    items: int
    usage: Usage | None
    seconds: tuple[float, ...]


def timed(clock: Clock, count: int, make: Callable[[], object]) -> tuple[float, ...]:
    """How long each of some calls takes, in seconds.

    Args:
        clock: the fabric's.
        count: how many.
        make: makes a call, and returns what is wrong with its answer, if anything is; then nothing
            is told, and no more calls are made.
    """
    seconds = []
    for _ in range(count):
        begin = clock.now()
        if make():
            return ()
        seconds.append(clock.now() - begin)
    return tuple(seconds)


def drift(series: Sequence[tuple[int, float]], noise: float) -> float | None:
    """By how much a series grows with each item; None if it does not, or within the noise.

    Args:
        series: (items so far, amount) pairs, in order; no number of items twice.
        noise: the least slope that is told.
    """
    if len(series) < _FEWEST:
        return None
    slope = median((b - a) / (n - m) for (m, a), (n, b) in combinations(series, 2))
    even = all(b - a >= _EVEN * slope * (n - m) for (m, a), (n, b) in pairwise(series))
    return slope if even and slope >= noise else None


def losses(looks: Sequence[Look], item: str) -> tuple[str, ...]:
    """A sentence for each resource of which the device keeps some with each item.

    Args:
        looks: in order.
        item: what there were many of, in the singular.
    """
    if any(look.usage is None for look in looks):
        return ()
    sentences = []
    for resource in Resource:
        series = [
            (look.items, amount)
            for look in looks
            if look.usage is not None and (amount := look.usage.of(resource)) is not None
        ]
        if len(series) != len(looks):
            continue
        each = drift(series, NOISE.get(resource, _ANY))
        if each is not None:
            many = looks[-1].items - looks[0].items
            begin, end = (_figure(series[at][1], resource) for at in (0, -1))
            sentences.append(
                f"The device keeps {_amount(each, resource)} for each {item}:"
                f" it had {begin} before {many} {item}s, and {end} after them."
            )
    return tuple(sentences)


def slowing(looks: Sequence[Look], item: str) -> str:
    """A sentence if calls take longer and longer; else nothing.

    Args:
        looks: in order.
        item: what there were many of between them, in the singular.
    """
    fastest = [min(look.seconds, default=0.0) for look in looks]
    if not fastest or fastest[0] <= 0:
        return ""
    times = fastest[-1] / fastest[0]
    series = [(look.items, seconds) for look, seconds in zip(looks, fastest, strict=True)]
    if drift(series, 0.0) is None or times < SLOWER:
        return ""
    many = looks[-1].items - looks[0].items
    return (
        f"A good call takes {times:.1f} times as long after {many} {item}s:"
        f" {1000 * fastest[-1]:.2f} ms, and {1000 * fastest[0]:.2f} ms before them."
    )


def _amount(figure: float, resource: Resource) -> str:
    number = _figure(figure, resource)
    if resource.in_octets:
        return f"{number} of {resource}"
    return f"{number} {resource.removesuffix('s') if number == '1' else resource}"


def _figure(figure: float, resource: Resource) -> str:
    if not resource.in_octets:
        return f"{figure:.1f}".removesuffix(".0")
    for size, unit in _UNITS:
        if figure >= size:
            return f"{figure / size:.3g} {unit}"
    return f"{figure:.0f} octets"
