"""How a Responder answers a request that came as a transmission group.

    rtrext section 5.2  Message Continuation Support
    rtrext section 7.4  Response Direction DDP Structures
    rtrext section 9.3  Transmit Response Operation

The directions of the request, and which results they are for, become items of the response; what
is not placed stays in the Payload stream.  A request without directions gets an RDMA2_MSG, if its
response fits into one Send (D-116).

Hooks (methods that a mutant may override, one each):

    match                   which direction a result uses up
    place                   where a result goes by its direction
    prefers_sends           how a choice is made
    goes_by_rdma            which way a length decides for
    most                    transmissions that a response may have
    unplaced                the item of a direction that places nothing
    in_order                the items of the response
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.group_sends import Entry, group_sends
from rpcrdma.endpoint.responder.plan import PlannedWrite
from rpcrdma.wire import WriteChunk
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    MessageItem,
    NoItem,
    TooShort,
)
from rpcrdma.wire.operations import XmtResp
from rpcrdma.wire.send_placement import BulkItem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpcrdma.endpoint.responder.group_rules import IncomingGroup
    from rpcrdma.endpoint.responder.reply_rules import ReplyRules
    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire import RdmaSegment
    from rpcrdma.wire._generated_rtrext import ResponseItem, ResponseRange, ResponseSet
    from rpcrdma.wire.buffers import BufferLayout

__all__ = ["GroupReplies", "Matched", "PlaceableResult", "PlannedGroup"]


@dataclass(frozen=True, slots=True)
class PlaceableResult:
    """A result that may be placed.

    Attributes:
        origin: where its operation begins in the stream of the request.
        item: in the unreduced reply.
    """

    origin: int
    item: DataItem


@dataclass(frozen=True, slots=True)
class Matched:
    """A direction, and the result that used it up, if one did."""

    direction: ResponseItem
    result: PlaceableResult | None


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """A response that is ready: what is written, then the Sends."""

    placements: tuple[PlannedWrite, ...]
    sends: tuple[bytes, ...]


class GroupReplies:
    """The responses of the reference Responder.

    Args:
        rules: of replies, for what they have in common.
        response_limit: transmissions of the longest response that is sent.
    """

    def __init__(self, rules: ReplyRules, response_limit: int) -> None:
        self._rules = rules
        self._limit = response_limit

    def plan(
        self,
        xid: int,
        credit: int,
        group: IncomingGroup,
        reply: bytes,
        results: Sequence[PlaceableResult],
        layout: BufferLayout,
    ) -> PlannedGroup:
        """Turn an RPC reply into a response.

        Args:
            xid: of the request.
            credit: to be granted.
            group: what the request said.
            reply: unreduced.
            results: those that may be placed.
            layout: of the Requester's buffers.

        Raises:
            FaultFound: what the Requester provided does not take the reply.
        """
        matched = tuple(self.match(group.directions, results))
        planned = self._planned(xid, credit, group, reply, matched, layout, by_sends=True)
        if planned is None and any(_is_choice(one.direction) for one in matched):
            planned = self._planned(xid, credit, group, reply, matched, layout, by_sends=False)
        if planned is None:
            raise FaultFound(Fault.REPLY_CHUNK_MISSING, f"a response of {len(reply)} octets")
        return planned

    def match(
        self, directions: Sequence[ResponseSet], results: Sequence[PlaceableResult]
    ) -> Iterator[Matched]:
        """Each direction with the next result in its range; each result uses up one (7.4)."""
        for one in directions:
            here = iter([result for result in results if _is_in(result.origin, one.xmdrsds_range)])
            for direction in one.xmdrsds_items:
                yield Matched(direction, next(here, None))

    def most(self, group: IncomingGroup) -> int:
        """Transmissions that a response may have (5.2, 8.5)."""
        return min(self._limit, group.most)

    def prefers_sends(self, layout: BufferLayout) -> bool:
        """Whether a result that may go either way is placed by Sends."""
        return bool(layout.targets)

    def goes_by_rdma(self, length: int, limit: int) -> bool:
        """Whether a result directed by size goes by explicit RDMA (D-104)."""
        return length > limit

    def unplaced(self, result: PlaceableResult | None) -> MessageItem:
        """The item that says that a direction placed nothing (D-105)."""
        if result is None:
            return MessageItem(0, 0, NoItem())
        return MessageItem(result.item.position, result.item.length, TooShort())

    def in_order(self, items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
        """The items of the response, in the order of the directions that they answer (D-105)."""
        return items

    def place(
        self,
        result: PlaceableResult,
        direction: ResponseItem,
        layout: BufferLayout,
        *,
        by_sends: bool,
    ) -> tuple[RdmaSegment, ...] | None:
        """The memory that a result goes to; None if it is placed by Sends.

        Args:
            result: not too short for the direction.
            direction: of the request.
            layout: of the Requester's buffers.
            by_sends: whether there may be room for what can go either way.
        """
        match direction.xmdrsdi_loc:
            case DirectToExplicitRdma(xmdrsdl_ex=memory):
                return memory
            case DirectByChoice(xmdrsdl_ex=memory):
                return None if by_sends and self.prefers_sends(layout) else memory
            case DirectBySize(xmdrsdl_dsdov=limit, xmdrsdl_bsex=memory):
                return memory if self.goes_by_rdma(result.item.length, limit) else None
            case DirectToSends():
                return None

    def _planned(
        self,
        xid: int,
        credit: int,
        group: IncomingGroup,
        reply: bytes,
        matched: Sequence[Matched],
        layout: BufferLayout,
        *,
        by_sends: bool,
    ) -> PlannedGroup | None:
        entries: list[Entry] = []
        placements: list[PlannedWrite] = []
        reduced: list[DataItem] = []
        for one in matched:
            result = one.result
            if result is None or result.item.length < one.direction.xmdrsdi_minlen:
                entries.append(self.unplaced(result))
                continue
            item = result.item
            reduced.append(item)
            memory = self.place(result, one.direction, layout, by_sends=by_sends)
            data = self._rules.data_to_write(reply, item)
            if memory is None:
                entries.append(BulkItem(item.position, data))
                continue
            chunk = WriteChunk(memory)
            self._rules.judge_room(chunk, item)
            lengths = self._rules.fill(chunk, item.length)
            placements.append(PlannedWrite(data, self._rules.write_schedule(chunk, lengths)))
            returned = self._rules.returned(chunk, lengths)
            entries.append(MessageItem(item.position, item.length, ByExplicitRdma(returned.target)))
        if (
            any(isinstance(entry, BulkItem) and entry.data for entry in entries)
            and not layout.targets
        ):
            raise FaultFound(Fault.WRITE_CHUNK_TOO_SHORT, "no target segment for a result")
        reduced.sort(key=lambda item: item.position)
        payload = self._rules.take_out(reply, reduced)

        def contents(items: tuple[MessageItem, ...], count: int, length: int) -> XmtResp:
            return XmtResp(self.in_order(items), count, length)

        sends = group_sends(xid, credit, payload, entries, contents, layout, self.most(group))
        return None if sends is None else PlannedGroup(tuple(placements), sends)


def _is_in(origin: int, here: ResponseRange) -> bool:
    """Whether an operation is in a range: by its first octet (D-115)."""
    return here.xmdrsdr_begin <= origin < here.xmdrsdr_end


def _is_choice(direction: ResponseItem) -> bool:
    return isinstance(direction.xmdrsdi_loc, DirectByChoice)
