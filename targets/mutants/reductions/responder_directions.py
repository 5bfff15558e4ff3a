"""Mutants: how a server goes by directions, and how much it sends (rtrext 3 to 8)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.actions import Transfer
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.group_reply import GroupReplies, Matched, PlaceableResult
from rpcrdma.endpoint.responder.plan import PlannedWrite
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire._generated_rtrext import (
    DirectToExplicitRdma,
    MessageItem,
    NoItem,
    TooShort,
)
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.endpoint.responder.group_reply import PlannedGroup
    from rpcrdma.endpoint.responder.group_rules import IncomingGroup
    from rpcrdma.wire import RdmaSegment
    from rpcrdma.wire._generated_rtrext import ResponseItem, ResponseSet
    from rpcrdma.wire.buffers import BufferLayout

FAR: Final = 4096
"""Octets of a reply after which a result is in no first transmission."""

TAIL: Final = 64
"""Octets at the end of a reply that are no eligible result."""


@mutant(breaks="rtrext.3.3.only-eligible-items-leave-the-stream")
class PlacesWhatIsNotEligible(GroupReplies):
    """Places the end of a reply by a direction for which there is no result."""

    def plan(
        self,
        xid: int,
        credit: int,
        group: IncomingGroup,
        reply: bytes,
        results: Sequence[PlaceableResult],
        layout: BufferLayout,
    ) -> PlannedGroup:
        if not results and len(reply) > FAR // 16:
            results = [PlaceableResult(0, DataItem(len(reply) - TAIL, TAIL))]
        return super().plan(xid, credit, group, reply, results, layout)


@mutant(
    breaks="rtrext.3.4.facilities-without-send-based-placement",
    also_trips=dict.fromkeys(
        (
            "rtrext.5.1.headers-without-the-features",
            "rtrext.5.3.sending-and-receiving-are-separate",
            "rtrext.8.1.default-of-the-buffer-structure",
        ),
        "a Requester without targets gives directions there, too, and is refused",
    ),
)
class AnswersDirectionsOfThoseWithTargetsOnly(GroupReplies):
    """Refuses the directions of a Requester that has told of no target."""

    def plan(
        self,
        xid: int,
        credit: int,
        group: IncomingGroup,
        reply: bytes,
        results: Sequence[PlaceableResult],
        layout: BufferLayout,
    ) -> PlannedGroup:
        if group.directions and not layout.targets:
            raise FaultFound(Fault.RESPONSE_RANGES, "directions")
        return super().plan(xid, credit, group, reply, results, layout)


@mutant(
    breaks="rtrext.4.3.no-reply-chunk-where-responses-continue",
    also_trips=dict.fromkeys(
        (
            "rtrext.3.3.only-eligible-items-leave-the-stream",
            "rtrext.4.2.",
            "rtrext.5.2.response-stays-within-the-reserve",
            "rtrext.5.4.error-reports-are-supported",
            "rtrext.6.2.target-segments-are-numbered",
            "rtrext.7.1.directions-apply-to-the-whole-response",
            "rtrext.7.2.segment-length",
            "rtrext.7.3.all-bulk-data-are-listed",
            "rtrext.7.4.every-direction-is-answered",
            "rtrext.8.3.size-follows-from-the-structure",
            "rtrext.8.5.no-response-beyond-the-limit",
            "rtrext.9.1.",
            "rtrext.9.2.no-directions-may-be-given",
            "rtrext.9.3.",
            "rtrext.9.4.parts-are-the-payload-stream",
            "rtrext.11.padding-tells-nothing",
        ),
        "a Reply that needs several transmissions does not come, whatever is looked at",
    ),
)
class ContinuesNoResponse(GroupReplies):
    """Sends responses of one transmission only."""

    def most(self, group: IncomingGroup) -> int:
        return 1


@mutant(breaks="rtrext.5.2.response-stays-within-the-reserve")
class TakesNoteOfNoReserve(GroupReplies):
    """Sends as many transmissions as it needs, whatever is reserved for them."""

    def most(self, group: IncomingGroup) -> int:
        return self._limit


@mutant(breaks="rtrext.8.5.no-response-beyond-the-limit")
class SendsMoreThanItTells(GroupReplies):
    """Sends as many transmissions as are reserved, though it has told of fewer."""

    def most(self, group: IncomingGroup) -> int:
        return group.most


@mutant(breaks="rtrext.6.2.bysize-goes-by-the-length")
class GoesByTheLengthTheOtherWay(GroupReplies):
    """Places longer results by Sends, and shorter ones by explicit RDMA."""

    def goes_by_rdma(self, length: int, limit: int) -> bool:
        return not super().goes_by_rdma(length, limit)


@mutant(breaks="rtrext.6.2.tooshort-is-an-item-left-inline")
class SaysTooShortOfWhatIsNot(GroupReplies):
    """Leaves results by explicit RDMA in the stream as too short, however long they are."""

    def match(
        self, directions: Sequence[ResponseSet], results: Sequence[PlaceableResult]
    ) -> Iterator[Matched]:
        for one in super().match(directions, results):
            if isinstance(one.direction.xmdrsdi_loc, DirectToExplicitRdma):
                never = msgspec.structs.replace(one.direction, xmdrsdi_minlen=2**32 - 1)
                yield Matched(never, one.result)
            else:
                yield one


@mutant(breaks="rtrext.6.2.noitem-is-a-direction-left-over")
class SaysTooShortOfWhatThereIsNot(GroupReplies):
    """Answers a direction that is left over by TOOSHORT."""

    def unplaced(self, result: PlaceableResult | None) -> MessageItem:
        return MessageItem(0, 0, TooShort()) if result is None else super().unplaced(result)


@mutant(breaks="rtrext.7.4.one-direction-for-one-item")
class SaysThatThereIsNoSmallResult(GroupReplies):
    """Answers the direction of a result that is too small by NOITEM."""

    def unplaced(self, result: PlaceableResult | None) -> MessageItem:
        return MessageItem(0, 0, NoItem())


@mutant(
    breaks="rtrext.7.1.directions-apply-to-the-whole-response",
    also_trips={
        "rtrext.7.4.one-direction-for-one-item": (
            "the direction of a result further on comes back as left over"
        ),
    },
)
class DirectsTheFirstTransmissionAlone(GroupReplies):
    """Passes over results whose place is not in the first octets of the reply."""

    def match(
        self, directions: Sequence[ResponseSet], results: Sequence[PlaceableResult]
    ) -> Iterator[Matched]:
        near = [result for result in results if result.item.position < FAR]
        return super().match(directions, near)


@mutant(breaks="rtrext.7.4.directions-hold-within-their-range")
class HeedsNoRange(GroupReplies):
    """Applies directions to all results, whatever their range."""

    def match(
        self, directions: Sequence[ResponseSet], results: Sequence[PlaceableResult]
    ) -> Iterator[Matched]:
        left = iter(results)
        for one in directions:
            for direction in one.xmdrsds_items:
                yield Matched(direction, next(left, None))


@mutant(breaks="rtrext.7.4.small-items-stay-inline")
class HeedsNoSmallestLength(GroupReplies):
    """Places results that are smaller than their directions ask for."""

    def match(
        self, directions: Sequence[ResponseSet], results: Sequence[PlaceableResult]
    ) -> Iterator[Matched]:
        for one in super().match(directions, results):
            any_length = msgspec.structs.replace(one.direction, xmdrsdi_minlen=0)
            yield Matched(any_length, one.result)


@mutant(breaks="rtrext.7.4.small-item-uses-its-direction-up")
class KeepsTheDirectionOfASmallResult(GroupReplies):
    """Uses the direction of a result that is too small for the next result."""

    def match(
        self, directions: Sequence[ResponseSet], results: Sequence[PlaceableResult]
    ) -> Iterator[Matched]:
        least = min(
            (item.xmdrsdi_minlen for one in directions for item in one.xmdrsds_items), default=0
        )
        most = max(
            (item.xmdrsdi_minlen for one in directions for item in one.xmdrsds_items), default=0
        )
        if least != most:
            results = [result for result in results if result.item.length >= most]
        return super().match(directions, results)


@mutant(breaks="rtrext.7.4.memory-of-a-small-item-is-left-alone")
class WritesSmallResultsAllTheSame(GroupReplies):
    """Writes to the memory of a direction whose result it leaves in the stream."""

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
        more = [
            PlannedWrite(bytes(4), (Transfer(0, 4, memory[0].handle, memory[0].offset),))
            for one in self.match(group.directions, results)
            if one.result is not None
            and one.result.item.length < one.direction.xmdrsdi_minlen
            and (memory := _memory(one.direction))
        ]
        return replace(planned, placements=(*planned.placements, *more))


def _memory(direction: ResponseItem) -> tuple[RdmaSegment, ...]:
    where = direction.xmdrsdi_loc
    return where.xmdrsdl_ex if isinstance(where, DirectToExplicitRdma) else ()


@mutant(breaks="rtrext.7.4.answers-to-exrw")
class PlacesBySendsWhatIsForMemory(GroupReplies):
    """Places in Sends what is directed to memory."""

    def place(
        self,
        result: PlaceableResult,
        direction: ResponseItem,
        layout: BufferLayout,
        *,
        by_sends: bool,
    ) -> tuple[RdmaSegment, ...] | None:
        memory = super().place(result, direction, layout, by_sends=by_sends)
        is_for_memory = isinstance(direction.xmdrsdi_loc, DirectToExplicitRdma)
        return None if is_for_memory and layout.targets else memory


@mutant(breaks="rtrext.7.4.every-direction-is-answered")
class ChoosesBeforeItCounts(GroupReplies):
    """Chooses Sends also where these are too few, and refuses the request then."""

    def place(
        self,
        result: PlaceableResult,
        direction: ResponseItem,
        layout: BufferLayout,
        *,
        by_sends: bool,
    ) -> tuple[RdmaSegment, ...] | None:
        return super().place(result, direction, layout, by_sends=True)


@mutant(breaks="rtrext.7.4.every-direction-is-answered")
class GoesByTheLatestDirections(Responder):
    """Answers a request that waits by the directions of the one that came last."""

    def _accept(self, call: IncomingCall) -> list[Action]:
        waiting = list(self._executing.calls())
        for one in waiting:
            _, payload = self._executing.take(one.xid, newest=False)
            latest = replace(one, group=call.group or one.group)
            self._executing.add(one.xid, latest, payload)
        return super()._accept(call)
