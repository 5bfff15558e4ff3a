"""Mutants: what the entries of a server's responses say, and what there is (rtrext 7, 11)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.responder.group_reply import GroupReplies, PlaceableResult
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    InTargetedSegments,
    MessageItem,
    NoItem,
)
from rpcrdma.wire.operations import XmtCont, XmtResp
from rpcrdma.wire.placed_items import spans_of
from rpcrdma.wire.transmission import payload_length
from targets.mutants.base import mutant
from targets.mutants.reductions.edits import part_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.responder.group_reply import PlannedGroup
    from rpcrdma.endpoint.responder.group_rules import IncomingGroup
    from rpcrdma.wire.buffers import BufferLayout


def _changed(
    items: Sequence[MessageItem], kind: type[object], **words: object
) -> tuple[MessageItem, ...]:
    """Items, those of one kind with other words."""
    return tuple(
        msgspec.structs.replace(item, **words) if isinstance(item.xmdmi_where, kind) else item
        for item in items
    )


@mutant(
    breaks="rtrext.7.4.answers-to-tbsn",
    also_trips={"rtrext.7.3.all-bulk-data-are-listed": "what Sends hold is in no entry"},
)
class SaysThatSendsAreMemory(GroupReplies):
    """Answers directions into Sends as if the result had gone to memory, of which it names none."""

    def in_order(self, items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
        return _changed(items, InTargetedSegments, xmdmi_where=ByExplicitRdma(()))


@mutant(breaks="rtrext.7.4.every-direction-is-answered")
class LeavesOutTheLastAnswer(GroupReplies):
    """Leaves out the entry for the last direction, if it has placed nothing."""

    def in_order(self, items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
        is_unused = bool(items) and isinstance(items[-1].xmdmi_where, NoItem)
        return items[:-1] if is_unused else items


@mutant(breaks="rtrext.7.4.answers-are-in-the-order-of-directions")
class AnswersTheLastDirectionFirst(GroupReplies):
    """Puts the entries of a response into the opposite order."""

    def in_order(self, items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
        return items[::-1]


@mutant(breaks="rtrext.7.3.displacement-of-an-item")
class TellsTheCountWordForTheItem(GroupReplies):
    """Tells the displacement of the count before an item that it has placed."""

    def in_order(self, items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
        return tuple(
            msgspec.structs.replace(item, xmdmi_disp=item.xmdmi_disp - 4)
            if isinstance(item.xmdmi_where, InTargetedSegments | ByExplicitRdma)
            else item
            for item in items
        )


@mutant(
    breaks="rtrext.7.3.length-of-an-item",
    also_trips={
        "rtrext.7.3.tbsn-names-the-segments": "such results are beyond their Sends",
    },
)
class TellsTheLengthWithPadding(GroupReplies):
    """Tells the length of an item in Sends with its XDR padding."""

    def in_order(self, items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
        return tuple(
            msgspec.structs.replace(item, xmdmi_length=item.xmdmi_length + -item.xmdmi_length % 4)
            if isinstance(item.xmdmi_where, InTargetedSegments)
            else item
            for item in items
        )


@mutant(breaks="rtrext.7.3.all-bulk-data-are-listed")
class ListsNothingThatSendsHold(GroupReplies):
    """Says that there is no item where it has placed one in Sends."""

    def in_order(self, items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
        nothing = {"xmdmi_disp": 0, "xmdmi_length": 0, "xmdmi_where": NoItem()}
        return _changed(items, InTargetedSegments, **nothing)


@mutant(breaks="rtrext.7.3.exrw-of-a-response-names-what-was-written")
class TellsThatNothingWasWritten(GroupReplies):
    """Returns the segments of a direction with lengths of zero."""

    def in_order(self, items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
        def emptied(item: MessageItem) -> MessageItem:
            where = item.xmdmi_where
            if not isinstance(where, ByExplicitRdma):
                return item
            empty = tuple(RdmaSegment(one.handle, 0, one.offset) for one in where.xmdl_ex)
            return msgspec.structs.replace(item, xmdmi_where=ByExplicitRdma(empty))

        return tuple(map(emptied, items))


@mutant(breaks="rtrext.7.3.exrw-items-are-as-chunks")
class ReturnsSegmentsAsFilledFromTheEnd(GroupReplies):
    """Returns the lengths of the segments of a direction in the opposite order."""

    def in_order(self, items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
        def reversed_lengths(item: MessageItem) -> MessageItem:
            where = item.xmdmi_where
            if not isinstance(where, ByExplicitRdma):
                return item
            lengths = [one.length for one in where.xmdl_ex][::-1]
            segments = tuple(
                RdmaSegment(one.handle, length, one.offset)
                for one, length in zip(where.xmdl_ex, lengths, strict=True)
            )
            return msgspec.structs.replace(item, xmdmi_where=ByExplicitRdma(segments))

        return tuple(map(reversed_lengths, items))


@mutant(
    breaks="rtrext.7.4.exrw-direction-is-written-to",
    also_trips=dict.fromkeys(
        (
            *("rtrext.3.4.", "rtrext.5.1.", "rtrext.5.3.", "rtrext.7.1."),
            *("rtrext.7.3.", "rtrext.7.4.", "rtrext.8.1.", "rtrext.9.3."),
        ),
        "a result that goes to memory is not as asked, whatever else is looked at",
    ),
)
class WritesResultsBackwards(GroupReplies):
    """Writes the octets of a result to memory in the opposite order."""

    def plan(
        self,
        xid: int,
        credit: int,
        group: IncomingGroup,
        reply: bytes,
        results: Sequence[PlaceableResult],
        layout: BufferLayout,
    ) -> PlannedGroup:
        planned = super().plan(xid, credit, group, reply, results, layout)
        turned = tuple(replace(one, data=one.data[::-1]) for one in planned.placements)
        return replace(planned, placements=turned)


@mutant(breaks="rtrext.11.padding-tells-nothing")
class PadsWithWhatIsThere(GroupReplies):
    """Sends padding before bulk data that is not zero."""

    def plan(
        self,
        xid: int,
        credit: int,
        group: IncomingGroup,
        reply: bytes,
        results: Sequence[PlaceableResult],
        layout: BufferLayout,
    ) -> PlannedGroup:
        planned = super().plan(xid, credit, group, reply, results, layout)
        return replace(planned, sends=_padded(planned.sends, layout))


def _padded(sends: tuple[bytes, ...], layout: BufferLayout) -> tuple[bytes, ...]:
    """Sends with other octets between payload and bulk data."""
    parts = [part_of(send) for send in sends]
    fronts = [
        len(send) - len(part.rest) + payload_length(part.contents)
        for send, part in zip(sends, parts, strict=True)
        if part is not None and isinstance(part.contents, XmtResp | XmtCont)
    ]
    first = parts[0]
    if first is None or not isinstance(first.contents, XmtResp):
        return sends
    spans = spans_of(layout, first.contents.optxrs_ddp, [len(one) for one in sends], fronts)
    found = []
    for number, (send, front) in enumerate(zip(sends, fronts, strict=True)):
        starts = [one.start for places in spans for one in places if one.send == number]
        padding = max(0, min(starts, default=front) - front)
        found.append(send[:front] + b"\x5a" * padding + send[front + padding :])
    return tuple(found)
