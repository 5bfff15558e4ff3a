"""Calls of the test program by their recipes, made when their XIDs are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.explore.recipes import CallRecipe

__all__ = ["KINDS", "encode"]


def _data(length: int) -> bytes:
    return pattern(length, length % 7)


_UNION_WITHOUT: Final = 17
"""Lengths that are multiples of this stand for the arm of a union that has no data."""


def _choice(length: int) -> int | None:
    return None if length % _UNION_WITHOUT == 0 else length


KINDS: Final[Mapping[str, Callable[[int, int, int], bytes]]] = {
    "null": lambda xid, _first, _second: calls.null(xid),
    "echo": lambda xid, first, _second: calls.echo(xid, _data(first % 513)),
    "store": lambda xid, first, _second: calls.store(xid, _data(first)),
    "fetch": lambda xid, first, _second: calls.fetch(xid, first, 1),
    "store-two": lambda xid, first, second: calls.store_two(
        xid, _data(first), b"between", _data(second)
    ),
    "fetch-two": lambda xid, first, second: calls.fetch_two(xid, first, second, b"between"),
    "fetch-union": lambda xid, first, second: calls.fetch_union(
        xid, _choice(first), _choice(second)
    ),
    "long-call": lambda xid, first, _second: calls.long_call(xid, _data(first)),
    "long-reply": lambda xid, first, _second: calls.long_reply(xid, first, 2),
    "long-store": lambda xid, first, second: calls.long_store(xid, _data(first), _data(second)),
    "long-fetch": calls.long_fetch,
}
"""Procedures that are answered at once, by exactly one Reply."""


def encode(recipe: CallRecipe, xid: int) -> bytes:
    """The unreduced Call."""
    return KINDS[recipe.kind](xid, recipe.first, recipe.second)
