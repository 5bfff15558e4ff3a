"""How a Responder judges a request that came as a transmission group (stateless).

    rtrext section 6.2  Data Placement Preliminaries (table 1)
    rtrext section 7.3  Message DDP Structures
    rtrext section 7.4  Response Direction DDP Structures
    rtrext section 9.2  Transmit Request Operation

What can be wrong with the group itself is found before (`rpcrdma.wire.transmission`).

Hooks (methods that a mutant may override, one each):

    judge_count             as many transmissions as are told, and not more than are taken
    judge_types             which types an item of a request has
    judge_memory            memory of an item is as long as the item
    judge_items             items neither overlap nor lie beyond the stream
    judge_ranges            ranges of directions are disjoint and ascend
    located                 where the Sends hold the bulk data
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.group_placement import located
from rpcrdma.wire import WriteChunk, chunk_length
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    InTargetedSegments,
    NoItem,
    TooShort,
)
from rpcrdma.wire.operations import XmtReq

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.core.group_bodies import GroupedMsg
    from rpcrdma.wire._generated_rtrext import MessageItem, ResponseSet
    from rpcrdma.wire.buffers import BufferLayout
    from rpcrdma.wire.transmission import Transmission

__all__ = ["GroupRules", "IncomingGroup", "PlacedItem"]


@dataclass(frozen=True, slots=True)
class PlacedItem:
    """An item that Sends have placed: its displacement in the stream, and its octets."""

    position: int
    data: bytes


@dataclass(frozen=True, slots=True)
class IncomingGroup:
    """What a request says beside what an RDMA_MSG says.

    Attributes:
        placed: items that its Sends hold, by ascending displacement.
        directions: for its response.
        most: transmissions that the response may have.
    """

    placed: tuple[PlacedItem, ...] = ()
    directions: tuple[ResponseSet, ...] = ()
    most: int = 1


class GroupRules:
    """The checks of the reference Responder.

    Args:
        layout: of the buffers that requests land in.
        most: transmissions of the longest request that is taken.
    """

    def __init__(self, layout: BufferLayout, most: int) -> None:
        self._layout = layout
        self._most = most

    def take(self, body: GroupedMsg, arrived: Transmission, stream: int) -> IncomingGroup:
        """Judge a request.

        Args:
            body: its header.
            arrived: its Sends.
            stream: octets of its Payload stream.

        Raises:
            FaultFound: it breaks a rule.
        """
        contents = body.contents
        if not isinstance(contents, XmtReq):
            raise FaultFound(Fault.NOT_A_CALL, "a response")
        self.judge_count(contents.optxrq_count, arrived.sends)
        items, directions = contents.optxrq_ddp, contents.optxrq_rsd
        self.judge_types(items)
        self.judge_memory(items)
        self.judge_items(items, stream)
        self.judge_ranges(directions)
        data = self.located(items, arrived)
        placed = sorted(
            (
                PlacedItem(item.xmdmi_disp, octets)
                for item, octets in zip(items, data, strict=True)
                if isinstance(item.xmdmi_where, InTargetedSegments)
            ),
            key=lambda item: item.position,
        )
        # D-97: 0 allows the one transmission that every response has.
        return IncomingGroup(tuple(placed), directions, max(1, contents.optxrq_rsbuf))

    def judge_count(self, told: int, sends: int) -> None:
        """The group has as many transmissions as it says, and that is not too many (8.4, 9.2)."""
        if told != sends or sends > self._most:
            why = f"{told} transmissions told, {sends} taken, at most {self._most}"
            raise FaultFound(Fault.GROUP_COUNT, why)

    def judge_types(self, items: Sequence[MessageItem]) -> None:
        """Each item is placed somewhere: only in a response it may be nowhere (table 1)."""
        for item in items:
            if isinstance(item.xmdmi_where, TooShort | NoItem):
                raise FaultFound(Fault.ITEM_TYPE, type(item.xmdmi_where).__name__)

    def judge_memory(self, items: Sequence[MessageItem]) -> None:
        """Memory of an item is as long as the item, with or without its roundup (D-24)."""
        for item in items:
            where, length = item.xmdmi_where, item.xmdmi_length
            if not isinstance(where, ByExplicitRdma):
                continue
            there = chunk_length(WriteChunk(where.xmdl_ex))
            if there not in (length, length + -length % 4):
                why = f"{there} octets for an item of {length}"
                raise FaultFound(Fault.ITEM_LENGTH, why)

    def judge_items(self, items: Sequence[MessageItem], stream: int) -> None:
        """Items lie in the virtual XDR stream, each in octets of its own (D-106)."""
        spans = sorted((item.xmdmi_disp, item.xmdmi_length) for item in items)
        ends = [(start, start + length + -length % 4) for start, length in spans]
        for (_, end), (start, _) in pairwise(ends):
            if start < end:
                raise FaultFound(Fault.ITEMS_OVERLAP, f"displacement {start} before {end}")
        whole = stream + sum(end - start for start, end in ends)
        if ends and ends[-1][1] > whole:
            why = f"displacement {ends[-1][0]} in a stream of {whole} octets"
            raise FaultFound(Fault.ITEMS_OVERLAP, why)

    def judge_ranges(self, directions: Sequence[ResponseSet]) -> None:
        """Ranges of directions are disjoint and ascend (7.4)."""
        ranges = [one.xmdrsds_range for one in directions]
        for one in ranges:
            if one.xmdrsdr_end < one.xmdrsdr_begin:
                raise FaultFound(Fault.RESPONSE_RANGES, f"{one}")
        for first, second in pairwise(ranges):
            if second.xmdrsdr_begin < first.xmdrsdr_end:
                raise FaultFound(Fault.RESPONSE_RANGES, f"{second} after {first}")

    def located(self, items: Sequence[MessageItem], arrived: Transmission) -> tuple[bytes, ...]:
        """What the Sends hold of each item (7.3)."""
        return located(self._layout, items, arrived)
