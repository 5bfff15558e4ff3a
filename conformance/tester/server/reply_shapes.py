"""Shapes of good replies as plain data: how results get into the client's memory.

A Responder chooses in how many RDMA Writes it moves results and in which order; what it has not
told of in a Write chunk may have been written to.  A Requester takes each of these replies alike.

    rfc8166 section 3.4.6    Write Chunks (what counts is what the reply tells of)
    rfc8166 section 4.3.2.2  Unused Write Chunks (octets that may have been modified)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from conformance.tester.covering import name_of
from conformance.tester.server.reply import ReplyPlacement
from rpcrdma.wire import RdmaMsg, RdmaNomsg

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from conformance.tester.covering import Row
    from conformance.tester.server.received import ReceivedCall
    from conformance.tester.server.reply import ReplyDraft

__all__ = ["FACTORS", "ReplyShape", "possible", "shaped"]

FACTORS: Final[Mapping[str, tuple[str, ...]]] = {
    "act": ("read", "many-reads", "long-reply"),
    "length": ("4096", "1", "2001", "6000", "1000003"),
    "writes": ("whole", "pieces", "backwards", "twice"),
    "beyond": ("kept", "modified"),
    "grant": ("32", "1", "1000"),
}
"""What a shape is made of: the values of each factor, what is plain first.

    act     that the client is told to do: `targets.base.ActKind`
    length  octets that it is told to move
    writes  one RDMA Write a segment, several, several from the end on, or other octets before
    beyond  what the reply does not tell of in a Write chunk is let alone, or written to
    grant   credits
"""

_PIECES: Final = 5
_OTHER: Final = 0xEE
_MOST_MODIFIED: Final = 2**17
"""Octets of a chunk that are written to though nothing is told of them: enough to be met."""


class ReplyShape(msgspec.Struct, frozen=True):
    """How all calls of an act are answered: a word for each factor of `FACTORS`."""

    act: str = "read"
    length: str = "4096"
    writes: str = "whole"
    beyond: str = "kept"
    grant: str = "32"

    def __str__(self) -> str:
        """A name: what is not plain."""
        return name_of(self)


def possible(row: Row) -> bool:
    """Whether there are such acts: a Long Reply has no length, and no Write chunk.

    Args:
        row: values of some factors.
    """
    plain = ReplyShape()
    if row.get("act") == "long-reply" and row.get("length", plain.length) != plain.length:
        return False
    return row.get("act") != "long-reply" or row.get("beyond", plain.beyond) == plain.beyond


def shaped(call: ReceivedCall, draft: ReplyDraft, shape: ReplyShape) -> ReplyDraft:
    """The right reply to a call in a shape; an RDMA_ERROR stays what it is.

    Args:
        call: that it answers.
        draft: the right reply.
        shape: of which the writes and what is beyond are taken.
    """
    if not isinstance(draft.header.rdma_body, RdmaMsg | RdmaNomsg):
        return draft
    placements = _WRITES[shape.writes](draft.placements)
    if shape.beyond == "modified":
        placements = (*_everywhere(call), *placements)
    return draft.changed(placements=placements)


def _everywhere(call: ReceivedCall) -> Iterable[ReplyPlacement]:
    """Other octets in all of the Write chunks, up to some size."""
    for chunk in call.writes:
        for segment in chunk.target:
            if segment.length:
                octets = bytes([_OTHER]) * min(segment.length, _MOST_MODIFIED)
                yield ReplyPlacement(segment.handle, segment.offset, octets)


def _pieces(whole: Sequence[ReplyPlacement]) -> tuple[ReplyPlacement, ...]:
    """The same octets by several Writes, the first of a single octet."""
    found = []
    for one in whole:
        size = max(1, len(one.data) // _PIECES)
        starts = (0, *range(1, len(one.data), size))
        for start, end in zip(starts, (*starts[1:], len(one.data)), strict=True):
            found.append(ReplyPlacement(one.handle, one.offset + start, one.data[start:end]))
    return tuple(found)


def _twice(whole: Sequence[ReplyPlacement]) -> tuple[ReplyPlacement, ...]:
    """Other octets first, as of a Responder that has begun and begins again."""
    other = (
        ReplyPlacement(one.handle, one.offset, bytes([_OTHER]) * len(one.data)) for one in whole
    )
    return (*other, *whole)


_WRITES: Final[Mapping[str, Callable[[tuple[ReplyPlacement, ...]], tuple[ReplyPlacement, ...]]]] = {
    "whole": lambda whole: whole,
    "pieces": _pieces,
    "backwards": lambda whole: _pieces(whole)[::-1],
    "twice": _twice,
}
