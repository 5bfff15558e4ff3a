"""The message of a call with chunks or in a group, once all of its memory is registered.

rfc8166 section 4.3  Chunk Lists
rtrext section 9.2   Transmit Request Operation
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.group_sends import Entry, group_sends
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.requester.outgoing import coordinates
from rpcrdma.endpoint.requester.reply_parsing import Offer
from rpcrdma.wire import TransportHeader, WriteChunk
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    MessageItem,
    PlacementType,
    ResponseItem,
    ResponseRange,
    ResponseSet,
)
from rpcrdma.wire.operations import XmtReq
from rpcrdma.wire.send_placement import BulkItem

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.endpoint.requester.group_plan import GroupPlan
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.endpoint.requester.request_rules import RequestRules
    from rpcrdma.wire import RdmaSegment
    from rpcrdma.wire._generated_rtrext import ResponseDirection

__all__ = ["frame", "frame_group"]

WHOLE: Final = ResponseRange(0, 2**32 - 1)
"""The range of directions that apply to the whole Call (D-115)."""


def frame(call: OutgoingCall, rules: RequestRules, credits_requested: int) -> bytes:
    """The octets of a call; notes what it offers for its reply."""
    reads = tuple(
        segment
        for position, group in call.reads
        for segment in rules.read_segments(rules.position(position), coordinates(group))
    )
    writes = tuple(WriteChunk(coordinates(group)) for group in call.writes)
    reply = WriteChunk(coordinates(call.reply)) if call.reply else None
    call.offer = Offer(writes, reply)
    is_long = call.plan is not None and call.plan.form is MessageForm.LONG
    lists = rules.write_list(writes), rules.reply_chunk(reply)
    body = rules.body(reads, *lists, is_long=is_long)
    header = TransportHeader(rules.xid(call), rules.version(), credits_requested, body)
    return rules.encode(header, call.plan.inline if call.plan is not None else b"")


def frame_group(
    call: OutgoingCall, group: GroupPlan, reductions: Reductions, credits_requested: int
) -> tuple[bytes, ...] | None:
    """The Sends of a call; notes what it offers for its response.

    Returns:
        None if there would be more than are allowed.
    """
    call.offer = Offer(tuple(WriteChunk(coordinates(memory)) for memory in call.writes))
    in_memory = iter(call.reads)
    entries: list[Entry] = []
    for entry in group.entries:
        if isinstance(entry, BulkItem):
            entries.append(entry)
            continue
        position, memory = next(in_memory)
        length = sum(map(len, entry.pieces))
        entries.append(MessageItem(position, length, ByExplicitRdma(coordinates(memory))))
    directions = group.response.directions
    items = tuple(
        ResponseItem(reductions.shortest, _direction(direction.kind, chunk.target, reductions))
        for direction, chunk in zip(directions, call.offer.writes, strict=True)
    )
    sets = (ResponseSet(WHOLE, items),) if items else ()

    def contents(placed: tuple[MessageItem, ...], count: int, length: int) -> XmtReq:
        return XmtReq(placed, sets, count, group.response.told, length)

    return group_sends(
        call.xid,
        credits_requested,
        group.payload,
        entries,
        contents,
        group.layout,
        group.most,
    )


def _direction(
    kind: PlacementType, segments: tuple[RdmaSegment, ...], reductions: Reductions
) -> ResponseDirection:
    match kind:
        case PlacementType.XMDTYPE_TBSN:
            return DirectToSends()
        case PlacementType.XMDTYPE_CHOICE:
            return DirectByChoice(segments)
        case PlacementType.XMDTYPE_BYSIZE:
            return DirectBySize(reductions.by_size, segments)
        case _:
            return DirectToExplicitRdma(segments)
