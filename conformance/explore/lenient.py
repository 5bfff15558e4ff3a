"""The chunk lists of a message as a device reads them that checks less than it should.

A header that breaks a rule of XDR may be refused by us and taken by a device: one that holds any
word but zero for "another item follows" (XDR knows 0 and 1 alone) sees chunks where a strict
decoder sees none.  What may do harm is looked for in what such a device sees.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from rpcrdma.wire import RdmaSegment

__all__ = ["ChunkLists", "read_leniently"]

_BEFORE: Final = {1: 16, 2: 20}
"""Version -> octets of XID, version, credits, procedure and, in Version Two, direction."""

_WITH_LISTS: Final = (0, 1)
"""Procedures: RDMA_MSG, RDMA_NOMSG."""

_WORD: Final = 4
_SEGMENT: Final = struct.Struct(">IIQ")


@dataclass(frozen=True, slots=True)
class ChunkLists:
    """What there is of the lists.

    Attributes:
        reads: segments of the Read list.
        results: segments of Write chunks and of the Reply chunk.
    """

    reads: tuple[RdmaSegment, ...] = ()
    results: tuple[RdmaSegment, ...] = ()


class _Words:
    """Reads on through octets, as long as whole words and segments are there."""

    def __init__(self, octets: bytes, place: int) -> None:
        self._octets = octets
        self._place = place

    def word(self) -> int:
        """The next one; 0 at the end."""
        taken = self._taken(_WORD)
        return int.from_bytes(taken, "big")

    def segment(self) -> RdmaSegment | None:
        """The next one; None where less is left."""
        taken = self._taken(_SEGMENT.size)
        return RdmaSegment(*_SEGMENT.unpack(taken)) if taken else None

    def _taken(self, count: int) -> bytes:
        start, self._place = self._place, self._place + count
        taken = self._octets[start : self._place]
        return taken if len(taken) == count else b""


def read_leniently(message: bytes) -> ChunkLists:
    """The lists of a message: what is whole of them; none in other versions and procedures."""
    _xid, version, _credits, procedure = (
        int.from_bytes(message[start : start + _WORD], "big")
        for start in range(0, 4 * _WORD, _WORD)
    )
    if version not in _BEFORE or procedure not in _WITH_LISTS:
        return ChunkLists()
    words = _Words(message, _BEFORE[version])
    reads: list[RdmaSegment] = []
    while words.word():
        words.word()  # position
        reads += _segments(words, 1)
    results: list[RdmaSegment] = []
    while words.word():
        results += _segments(words, words.word())
    if words.word():
        results += _segments(words, words.word())
    return ChunkLists(tuple(reads), tuple(results))


def _segments(words: _Words, count: int) -> list[RdmaSegment]:
    found: list[RdmaSegment] = []
    while len(found) < count and (segment := words.segment()) is not None:
        found.append(segment)
    return found
