"""Covering arrays: few rows in which every two values of different factors meet.

Faults hide where two things meet; tables made by hand have each thing alone.  The rows are drawn
greedily and without chance, so that the same factors always give the same rows.

    D. M. Cohen et al., The AETG System (1997): one row after the other, each with as many new pairs
    as can be found.
"""

from __future__ import annotations

from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = ["Row", "covering", "name_of"]

Row = dict[str, str]
"""A value for each factor, or for some of them."""

_TRIED: Final = 8
"""Pairs from which a row is begun, before the best of these rows is taken."""

_Pair = tuple[tuple[str, str], tuple[str, str]]


def covering(
    factors: Mapping[str, Sequence[str]],
    possible: Callable[[Row], bool] = lambda row: True,
    given: Iterable[Row] = (),
) -> tuple[Row, ...]:
    """Rows that, with those that are given, have every pair of values that is possible.

    Args:
        factors: their values, by name; pairs are looked for in the order of both.
        possible: whether a row, of which factors may be missing, can be part of a whole one.
        given: rows that there are.
    """
    wanted = dict.fromkeys(
        ((first, one), (second, other))
        for first, second in combinations(factors, 2)
        for one, other in product(factors[first], factors[second])
        if possible({first: one, second: other})
    )
    for row in given:
        _strike(wanted, row)
    found: list[Row] = []
    while wanted:
        rows = [_best(dict(pair), factors, possible, wanted) for pair in islice(wanted, _TRIED)]
        if rows[0] is None:
            del wanted[next(iter(wanted))]  # possible by itself, and with nothing else
            continue
        row = max(filter(None, rows), key=lambda one: sum(pair in wanted for pair in _pairs(one)))
        _strike(wanted, row)
        found.append(row)
    return tuple(found)


def _pairs(row: Row) -> Iterator[_Pair]:
    """The pairs of values in a row, in the order of its factors."""
    yield from combinations(row.items(), 2)


def _strike(wanted: dict[_Pair, None], row: Row) -> None:
    for one, other in _pairs(row):
        wanted.pop((one, other), None)
        wanted.pop((other, one), None)


def _best(
    part: Row,
    factors: Mapping[str, Sequence[str]],
    possible: Callable[[Row], bool],
    wanted: Mapping[_Pair, None],
) -> Row | None:
    """The whole row with many new pairs that a part can become; None if it can become none."""
    for row in _filled(part, factors, possible, wanted):
        return {name: row[name] for name in factors}
    return None


def _filled(
    row: Row,
    factors: Mapping[str, Sequence[str]],
    possible: Callable[[Row], bool],
    wanted: Mapping[_Pair, None],
) -> Iterator[Row]:
    """The whole rows that a part can become, those with many new pairs first."""
    missing = next((name for name in factors if name not in row), None)
    if missing is None:
        yield row
        return
    longer = [{**row, missing: value} for value in factors[missing]]

    def gain(one: Row) -> int:
        last = (missing, one[missing])
        return sum((item, last) in wanted or (last, item) in wanted for item in row.items())

    for one in sorted(filter(possible, longer), key=gain, reverse=True):
        yield from _filled(one, factors, possible, wanted)


def name_of(shape: msgspec.Struct) -> str:
    """The name of a shape, whose fields are factors: the first, and what is not plain.

    Args:
        shape: of a type whose defaults are what is plain.  Its second field is told by its value
            alone, the others by name and value.
    """
    chosen, plain = msgspec.structs.asdict(shape), msgspec.structs.asdict(type(shape)())
    (_, first), (second, length), *others = chosen.items()
    parts = [first, *([length] if length != plain[second] else [])]
    parts += [f"{name}:{value}" for name, value in others if value != plain[name]]
    return ",".join(parts)
