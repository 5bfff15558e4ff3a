"""The right response to a request in a group, as a draft of which every word can be changed.

rtrext section 7.3  Message DDP Structures
rtrext section 7.4  Response Direction DDP Structures
rtrext section 9.3  Transmit Response Operation

answer = respond(call, reply, slots, origins, told, credit)
answer.changed(lambda group: group.with_contents(0, optxrs_pslen=3))
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conformance.groups.draft import GroupDraft, PlacedEntry, drafted
from conformance.oracle.requester.request_group import memory_of
from conformance.tester.server.reply import ReplyPlacement, filled
from rpcrdma.ulp.bindings import reduce
from rpcrdma.wire import WriteChunk
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    InTargetedSegments,
    MessageItem,
    NoItem,
    TooShort,
)
from rpcrdma.wire.operations import XmtResp
from rpcrdma.wire.send_placement import BulkItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conformance.groups.draft import Entry
    from conformance.oracle.announced import Announced
    from conformance.oracle.requester.request_group import RequestGroup
    from conformance.tester.server.received import ReceivedCall
    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire._generated_rtrext import ResponseItem

__all__ = ["GroupAnswer", "respond"]


@dataclass(frozen=True, slots=True)
class GroupAnswer:
    """A response that has not gone out (see `conformance.tester.server.reply.Answer`).

    Attributes:
        group: its Sends.
        placements: what is written before.
        granted: credits that it grants.
        invalidate: handle that is invalidated by its last Send.
    """

    group: GroupDraft
    placements: tuple[ReplyPlacement, ...]
    granted: int
    invalidate: int | None = None

    @property
    def sends(self) -> tuple[bytes, ...]:
        """One after the other."""
        return tuple(message.octets for message in self.group.messages)

    @property
    def payload(self) -> tuple[bytes, ...]:
        """What each Send has of the Payload stream."""
        return tuple(send.payload for send in self.group.sends)

    @property
    def placed_octets(self) -> int:
        """Octets of the items that its Sends have."""
        return sum(
            item.xmdmi_length
            for item in self.group.items
            if isinstance(item.xmdmi_where, InTargetedSegments)
        )

    def changed(self, change: Callable[[GroupDraft], GroupDraft]) -> GroupAnswer:
        """The same with another group."""
        return replace(self, group=change(self.group))


def respond(
    call: ReceivedCall,
    reply: bytes,
    slots: Sequence[DataItem | None],
    origins: Sequence[int],
    told: Announced,
    credit: int,
    *,
    sizes: Sequence[int] | None = None,
    places: Sequence[InTargetedSegments] = (),
    chooses_memory: bool = False,
    by_turns: bool = False,
) -> GroupAnswer:
    """The response that a Responder should make.

    Args:
        call: which came as a group.
        reply: complete and unreduced.
        slots: DDP-eligible results of the reply.
        origins: where in the call the operation of each begins; empty for a call of one operation.
        told: what the client has announced.
        credit: to be granted.
        sizes: octets of the Payload stream in each Send; None: the Sends are filled.
        places: of the items that are placed by Sends; empty: where there is room.
        chooses_memory: whether an item that may go either way goes by explicit RDMA.
        by_turns: whether every second such item goes the other way.

    Raises:
        ValueError: there is no such response.
    """
    group = call.group
    if group is None:
        raise ValueError(f"{call} is no group")
    entries: list[Entry] = []
    reduced: list[DataItem] = []
    placements: list[ReplyPlacement] = []
    left = list(places)
    for direction, item in _matched(group, slots, origins):
        if item is None:
            entries.append(MessageItem(0, 0, NoItem()))
            continue
        # Without a target there is no way but the stream, whatever is directed.
        nowhere = isinstance(direction.xmdrsdi_loc, DirectToSends) and not told.layout.targets
        if nowhere or item.length < direction.xmdrsdi_minlen:
            entries.append(MessageItem(item.position, item.length, TooShort()))
            continue
        data = reply[item.position : item.position + item.length]
        reduced.append(item)
        turned = by_turns and len(entries) % 2 == 1
        if _goes_to_memory(direction, item, told, chooses_memory=chooses_memory != turned):
            returned, written = filled(WriteChunk(memory_of(direction.xmdrsdi_loc)), data)
            where = ByExplicitRdma(returned.target)
            entries.append(MessageItem(item.position, item.length, where))
            placements += written
        elif left:
            entries.append(PlacedEntry(item.position, data, left.pop(0)))
        else:
            entries.append(BulkItem(item.position, data))
    reduced.sort(key=lambda item: item.position)
    payload, _ = reduce(reply, reduced)
    draft = drafted(
        call.xid,
        payload,
        entries,
        XmtResp,
        told.layout,
        sizes=sizes,
        title="a response",
        credits=credit,
    )
    return GroupAnswer(draft, tuple(placements), credit)


def _matched(
    group: RequestGroup, slots: Sequence[DataItem | None], origins: Sequence[int]
) -> Iterator[tuple[ResponseItem, DataItem | None]]:
    """Each direction, with the item that meets it; None if there is none for it."""
    begins = origins or [0] * len(slots)
    for one in group.contents.optxrq_rsd:
        # D-115: an operation is in a range whose first octet is.
        span = range(one.xmdrsds_range.xmdrsdr_begin, one.xmdrsds_range.xmdrsdr_end)
        there = iter(
            item
            for item, begin in zip(slots, begins, strict=True)
            if item is not None and begin in span
        )
        for direction in one.xmdrsds_items:
            yield direction, next(there, None)


def _goes_to_memory(
    direction: ResponseItem, item: DataItem, told: Announced, *, chooses_memory: bool
) -> bool:
    match direction.xmdrsdi_loc:
        case DirectToExplicitRdma():
            return True
        case DirectBySize(xmdrsdl_dsdov=most):
            return item.length > most
        case DirectByChoice():
            return chooses_memory or not told.layout.targets
        case _:
            return False
