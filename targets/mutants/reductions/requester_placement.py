"""Mutants: where a client places bulk data, and what it says of that (rtrext 3, 6, 7, 11)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.requester.group_plan import GroupPlanner
from rpcrdma.endpoint.requester.plan import ReadPlan
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    ByExplicitRdma,
    InTargetedSegments,
    NoItem,
)
from rpcrdma.wire.operations import XmtReq
from targets.mutants import because
from targets.mutants.base import mutant
from targets.mutants.reductions.edits import (
    EditedSend,
    edited_first,
    edited_items,
    edited_parts,
    renumbered,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.wire._generated_rtrext import BufferSegmentGroup, BufferStructure, MessageItem
    from rpcrdma.wire.buffers import BufferLayout
    from rpcrdma.wire.send_placement import BulkItem

LARGEST: Final = 2**32 - 1

NO_ROOM: Final = "bulk data for which there seems to be no room go by other means"


# -- what is taken out, and where it belongs


@mutant(breaks="rtrext.3.3.only-eligible-items-leave-the-stream")
class PlacesTheCountAsWell(GroupPlanner):
    """Takes the length of an argument out of the stream together with its octets."""

    def items(
        self, payload: bytes, items: tuple[DataItem, ...], layout: BufferLayout
    ) -> tuple[bytes, tuple[BulkItem | ReadPlan, ...]]:
        more = tuple(DataItem(item.position - 4, item.length + 4) for item in items)
        return super().items(payload, more, layout)


@mutant(breaks="rtrext.6.2.displacements-are-in-the-whole-stream")
class CountsDisplacementsFromTheArguments(GroupPlanner):
    """Counts displacements from the end of the RPC header."""

    def items(
        self, payload: bytes, items: tuple[DataItem, ...], layout: BufferLayout
    ) -> tuple[bytes, tuple[BulkItem | ReadPlan, ...]]:
        kept, found = super().items(payload, items, layout)
        return kept, tuple(
            replace(one, position=one.position - 40)
            if isinstance(one, ReadPlan)
            else one._replace(position=one.position - 40)
            for one in found
        )


@mutant(breaks="rtrext.7.3.displacement-of-an-item")
class SaysThatAnItemIsFurtherOn(Requester):
    """Adds a word to the displacement of each item."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        def change(item: MessageItem) -> MessageItem:
            return msgspec.structs.replace(item, xmdmi_disp=item.xmdmi_disp + 4)

        return edited_items(super()._sent(call), change)


@mutant(breaks="rtrext.7.3.length-of-an-item")
class CountsThePaddingOfAnItem(Requester):
    """Counts the XDR padding of an item in its length."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        def change(item: MessageItem) -> MessageItem:
            return msgspec.structs.replace(item, xmdmi_length=item.xmdmi_length + 3 & ~3)

        return edited_items(super()._sent(call), change)


@mutant(breaks="rtrext.7.3.all-bulk-data-are-listed")
class ListsNoItems(Requester):
    """Takes arguments out of the stream and does not list them."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_first(super()._sent(call), lambda part: part.saying(optxrq_ddp=()))


@mutant(
    breaks="rtrext.7.3.exrw-items-are-as-chunks",
    also_trips={"rtrext.7.3.length-of-an-item": because.FORM},
)
class PutsPaddingIntoTheMemory(GroupPlanner):
    """Offers an argument for explicit RDMA together with its XDR padding."""

    def items(
        self, payload: bytes, items: tuple[DataItem, ...], layout: BufferLayout
    ) -> tuple[bytes, tuple[BulkItem | ReadPlan, ...]]:
        kept, found = super().items(payload, items, layout)
        return kept, tuple(
            replace(one, pieces=(*one.pieces, b"\0")) if isinstance(one, ReadPlan) else one
            for one in found
        )


@mutant(breaks="rtrext.7.3.exrw-of-a-request-names-its-memory")
class NamesTooLittleMemory(Requester):
    """Names less memory than an argument takes that is to be fetched from there."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        def change(item: MessageItem) -> MessageItem:
            where = item.xmdmi_where
            if not isinstance(where, ByExplicitRdma):
                return item
            *before, last = where.xmdl_ex
            shorter = msgspec.structs.replace(last, length=last.length - 4)
            return msgspec.structs.replace(item, xmdmi_where=ByExplicitRdma((*before, shorter)))

        return edited_items(super()._sent(call), change)


# -- numbers and offsets


@mutant(breaks="rtrext.6.2.target-segments-are-numbered")
class NumbersTargetsFromOne(Requester):
    """Gives the first target segment of a group the number 1."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_items(
            super()._sent(call), lambda item: renumbered(item, lambda number: number + 1)
        )


@mutant(breaks="rtrext.6.2.segments-with-payload-count")
class PassesOverTargetsWithPayload(Requester):
    """Gives no number to target segments of the first Send in which header or payload is."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        targets = None if call.group is None else call.group.layout.targets

        def change(part: EditedSend) -> EditedSend:
            contents = part.contents
            if targets is None or not isinstance(contents, XmtReq):
                return part
            front = len(part.octets) - len(part.rest) + contents.optxrq_pslen
            passed = sum(target.start < front for target in targets)
            items = tuple(
                renumbered(item, lambda number: number - passed) for item in contents.optxrq_ddp
            )
            return part.saying(optxrq_ddp=items)

        return edited_first(super()._sent(call), change)


@mutant(breaks="rtrext.7.3.tbsn-names-the-segments")
class NamesTheSegmentsBackwards(Requester):
    """Lists the target segments of an item from the last to the first."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_items(super()._sent(call), _with_numbers(lambda numbers: numbers[::-1]))


@mutant(breaks="rtrext.7.3.tbsn-goes-on-in-the-next-of-the-list")
class NamesTheFirstSegmentAlone(Requester):
    """Lists the first target segment of an item, and none in which it goes on."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_items(super()._sent(call), _with_numbers(lambda numbers: numbers[:1]))


@mutant(breaks="rtrext.7.3.tbsn-begins-at-the-offset")
class SaysToBeginLater(Requester):
    """Says that an item begins a word after where it does."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        def change(item: MessageItem) -> MessageItem:
            where = item.xmdmi_where
            if not isinstance(where, InTargetedSegments):
                return item
            return msgspec.structs.replace(
                item, xmdmi_where=InTargetedSegments(4, where.xmdl_bsnum)
            )

        return edited_items(super()._sent(call), change)


def _with_numbers(
    change: Callable[[tuple[int, ...]], tuple[int, ...]],
) -> Callable[[MessageItem], MessageItem]:
    """What gives an item other target segments."""

    def changed(item: MessageItem) -> MessageItem:
        where = item.xmdmi_where
        if not isinstance(where, InTargetedSegments):
            return item
        told = InTargetedSegments(where.xmdl_offset, change(where.xmdl_bsnum))
        return msgspec.structs.replace(item, xmdmi_where=told)

    return changed


# -- types


@mutant(breaks="rtrext.6.2.types-of-items-in-requests")
class SaysThatThereIsNoItem(Requester):
    """Says XMDTYPE_NOITEM of an argument that it has taken out of the stream."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_items(
            super()._sent(call), lambda item: msgspec.structs.replace(item, xmdmi_where=NoItem())
        )


@mutant(breaks="rtrext.6.2.codes-of-the-types")
class NumbersTheTypesFromZero(Requester):
    """Gives XMDTYPE_EXRW and TBSN of an item the values 0 and 1."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        first, *later = super()._sent(call)
        if call.group is None or not call.group.entries or not isinstance(first, Send):
            return [first, *later]
        octets = bytearray(first.data)
        octets[_TYPE_OF_ITEM] -= 1
        return [Send(first.key, bytes(octets)), *later]


_TYPE_OF_ITEM: Final = 28 + 12 + 3
"""Last octet of the type of the first item: after the header's words, a count and two words."""


# -- the structure of the Responder's buffers


def _misread(
    peer: PropertyValues, change: Callable[[BufferStructure], BufferStructure]
) -> PropertyValues:
    """What a peer has told, its structure misunderstood."""
    told = peer.buffer_structure
    return peer if told is None else replace(peer, buffer_structure=change(told))


def _each(
    change: Callable[[BufferSegmentGroup], BufferSegmentGroup],
) -> Callable[[BufferStructure], BufferStructure]:
    """What changes each group of segments."""

    def changed(told: BufferStructure) -> BufferStructure:
        groups = tuple(map(change, told.xmrbuf_groups))
        return msgspec.structs.replace(told, xmrbuf_groups=groups)

    return changed


@mutant(breaks="rtrext.7.2.segment-length")
class TakesSegmentsToBeShorter(GroupPlanner):
    """Takes each segment to be 4 octets shorter than it was told."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        def shorter(group: BufferSegmentGroup) -> BufferSegmentGroup:
            info = group.xmrgrp_info
            length = info.xmrseg_length - 4
            return msgspec.structs.replace(
                group, xmrgrp_info=msgspec.structs.replace(info, xmrseg_length=length)
            )

        super().heed(send_limit, _misread(peer, _each(shorter)))


@mutant(breaks="rtrext.7.2.group-stands-for-like-segments", also_trips={"rtrext.6.2.": NO_ROOM})
class TakesAGroupForOneSegment(GroupPlanner):
    """Takes a group of segments for one that is as long as all of them together."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        def joined(group: BufferSegmentGroup) -> BufferSegmentGroup:
            info = group.xmrgrp_info
            length = info.xmrseg_length * group.xmrgrp_count
            return msgspec.structs.replace(
                group,
                xmrgrp_count=1,
                xmrgrp_info=msgspec.structs.replace(info, xmrseg_length=length),
            )

        super().heed(send_limit, _misread(peer, _each(joined)))


@mutant(
    breaks="rtrext.7.2.groups-follow-each-other",
    also_trips=dict.fromkeys(
        ("rtrext.6.2.", "rtrext.7.2.segment-length", "rtrext.7.3.tbsn-names-the-segments"), NO_ROOM
    ),
)
class TakesGroupsBackwards(GroupPlanner):
    """Takes the last group of segments for the first of the buffer."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        def turned(told: BufferStructure) -> BufferStructure:
            return msgspec.structs.replace(told, xmrbuf_groups=told.xmrbuf_groups[::-1])

        super().heed(send_limit, _misread(peer, turned))


@mutant(
    breaks="rtrext.7.2.only-flagged-segments-are-targets",
    also_trips={
        "rtrext.7.3.exrw-of-a-request-names-its-memory": (
            "bulk data go by Sends where there are no targets, and nothing is in memory"
        ),
    },
)
class PlacesInAnySegment(GroupPlanner):
    """Takes segments without the flag for targets as well."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        def flagged(group: BufferSegmentGroup) -> BufferSegmentGroup:
            info = msgspec.structs.replace(group.xmrgrp_info, xmrseg_flags=XMRSFLAG_DDP)
            return msgspec.structs.replace(group, xmrgrp_info=info)

        super().heed(send_limit, _misread(peer, _each(flagged)))


@mutant(breaks="rtrext.8.1.default-of-the-buffer-structure")
class AssumesItsOwnStructure(GroupPlanner):
    """Takes it that the Receives of a peer that tells of no structure are as its own."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        told = peer.buffer_structure or self.reductions.structure
        super().heed(send_limit, replace(peer, buffer_structure=told))


@mutant(breaks="rtrext.8.3.size-follows-from-the-structure")
class HeedsNoStructure(GroupPlanner):
    """Sends 5000 octets at once where a structure of fewer was told and no size."""

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        if peer.buffer_structure is not None and send_limit < 4096:
            send_limit, peer = 5000, replace(peer, buffer_structure=None)
        super().heed(send_limit, peer)


@mutant(breaks="rtrext.11.padding-tells-nothing")
class PadsWithWhatWasThere(Requester):
    """Leaves other octets than zeros between payload and bulk data."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        layout = None if call.group is None else call.group.layout

        def change(parts: list[EditedSend]) -> list[EditedSend]:
            first, contents = parts[0], parts[0].contents
            if layout is None or not isinstance(contents, XmtReq) or not contents.optxrq_ddp:
                return parts
            front = len(first.octets) - len(first.rest) + contents.optxrq_pslen
            number = layout.targets.first_from(front)
            if number is None:
                return parts
            padding = layout.targets[number].start - front
            kept = first.rest[: contents.optxrq_pslen]
            rest = kept + b"\xee" * padding + first.rest[len(kept) + padding :]
            return [replace(first, rest=rest), *parts[1:]]

        return edited_parts(super()._sent(call), change)
