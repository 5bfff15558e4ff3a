"""What a device has shown in one case, in a form in which it is the same in every run.

Of a case's trace that is what was sent either way, the RDMA operations, and how connections began
and ended, in their order; and what the acts of a client gave its application.  The tester's memory
and its Receives are its own affair, and times are not compared.

XIDs and handles are other numbers each time, and say nothing.  Each becomes the number of its first
appearance, wherever it stands, and an offset counts from the start of the memory of its handle.
"""

from __future__ import annotations

import sys
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.fabric.trace import EventKind, Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rpcrdma.fabric.trace import TraceEvent
    from targets.base import ActResult

__all__ = ["DIGEST", "MARK", "Regions", "Shown", "digests", "shown", "shown_acts"]

Regions = dict[int, tuple[int, int]]
"""Handle -> address and length of its memory."""

DIGEST: Final = 6
"""Octets of the digest of an event."""

MARK: Final = 0xEEEE0000
"""An XID or a handle stands as this and its number."""

_WORD: Final = 4
_SEGMENT: Final = 16
"""Octets of a segment on the wire: handle, length, offset."""

_TELLING: Final = 1 << 20
"""A word below is no XID: nobody's begin there, and a case may send any."""

_OWN: Final = (EventKind.REGISTER, EventKind.POST_RECEIVE, EventKind.INVALIDATE)
"""What no peer sees."""


class Shown(msgspec.Struct, frozen=True, gc=False):
    """One event.

    Attributes:
        connection: its number, from 1; 0 if there is none.
        side: who caused it, see `rpcrdma.fabric.trace.Side`.
        kind: what happened, as `rpcrdma.fabric.trace.EventKind` says it, or `act`.
        data, handle, offset, length: see `rpcrdma.fabric.trace.TraceEvent`.
        detail: a few words: why something failed, or how an act ended.
    """

    connection: int
    side: str
    kind: str
    data: bytes = b""
    handle: int | None = None
    offset: int | None = None
    length: int = 0
    detail: str = ""


def shown(events: Sequence[TraceEvent], regions: Regions) -> Iterator[Shown]:
    """What some events of a trace show.

    Args:
        events: of one trace.
        regions: handles that either end had.
    """
    names = _Names(events, regions)
    connections: dict[int, int] = {0: 0}
    for event in events:
        if event.kind in _OWN:
            continue
        handle, offset = names.place(event.handle, event.offset)
        yield Shown(
            connections.setdefault(event.connection, len(connections)),
            event.side.value,
            event.kind.value,
            names.data(event.data),
            handle,
            offset,
            event.length,
            "" if event.kind is EventKind.CONNECT else event.detail,  # else it is an address
        )


def shown_acts(results: Iterable[ActResult | None]) -> Iterator[Shown]:
    """What acts gave the application."""
    for result in results:
        if result is None:
            yield Shown(0, Side.PEER.value, "act", detail="has not ended")
        else:
            data = result.data or b""
            how = str(result).partition(":")[0]  # what follows is the device's own words
            yield Shown(0, Side.PEER.value, "act", data, length=len(data), detail=how)


def digests(events: Iterable[Shown]) -> bytes:
    """The digests of events, one after the other."""
    encode = msgspec.msgpack.encode
    return b"".join(blake2b(encode(one), digest_size=DIGEST).digest() for one in events)


class _Names:
    """Numbers XIDs and handles as they appear."""

    def __init__(self, events: Iterable[TraceEvent], regions: Regions) -> None:
        xids = {
            int.from_bytes(event.data[:_WORD])
            for event in events
            if event.kind is EventKind.SEND and len(event.data) >= _WORD
        }
        self._regions: Mapping[int, tuple[int, int]] = regions
        self._numbers: dict[int, int] = {}
        # As this machine reads them: most messages are looked through in one step, for nothing.
        self._words = {
            int.from_bytes(word.to_bytes(_WORD), sys.byteorder): word
            for word in (*xids, *regions)
            if word >= _TELLING
        }

    def place(self, handle: int | None, offset: int | None) -> tuple[int | None, int | None]:
        """A handle and an address that an event names."""
        if handle is None or handle not in self._regions:
            return handle, offset
        return self._name(handle), None if offset is None else self._offset(handle, offset)

    def data(self, data: bytes) -> bytes:
        """The octets of an event."""
        if len(data) < _WORD:
            return bytes(len(data))  # the beginning of an XID, as far as it is anything
        words = memoryview(data)[: len(data) // _WORD * _WORD].cast("I")
        found = self._words.keys() & words
        if not found:
            return data
        written = bytearray(data)
        for place, word in enumerate(words):
            if word in found:
                self._rename(written, place * _WORD, self._words[word])
        return bytes(written)

    def _rename(self, written: bytearray, at: int, word: int) -> None:
        written[at : at + _WORD] = self._name(word).to_bytes(_WORD)
        end = at + _SEGMENT
        if word in self._regions and end <= len(written):
            offset = self._offset(word, int.from_bytes(written[end - 8 : end]))
            written[end - 8 : end] = offset.to_bytes(8)

    def _name(self, word: int) -> int:
        return MARK + self._numbers.setdefault(word, len(self._numbers) + 1)

    def _offset(self, handle: int, offset: int) -> int:
        address, length = self._regions[handle]
        return offset - address if address <= offset <= address + length else offset
