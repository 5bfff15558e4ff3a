"""Items of send-based placement, found in the Sends of a group that arrived.

    rtrext section 6.2  Data Placement Preliminaries
    rtrext section 7.3  Message DDP Structures
    rtrext section 9.5  Error Reporting Operation (what is reported of an item)

The receiver's half, by the structure of its own buffers; `send_placement` arranges them.  An item
may lie beside header, payload and other items in one segment, but no octet belongs to two (D-118).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from rpcrdma.errors import RemoteProtocolError
from rpcrdma.wire._generated_rtrext import BadOffset, BadTargetSegment, InTargetedSegments

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpcrdma.wire._generated_rtrext import ErrorInformation, MessageItem
    from rpcrdma.wire.buffers import BufferLayout, Segment

__all__ = ["PlacementFault", "Span", "gather", "spans_of"]

_NAMES: Final = "rtrext.7.3.tbsn-names-the-segments"
_OFFSET: Final = "rtrext.7.3.tbsn-begins-at-the-offset"
_NEXT: Final = "rtrext.7.3.tbsn-goes-on-in-the-next-of-the-list"


class Span(NamedTuple):
    """Octets of one Send of a group.

    Attributes:
        send: its number in the group (D-98).
        start: octets of the Send before them.
        length: in octets.
    """

    send: int
    start: int
    length: int


class PlacementFault(RemoteProtocolError):
    """An item is not where it can be.

    Attributes:
        info: for a REPTERR; None if no code stands for the fault (D-106).
        send: the number of the transmission that has the fault.
    """

    def __init__(
        self, requirement: str, detail: str, send: int, info: ErrorInformation | None = None
    ) -> None:
        super().__init__(requirement, detail)
        self.send = send
        self.info = info


def spans_of(
    layout: BufferLayout,
    items: Sequence[MessageItem],
    sends: Sequence[int],
    ends: Sequence[int],
) -> tuple[tuple[Span, ...], ...]:
    """Where in the Sends of a group that arrived the octets of each item lie.

    Args:
        layout: of the buffers that they arrived in.
        items: as the header of the first Send has them.
        sends: the octets of each Send.
        ends: the octets of each Send that its header and its part of the Payload stream have.

    Returns:
        For each item its octets in their order; for an item that is in no Send none.

    Raises:
        PlacementFault: an item lies where there is no octet for it, or where another octet is.
    """
    spans = tuple(_spans_of_item(layout, item, sends, ends) for item in items)
    used = sorted(span for of_item in spans for span in of_item)
    for first, second in pairwise(used):
        if first.send == second.send and first.start + first.length > second.start:
            # No range that could be reported lacks the number of the segment (D-106, D-118).
            raise PlacementFault(_NAMES, f"two items at octet {second.start}", second.send)
    return spans


def _spans_of_item(
    layout: BufferLayout, item: MessageItem, sends: Sequence[int], ends: Sequence[int]
) -> tuple[Span, ...]:
    """Where the octets of one item lie."""
    where = item.xmdmi_where
    if not isinstance(where, InTargetedSegments):
        return ()
    spans: list[Span] = []
    left, offset = item.xmdmi_length, where.xmdl_offset
    for number in where.xmdl_bsnum:
        if spans and not left:
            raise PlacementFault(_NEXT, f"target {number} is one too many", 0)
        send, target = _found(layout, number, len(sends))
        if offset >= target.length:
            bad_offset = BadOffset(offset, *_valid(0, target.length - 1))
            raise PlacementFault(_OFFSET, f"target {number} has no octet {offset}", 0, bad_offset)
        span = Span(send, target.start + offset, min(left, target.length - offset))
        _check_room(layout, number, span, len(sends), sends[send], ends[send])
        spans.append(span)
        left -= span.length
        offset = 0
    if left:
        raise PlacementFault(_NEXT, f"{left} octets are in no target", 0)
    return tuple(span for span in spans if span.length)


def _found(layout: BufferLayout, number: int, sends: int) -> tuple[int, Segment]:
    """The target segment of that number in a group of so many Sends."""
    last = sends * len(layout.targets) - 1
    if number > last:
        bad_target = BadTargetSegment(number, *_valid(0, last))
        raise PlacementFault(_NAMES, f"there is no target {number}", 0, bad_target)
    return layout.target(number)


def _check_room(
    layout: BufferLayout, number: int, span: Span, sends: int, length: int, front: int
) -> None:
    """Refuse octets of an item that their Send lacks, or that are header or payload of it.

    Args:
        layout: of the buffers.
        number: of the target segment.
        span: the octets in it.
        sends: how many Sends the group has.
        length: octets of this one.
        front: octets that its header and its part of the Payload stream have.
    """
    count = len(layout.targets)
    if span.length and span.start + span.length > length:
        # Segments that the Send does not fill have higher numbers than those that it does.
        whole = layout.targets.last_until(length)
        last = span.send * count + (-1 if whole is None else whole)
        detail = f"target {number} has octets after the {length} of its Send"
        bad = BadTargetSegment(number, *_valid(0, last))
        raise PlacementFault(_NAMES, detail, span.send, bad)
    if span.length and span.start < front:
        free = layout.targets.first_from(front)
        least = span.send * count + (count if free is None else free)
        detail = f"target {number} has header or payload up to octet {front} of its Send"
        bad = BadTargetSegment(number, *_valid(least, sends * count - 1))
        raise PlacementFault(_NAMES, detail, span.send, bad)


def _valid(least: int, greatest: int) -> tuple[int, int]:
    """The range of valid values as a report has it; where there is none, it is 1 to 0."""
    return (least, greatest) if least <= greatest else (1, 0)


def gather(sends: Sequence[bytes], spans: Iterable[Span]) -> bytes:
    """The octets that these spans of the Sends are, in their order."""
    return b"".join(
        memoryview(sends[send])[start : start + length] for send, start, length in spans
    )
