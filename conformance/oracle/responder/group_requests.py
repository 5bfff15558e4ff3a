"""The oracle's view of a request that came whole in a transmission group.

    rtrext section 6.2  Data Placement Preliminaries (table 1)
    rtrext section 7.3  Message DDP Structures
    rtrext section 7.4  Response Direction DDP Structures
    rtrext section 9.2  Transmit Request Operation

What its items and Sends give is an RPC Call, which is judged as any other
(`conformance.oracle.responder.calls`).  Items by explicit RDMA are Read chunks, and memory of
directions is that of Write chunks (7.3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.outcome import Answered, ErrChunk
from conformance.oracle.responder.calls import expected_of_stream
from conformance.oracle.responder.chunks import (
    CallStream,
    excuses,
    fetch,
    ineligible,
    unreadable_answers,
    violation_answers,
)
from conformance.oracle.responder.expectation import Expectation, may_answer
from conformance.oracle.responder.group_request import GroupRequest, memory_of
from conformance.oracle.responder.groups import reported, uncoded
from conformance.oracle.transmissions import GroupAnswered
from rpcrdma.ulp.bindings import restore
from rpcrdma.wire import RdmaMsg, ReadSegment, TransportHeader, WriteChunk, group_by_position
from rpcrdma.wire._generated_rtrext import (
    BadOffset,
    BadTargetSegment,
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    InTargetedSegments,
    NoItem,
    ReportedError,
    TooShort,
)
from rpcrdma.wire.operations import XmtReq
from rpcrdma.wire.placed_items import PlacementFault, gather, spans_of
from rpcrdma.wire.send_placement import BulkItem, arrange

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.oracle.responder.expectation import Answer, ResponderState
    from conformance.oracle.responder.groups import GroupSend
    from conformance.oracle.verdict import Alternative
    from rpcrdma.ulp.bindings import ReplyExpectation
    from rpcrdma.wire._generated_rtrext import MessageItem, ResponseSet
    from rpcrdma.wire.buffers import BufferLayout

__all__ = ["expected_of_request", "has_room"]

_UNIT: Final = 4
_RESULT_ITEM: Final = "rtrext.6.2.result-as-item-of-a-request"
_PLACEMENT: Final = "rtrext.5.4.faulty-placement-is-reported"
_BADOFF: Final = "rtrext.9.5.badoff"
_BADPL: Final = "rtrext.9.5.badpl"
_BADTBSN: Final = "rtrext.9.5.badtbsn"
_DISPLACED: Final = "rtrext.7.3.displacement-of-an-item"
_RANGES: Final = ("rtrext.7.4.ranges-are-disjoint", "rtrext.7.4.ranges-ascend")
_ANSWERED: Final = "rtrext.7.4.every-direction-is-answered"
_RESPONSE_HEADER: Final = 28 + 12 + 24
"""Octets of the header of a response with an item; each segment of it takes more."""


def expected_of_request(parts: Sequence[GroupSend], state: ResponderState) -> Expectation:
    """What may answer a request that is whole.

    Args:
        parts: its Sends, as many as it says.
        state: what is known of the device and the connection.
    """
    request = parts[0].contents
    if not isinstance(request, XmtReq):
        raise TypeError(f"{type(request).__name__} begins no request")
    payload = b"".join(part.payload for part in parts)
    xid = parts[0].xid
    fault, allowed = _faults(request, parts, len(payload), state)
    if fault:
        return Expectation(fault, allowed, xid, VERSION_TWO)
    body = _as_chunks(request)
    placed = _placed(request.optxrq_ddp, parts, state)
    chunks = group_by_position(body.rdma_reads)
    tolerated = excuses(body, chunks, payload, state, VERSION_TWO)
    fetched: list[tuple[int, bytes]] = []
    for chunk in chunks:
        data = fetch(chunk, state)
        if data is None:
            failed = unreadable_answers(VERSION_TWO)
            fault = "memory of an item cannot be read"
            return Expectation(fault, (*failed, *tolerated), xid, VERSION_TWO)
        fetched.append((chunk.position, data))
    items = sorted((*placed, *fetched))
    octets = restore(payload, items)
    header = TransportHeader(xid, VERSION_TWO, 0, body)
    asked = GroupRequest(xid, request.optxrq_rsd, request.optxrq_rsbuf, octets)
    result = Expectation("", (), xid, VERSION_TWO, call=header, group=asked, state=state)
    layer = state.upper_layer
    problem = "" if layer is None or not items else ineligible(octets, items, layer)
    if problem:
        refusals = (*violation_answers(state, VERSION_TWO), *tolerated)
        return replace(result, fault=problem, allowed=_by_either(refusals, asked))
    stream = _GroupStream(body, octets, "", (), tolerated, asked, state)
    judged = expected_of_stream(result, stream, state)
    allowed = (*_by_either(judged.allowed, asked), *_unaligned(request, parts))
    return replace(judged, allowed=allowed)


@dataclass(frozen=True, slots=True)
class _GroupStream(CallStream):
    """The Call that a group gives; its results have the room of a response."""

    asked: GroupRequest | None = None
    state: ResponderState | None = None

    @override
    def has_room_for(self, reply: ReplyExpectation, threshold: int) -> bool:
        """Whether the largest response fits the transmissions that it may have (5.2, 8.5)."""
        if self.asked is None or self.state is None:
            raise TypeError("a stream of a group knows its request")
        return has_room(self.asked, reply, self.state)


def has_room(asked: GroupRequest, reply: ReplyExpectation, state: ResponderState) -> bool:
    """Whether the largest response fits where a request and the limit of the device allow it.

    Args:
        asked: the request.
        reply: what its program may answer.
        state: of the device, which tells how many transmissions it sends at most (5.2, 8.5).
    """
    layout = state.requester.layout
    payload = reply.maximum
    bulk = []
    directions = [item for one in asked.directions for item in one.xmdrsds_items]
    for largest, direction in zip(reply.items, directions, strict=False):
        memory = memory_of(direction)
        room = sum(segment.length for segment in memory)
        match direction.xmdrsdi_loc:
            case DirectToExplicitRdma() | DirectByChoice():
                by_sends = False
            case DirectBySize(xmdrsdl_dsdov=limit):
                by_sends = largest <= limit
            case _:
                by_sends = True
        if not by_sends and room < largest:
            return False
        if by_sends and largest and not layout.targets:
            return False
        payload -= largest + -largest % _UNIT
        if by_sends:
            bulk.append(BulkItem(0, bytes(largest)))
    segments = sum(len(memory_of(direction)) for direction in directions)
    header = _RESPONSE_HEADER + 24 * len(directions) + 16 * segments
    most = min(state.own.response_limit, max(1, asked.reserve))

    def first_header(items: tuple[MessageItem, ...]) -> int:
        numbers = (item.xmdmi_where for item in items)
        words = sum(len(one.xmdl_bsnum) for one in numbers if isinstance(one, InTargetedSegments))
        return header + _UNIT * words

    arranged = arrange(layout, bytes(max(0, payload)), bulk, first_header, most=most)
    return arranged is not None


def _unaligned(request: XmtReq, parts: Sequence[GroupSend]) -> Iterator[Alternative[Answer]]:
    """What may be reported of parts and offsets that are no multiples of four (D-121)."""
    unaligned = ("D-111", "D-121")
    if any(part.length % _UNIT for part in parts[:-1]):
        yield reported((_BADPL,), {ReportedError.OPTRERR_BADPL}, unaligned)
        yield may_answer(ErrChunk, (_BADPL,), VERSION_TWO, unaligned)
    places = [item.xmdmi_where for item in request.optxrq_ddp]
    if any(isinstance(one, InTargetedSegments) and one.xmdl_offset % _UNIT for one in places):
        yield reported((_BADOFF,), {ReportedError.OPTRERR_BADOFF}, unaligned)
        yield may_answer(ErrChunk, (_BADOFF,), VERSION_TWO, unaligned)


def _by_either(
    allowed: Sequence[Alternative[Answer]], asked: GroupRequest
) -> tuple[Alternative[Answer], ...]:
    """Where a Reply may come it may be an XMTRESP, and must if there are directions (D-116)."""
    found: list[Alternative[Answer]] = []
    for one in allowed:
        if one.kind.outcome is not Answered:
            found.append(one)
            continue
        response = replace(one, kind=replace(one.kind, outcome=GroupAnswered))
        found.append(response)
        if not asked.directions:
            found.append(one)
    return tuple(found)


def _as_chunks(request: XmtReq) -> RdmaMsg:
    """The memory of a request, as the lists of a Call would have it (7.3)."""
    reads = tuple(
        ReadSegment(item.xmdmi_disp, segment)
        for item in request.optxrq_ddp
        if isinstance(item.xmdmi_where, ByExplicitRdma)
        for segment in item.xmdmi_where.xmdl_ex
    )
    offered = (memory_of(item) for one in request.optxrq_rsd for item in one.xmdrsds_items)
    return RdmaMsg(reads, tuple(WriteChunk(memory) for memory in offered if memory), None)


def _placed(
    items: Sequence[MessageItem], parts: Sequence[GroupSend], state: ResponderState
) -> Iterator[tuple[int, bytes]]:
    """Displacement and octets of what the Sends hold; raises PlacementFault."""
    sends = [part.octets for part in parts]
    spans = spans_of(
        state.own.layout, items, [len(send) for send in sends], [part.front for part in parts]
    )
    for item, places in zip(items, spans, strict=True):
        if isinstance(item.xmdmi_where, InTargetedSegments):
            yield item.xmdmi_disp, gather(sends, places)


def _faults(
    request: XmtReq, parts: Sequence[GroupSend], payload: int, state: ResponderState
) -> tuple[str, tuple[Alternative[Answer], ...]]:
    """What is wrong with the placement of a request, and what may answer it; or nothing."""
    items = request.optxrq_ddp
    for item in items:
        if isinstance(item.xmdmi_where, TooShort | NoItem):
            return "an item that only a response can have", uncoded((_RESULT_ITEM,))
    # Which of several faults is found first is the device's own affair.
    found: list[tuple[str, tuple[Alternative[Answer], ...]]] = []
    problem = _misplaced(items, payload)
    if problem:
        found.append((problem, uncoded((_DISPLACED,))))
    problem = _wrong_ranges(request.optxrq_rsd)
    if problem:
        found.append((problem, uncoded(_RANGES)))
    try:
        tuple(_placed(items, parts, state))
    except PlacementFault as fault:
        found.append((str(fault), _placement_answers(fault, parts, state.own.layout)))
    faults = "; ".join(fault for fault, _ in found)
    return faults, tuple(dict.fromkeys(answer for _, answers in found for answer in answers))


def _placement_answers(
    fault: PlacementFault, parts: Sequence[GroupSend], layout: BufferLayout
) -> tuple[Alternative[Answer], ...]:
    """What may answer bulk data that are not where they can be."""
    rules = (fault.requirement, _PLACEMENT)
    if isinstance(fault.info, BadOffset):
        # D-111: an offset may be taken for a header that cannot be decoded.
        rule = (_BADOFF, _PLACEMENT)
        return (
            reported(rule, {ReportedError.OPTRERR_BADOFF}),
            may_answer(ErrChunk, rule, VERSION_TWO, ("D-111",)),
        )
    if isinstance(fault.info, BadTargetSegment):
        codes = _codes_of(fault.info.optri_value, parts, layout)
        return (reported((_BADTBSN, _PLACEMENT), codes, ("D-118",)),)
    return uncoded(rules)


def _codes_of(number: int, parts: Sequence[GroupSend], layout: BufferLayout) -> set[ReportedError]:
    """What may be reported of a target segment that cannot hold an item."""
    codes = {ReportedError.OPTRERR_BADTBSN}
    if number < len(parts) * len(layout.targets):
        send, target = layout.target(number)
        # Either the number or the offset leads to octets that there are not, or that are taken.
        codes.add(ReportedError.OPTRERR_BADOFF)
        if target.start < parts[send].front:
            codes.add(ReportedError.OPTRERR_BADPL)
    return codes


def _misplaced(items: Sequence[MessageItem], payload: int) -> str:
    """Items that overlap in the virtual XDR stream, or lie beyond it, or in an XDR unit (D-106)."""
    places = sorted((item.xmdmi_disp, item.xmdmi_length) for item in items)
    ends = [(start, start + length + -length % _UNIT) for start, length in places]
    for start, _ in ends:
        if start % _UNIT:
            return f"displacement {start} is no multiple of four"
    for (_, end), (start, _) in pairwise(ends):
        if start < end:
            return f"displacement {start} is within the item before it"
    whole = payload + sum(end - start for start, end in ends)
    if ends and ends[-1][1] > whole:
        return f"displacement {ends[-1][0]} in a stream of {whole} octets"
    return ""


def _wrong_ranges(directions: Sequence[ResponseSet]) -> str:
    ranges = [one.xmdrsds_range for one in directions]
    for one in ranges:
        if one.xmdrsdr_end < one.xmdrsdr_begin:
            return f"a range from {one.xmdrsdr_begin} to {one.xmdrsdr_end}"
    for first, second in pairwise(ranges):
        if second.xmdrsdr_begin < first.xmdrsdr_end:
            return f"a range from {second.xmdrsdr_begin} after one to {first.xmdrsdr_end}"
    return ""
