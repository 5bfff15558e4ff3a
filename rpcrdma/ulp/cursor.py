"""Walk through a payload whose data items may or may not be in it.

The generated decoders need every octet in its place.  A Requester, however, must find the places
of the items that its Write chunks carry in a reply from which they are missing.  `PayloadCursor`
goes through such a reply piece by piece, and keeps count of two positions: where the next octet is
in the buffer, and where it would be in the unreduced payload.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeAlias, TypeVar

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.bindings import NOTHING_REDUCED, DataItem
from rpcrdma.xdr.runtime import ItemFault, Reader

__all__ = ["Decoder", "PayloadCursor"]

T = TypeVar("T")

Decoder: TypeAlias = Callable[[bytes, int], tuple[T, int]]
"""Decodes what stands at an offset; returns it and the offset after it."""


class PayloadCursor:
    """A place in a payload.

    Every method raises `DecodeError` where the payload is cut or invalid.
    """

    def __init__(
        self, payload: bytes, offset: int, reduced: Collection[int] = NOTHING_REDUCED
    ) -> None:
        self._payload = payload
        self._reduced = reduced
        self._offset = offset
        self._missing = 0
        """Octets of reduced items before this place."""
        self._slots: list[DataItem | None] = []

    @property
    def position(self) -> int:
        """This place in the unreduced payload."""
        return self._offset + self._missing

    def take(self, decode: Decoder[T]) -> T:
        """Decode the next piece, in which there is no slot."""
        value, self._offset = decode(self._payload, self._offset)
        return value

    def word(self) -> int:
        """The next unsigned integer, status or count."""
        return self._read(lambda reader: reader.word(), "word")

    def flag(self) -> bool:
        """The next boolean."""
        return self._read(lambda reader: reader.flag(), "boolean")

    def opaque(self) -> bytes:
        """The next counted opaque that is not DDP-eligible."""
        return self._read(lambda reader: reader.opaque(reader.word()), "opaque")

    def item(self) -> DataItem:
        """Go over the next slot, which has a counted opaque item."""
        return self.item_of(self.word())

    def item_of(self, length: int) -> DataItem:
        """Go over the next slot, which has an item of so many octets, without a count of them."""
        slot = len(self._slots)
        item = DataItem(self.position, length)
        if slot in self._reduced:
            self._missing += length + item.padding
        else:
            self._read(lambda reader: reader.opaque(length), f"slots[{slot}]")
        self._slots.append(item)
        return item

    def no_item(self) -> None:
        """Note that the next slot has no item in this reply."""
        self._slots.append(None)

    def finish(self) -> tuple[DataItem | None, ...]:
        """The slots, once everything was walked over; `DecodeError` if octets are left."""
        left = len(self._payload) - self._offset
        if left:
            raise DecodeError(self._offset, "results", Reason.TRAILING, f"{left} octets")
        return tuple(self._slots)

    def _read(self, read: Callable[[Reader], T], path: str) -> T:
        reader = Reader(self._payload, self._offset)
        try:
            value = read(reader)
        except ItemFault as fault:
            fault.steps.append(f"results.{path}")
            raise fault.as_decode_error() from None
        self._offset = reader.position
        return value
