"""Shapes of Calls as plain data: what is called, and how its chunks are cut and where they lie.

A `Shape` has a word for each factor; `conformance.tester.client.build_shape` makes a Call of it,
`conformance.tester.client.shape_rows` lists those that are sent.  Every shape is lawful, or has one
fault that the oracle knows: an argument whose Read chunk has another length, or room that is too
small.

    rfc8166 section 3.4.3  RDMA Segments (any boundaries, one handle for several)
    rfc8166 section 3.4.5  Read Chunks
    rfc8166 section 3.4.6  Write Chunks
    rfc8166 section 3.5.3  Long Messages
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from conformance.tester.covering import name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.covering import Row

__all__ = ["FACTORS", "Shape", "possible"]

FACTORS: Final[Mapping[str, tuple[str, ...]]] = {
    "call": (
        *("store", "fetch", "store-two", "fetch-two", "second-only", "long-store", "long-fetch"),
        *("small", "nothing", "long-reply", "garbage"),
    ),
    "length": ("4", "0", "1", "3", "1501", "65535", "65536", "65537"),
    "whole": ("inline", "one", "two", "odd", "sixteen", "seventeen"),
    "read": ("kept", "one", "two", "odd", "sixteen", "seventeen", "empty-first", "empty-last"),
    "pad": ("bare", "padded", "apart", "short-1", "short-4", "long-1", "long-4"),
    "memory": ("apart", "joined", "scattered"),
    "order": ("listed", "reversed"),
    "writes": (
        *("none", "fit", "odd", "sixteen", "seventeen"),
        *("empty", "empty-used", "empty-first", "few", "surplus", "short"),
    ),
    "reply": ("none", "fit", "odd", "sixteen", "seventeen", "empty", "empty-first", "short"),
}
"""What a shape is made of: the values of each factor, what is plain first.

    call    of the workload: `conformance.tester.workload.base`
    length  octets of the items that are eligible
    whole   inline, or cut so in a Position-Zero Read chunk
    read    arguments kept in the stream, or cut so in Read chunks
    pad     Read chunks without roundup, with it at the end, or in a segment of its own; or shorter
            or longer than the argument by so many octets
    memory  a region for each segment, one for all segments of a chunk, or one with gaps between
            them, off four-octet boundaries
    order   of the Read list: Position-Zero and lower Positions first, or last
    writes  a Write chunk for each result, cut so; all of them empty; only the first; with an empty
            segment before the others; one chunk too few, or too many; an octet too short
    reply   a Reply chunk, cut so; without segments; with an empty one; an octet too short
"""

_WITH_ARGUMENTS: Final = ("store", "store-two", "long-store")
_WITH_RESULTS: Final = ("fetch", "fetch-two", "second-only", "long-fetch")
_LARGE: Final = ("1501", "65535", "65536", "65537")
_HUGE: Final = _LARGE[1:]
_MANY: Final = ("sixteen", "seventeen")
_FAULTY: Final = ("short-1", "short-4", "long-1", "long-4")
_UNUSED: Final = ("none", "odd", "seventeen")
_ODD_ROOM: Final = ("empty", "empty-used", "empty-first", "few", "surplus", "short")
_PLAIN_REPLY: Final = ("none", "fit", "odd")
_NO_ROOM: Final = ("none", "empty", "short")


class Shape(msgspec.Struct, frozen=True):
    """One Call: a word for each factor of `FACTORS`."""

    call: str = "small"
    length: str = "4"
    whole: str = "inline"
    read: str = "kept"
    pad: str = "bare"
    memory: str = "apart"
    order: str = "listed"
    writes: str = "none"
    reply: str = "none"

    @property
    def octets(self) -> int:
        """Of each eligible item."""
        return int(self.length)

    @property
    def stores(self) -> int:
        """How many eligible arguments it has."""
        return {"store": 1, "store-two": 2, "long-store": 1}.get(self.call, 0)

    def __str__(self) -> str:
        """A name: what is not plain."""
        return name_of(self)


def possible(row: Row) -> bool:
    """Whether there are such Calls, and no more than one fault in each.

    Args:
        row: values of some factors.
    """
    return not any(rule(_Chosen(row)) for rule in _IMPOSSIBLE)


class _Chosen:
    """The values that are chosen so far; what is not chosen is none of those asked about."""

    def __init__(self, row: Row) -> None:
        self._row = row

    def has(self, factor: str, *values: str) -> bool:
        """Whether the factor has one of the values."""
        return self._row.get(factor, "") in values

    def lacks(self, factor: str, *values: str) -> bool:
        """Whether it has another value."""
        return factor in self._row and self._row[factor] not in values


_IMPOSSIBLE: Final[tuple[Callable[[_Chosen], bool], ...]] = (
    # Calls without such items have no lengths, no Read chunks, and unused Write chunks only.
    lambda c: c.lacks("call", *_WITH_ARGUMENTS, *_WITH_RESULTS) and c.lacks("length", "4"),
    lambda c: c.lacks("call", *_WITH_ARGUMENTS) and c.lacks("read", "kept"),
    lambda c: c.lacks("call", *_WITH_RESULTS) and c.lacks("writes", *_UNUSED),
    # Where the Reply is short whatever is offered, a few Reply chunks will do.
    lambda c: (
        c.lacks("call", *_WITH_RESULTS, "long-reply")
        and c.has("call", *FACTORS["call"])
        and c.lacks("reply", *_PLAIN_REPLY)
    ),
    lambda c: c.lacks("read", "kept") and c.lacks("reply", *_PLAIN_REPLY),
    # How a Call is pulled is seen where it has arguments.
    lambda c: (
        c.lacks("call", *_WITH_ARGUMENTS)
        and c.has("call", *FACTORS["call"])
        and c.lacks("whole", "inline", "one", "odd")
    ),
    # Arguments that do not exist cannot be decoded in a Long Call either; one form is enough.
    lambda c: c.has("call", "garbage") and c.lacks("whole", "inline"),
    lambda c: c.has("read", "kept") and c.lacks("pad", "bare"),
    # An argument of no octets would make an empty segment.
    lambda c: c.has("length", "0") and c.lacks("read", "kept"),
    lambda c: c.has("length", "0", "4", "65536") and c.has("pad", "padded", "apart"),
    # What is odd about a chunk is odd for a few lengths as for all.
    lambda c: c.has("writes", *_ODD_ROOM) and c.lacks("length", "4", "1501", "65536"),
    lambda c: c.has("writes", *_ODD_ROOM, "sixteen") and c.lacks("reply", *_PLAIN_REPLY, "short"),
    lambda c: c.has("read", "empty-first", "empty-last") and c.lacks("length", "1501", "65537"),
    lambda c: c.has("reply", "empty", "empty-first") and c.lacks("length", "4", "1501", "65535"),
    # A wrong length is one, whatever the right one is.
    lambda c: c.has("pad", *_FAULTY) and c.lacks("length", "1501"),
    lambda c: c.has("pad", *_FAULTY) and c.lacks("read", "one", "two", "odd"),
    # What is sent inline must fit (rfc8166 3.3.2).
    lambda c: (
        c.has("call", *_WITH_ARGUMENTS)
        and c.has("length", *_LARGE)
        and c.has("whole", "inline")
        and c.has("read", "kept")
    ),
    lambda c: c.has("read", *_MANY) and c.has("writes", *_MANY),
    # Only several Read chunks have an order.
    lambda c: c.has("order", "reversed") and c.has("read", "kept"),
    lambda c: (
        c.has("order", "reversed") and c.has("whole", "inline") and c.lacks("call", "store-two")
    ),
    # One fault at a time.
    lambda c: c.has("pad", *_FAULTY) and (c.lacks("writes", "none") or c.lacks("reply", "none")),
    lambda c: c.has("pad", *_FAULTY) and c.has("order", "reversed"),
    lambda c: c.has("writes", "short") and c.has("reply", "short", "empty", "empty-first"),
    lambda c: c.has("writes", "empty-first") and c.has("reply", "short"),
    # Room like this is for `fetch`, which reads what no other case does.
    lambda c: c.has("writes", "short", "empty-first") and c.lacks("call", "fetch"),
    lambda c: c.has("writes", "short", "empty-first") and c.has("length", *_HUGE, "0"),
    lambda c: _inline(c) and c.has("reply", *_NO_ROOM) and c.has("length", *_HUGE),
    lambda c: (
        _inline(c)
        and c.has("reply", *_NO_ROOM)
        and c.has("length", *_LARGE)
        and c.has("call", "fetch-two", "second-only", "long-fetch")
    ),
    # Only where there are two results, one may have no chunk, or an empty one.
    lambda c: c.has("writes", "few", "empty-used") and c.lacks("call", "fetch-two"),
)


def _inline(chosen: _Chosen) -> bool:
    """Whether a result has no Write chunk."""
    results = chosen.has("call", *_WITH_RESULTS)
    return results and chosen.has("writes", "none", "empty", "empty-used", "few")
