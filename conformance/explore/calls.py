"""Recipes for Calls of the test program, and the strategy that draws them.

A recipe is plain data, so that a failing sequence can be kept in a file and run again anywhere; the
Call is made of it when its XID is known.  Hypothesis checks each strategy object that it meets, so
there are few of them and they are made once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from hypothesis import strategies as st

from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.requester.requester import RequesterOptions
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["CALL_RECIPES", "REQUESTER_OPTIONS", "CallRecipe", "encode"]


class CallRecipe(msgspec.Struct, frozen=True):
    """One Call.

    Attributes:
        kind: procedure, a key of `KINDS`.
        first: octets of its first item.  second: of its second, where it has two.
    """

    kind: str
    first: int = 0
    second: int = 0


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

_SIZES: Final = st.one_of(st.integers(0, 40), st.integers(900, 1100), st.integers(0, 9000))
"""Around nothing, around the inline threshold, and beyond."""

CALL_RECIPES: Final = st.builds(CallRecipe, st.sampled_from(sorted(KINDS)), _SIZES, _SIZES)

REQUESTER_OPTIONS: Final = st.builds(
    RequesterOptions,
    credits=st.integers(1, 8),
    segment=st.sampled_from((1 << 20, 5000, 2000)),
    inline_results=st.sampled_from((0, 100)),
    form=st.sampled_from((None, *MessageForm)),
    always_reduce_results=st.booleans(),
)
"""Anything that a Requester may choose; few credits, so that they run out."""


def encode(recipe: CallRecipe, xid: int) -> bytes:
    """The unreduced Call."""
    return KINDS[recipe.kind](xid, recipe.first, recipe.second)
