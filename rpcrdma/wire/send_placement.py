"""Send-based placement: payload and bulk data arranged in the Sends of a group.

    rtrext section 3.3  Send-based DDP
    rtrext section 4.2  Message Continuation Changes
    rtrext section 6.2  Data Placement Preliminaries
    rtrext section 7.3  Message DDP Structures
    rtrext section 11   Security Considerations (padding is zero)

The sender's half, by what the receiver told of its buffers; `placed_items` is the receiver's.  Each
Send begins with its header, goes on with its part of the Payload stream, and then has zero padding
and bulk data up to its last octet of bulk data (D-118).  Which data are bulk, and where in the XDR
stream they belong, is for others.

How Sends are arranged.  Bulk data go into the first target segment after the header, and on
through all that follow; the Payload stream fills what is before.  In the Send in which the bulk
data end, they make room for as much of the Payload stream as they can.  What is left of it then
fills whole Sends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from rpcrdma.wire._generated_rtrext import InTargetedSegments, MessageItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rpcrdma.wire.buffers import BufferLayout

__all__ = [
    "CONTINUATION_HEADER",
    "Arrangement",
    "BulkItem",
    "Part",
    "arrange",
]

CONTINUATION_HEADER: Final = 40
"""Octets of the header of a continuation: seven words of Version Two, three of XMTCONT."""

_LARGEST_WORD: Final = 2**32 - 1


class BulkItem(NamedTuple):
    """An item that is taken out of the XDR stream.

    Attributes:
        position: its displacement in the virtual XDR stream, which still has all items.
        data: its octets without XDR padding (D-103).
    """

    position: int
    data: bytes


class Part(NamedTuple):
    """What one Send of a group has after its header.

    Attributes:
        payload: its part of the Payload stream.
        rest: zero padding and bulk data, up to the end of the Send.
    """

    payload: bytes
    rest: bytes


class Arrangement(NamedTuple):
    """A message divided into the Sends of a group.

    Attributes:
        items: where the bulk data are, for the header of the first Send.
        parts: one for each Send.
    """

    items: tuple[MessageItem, ...]
    parts: tuple[Part, ...]


class _Piece(NamedTuple):
    """Octets of an item in one target segment.

    Attributes:
        start: octets of the Send before them.
        item: its place among the items.
        begin: octets of the item before them.
        length: in octets.
    """

    start: int
    item: int
    begin: int
    length: int


class _Plan:
    """Which octets of a message go where, when the headers have these lengths.

    Attributes:
        numbers: of the target segments that each item is in.
        sends: of each Send, how many octets of the Payload stream it has, and its pieces of items.
    """

    def __init__(self, layout: BufferLayout, payload: int, lengths: Sequence[int]) -> None:
        self._layout = layout
        self._payload = payload
        self._lengths = lengths
        self._item = 0  # the first that has octets left
        self._begin = 0  # octets of it that are placed
        self.numbers: list[list[int]] = [[] for _ in lengths]
        self.sends: list[tuple[int, list[_Piece]]] = []
        self._pass_placed()

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to be sent."""
        return not self._payload and self._item == len(self._lengths)

    def add_send(self, header: int) -> bool:
        """Fill one more Send, which has a header of that length; False if nothing fits in it."""
        room = max(0, self._payload_limit(header) - header)
        # Parts that are cut are cut between XDR units (D-121).
        payload = self._payload if self._payload <= room else room & ~3
        pieces = self._place(header + payload)
        self._payload -= payload
        self.sends.append((payload, pieces))
        return bool(payload or pieces)

    def _payload_limit(self, header: int) -> int:
        """The octet of the next Send that its part of the Payload stream may reach to."""
        targets, length = self._layout.targets, self._layout.length
        number = targets.first_from(header)
        if self._item == len(self._lengths) or number is None or targets[number].end > length:
            return length
        return max(targets[number].start, self._latest_begin())

    def _latest_begin(self) -> int:
        """Where bulk data begin that end with the Send; 0 if not all that is left fits in it."""
        targets, octet = self._layout.targets, self._layout.length
        left = list(self._lengths[self._item :])
        left[0] -= self._begin
        for length in reversed(left):
            room = 0
            while room < length:
                number = targets.last_until(octet)
                if number is None:
                    return 0
                octet = targets[number].start
                room += targets[number].length
        return octet

    def _place(self, octet: int) -> list[_Piece]:
        """Place items in the next Send, from this octet on."""
        targets, length = self._layout.targets, self._layout.length
        pieces: list[_Piece] = []
        while self._item < len(self._lengths):
            number = targets.first_from(octet)
            if number is None or targets[number].end > length:
                break
            target = targets[number]
            taken = min(target.length, self._lengths[self._item] - self._begin)
            pieces.append(_Piece(target.start, self._item, self._begin, taken))
            self.numbers[self._item].append(len(self.sends) * len(targets) + number)
            self._begin += taken
            self._pass_placed()
            octet = target.end
        return pieces

    def _pass_placed(self) -> None:
        """Go on to the next item that has octets to be placed."""
        while self._item < len(self._lengths) and self._begin == self._lengths[self._item]:
            self._item += 1
            self._begin = 0


def arrange(
    layout: BufferLayout,
    payload: bytes,
    bulk: Sequence[BulkItem],
    first_header: Callable[[tuple[MessageItem, ...]], int],
    *,
    most: int,
    continuation_header: int = CONTINUATION_HEADER,
) -> Arrangement | None:
    """The Sends that carry a message to a receiver with these buffers.

    Without bulk data this is message continuation alone.

    Args:
        layout: of the receiver's buffers.
        payload: the Payload stream, which lacks the bulk data and their XDR padding.
        bulk: in any order; they are placed in this one.
        first_header: the octets of the first Send's header with these items.
        most: Sends that the receiver takes.
        continuation_header: the octets of the header of every other Send.

    Returns:
        None if they are more Sends than `most`, or if no Send can hold its header and more.
    """
    items = _items(bulk, [[] for _ in bulk])
    header = first_header(items)
    # The header grows by the numbers of segments that it lists, and what grows moves the bulk
    # data.  It is given room and never less, so that this comes to an end.
    while True:
        room = header
        plan = _planned(layout, len(payload), bulk, room, most, continuation_header)
        if plan is None:
            return None
        items = _items(bulk, plan.numbers)
        header = first_header(items)
        if header <= room:
            headers = (header, *[continuation_header] * (len(plan.sends) - 1))
            return Arrangement(items, _parts(plan, headers, payload, bulk))


def _planned(
    layout: BufferLayout,
    payload: int,
    bulk: Sequence[BulkItem],
    first_header: int,
    most: int,
    continuation_header: int,
) -> _Plan | None:
    """The plan for a message whose first header has that many octets; None if there is none."""
    if first_header > layout.length:
        return None
    plan = _Plan(layout, payload, [len(item.data) for item in bulk])
    # The first header may fill a Send by itself; another Send without anything helps nobody.
    plan.add_send(first_header)
    while not plan.is_complete:
        if len(plan.sends) >= most or not plan.add_send(continuation_header):
            return None
    # A word holds the number of a segment; a peer can tell of more segments than that.
    if any(numbers[-1] > _LARGEST_WORD for numbers in plan.numbers if numbers):
        return None
    return plan


def _items(bulk: Sequence[BulkItem], numbers: Iterable[list[int]]) -> tuple[MessageItem, ...]:
    """The entries of items that begin where the first of these segments does."""
    return tuple(
        MessageItem(item.position, len(item.data), InTargetedSegments(0, tuple(of_item)))
        for item, of_item in zip(bulk, numbers, strict=True)
    )


def _parts(
    plan: _Plan, headers: Iterable[int], payload: bytes, bulk: Sequence[BulkItem]
) -> tuple[Part, ...]:
    """What each Send has after its header."""
    parts = []
    begin = 0
    for (length, pieces), header in zip(plan.sends, headers, strict=True):
        octet = header + length
        rest: list[bytes | memoryview] = []
        for piece in pieces:
            data = memoryview(bulk[piece.item].data)
            rest.append(bytes(piece.start - octet))
            rest.append(data[piece.begin : piece.begin + piece.length])
            octet = piece.start + piece.length
        parts.append(Part(payload[begin : begin + length], b"".join(rest)))
        begin += length
    return tuple(parts)
