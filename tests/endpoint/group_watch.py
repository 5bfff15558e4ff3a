"""What a trace shows of transmission groups, judged octet for octet by arithmetic of its own.

rtrext section 4.3  Message Continuation and Credits
rtrext section 5    Using Protocol Additions
rtrext section 7    Data Placement Structures
rtrext section 11   Security Considerations (padding)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.ulp.bindings import restore
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    RTRS_XCONT,
    XMRSFLAG_DDP,
    ByExplicitRdma,
    InTargetedSegments,
    NoItem,
    ReptErr,
    TooShort,
)
from rpcrdma.wire.operations import XmtCont, XmtReq, XmtResp
from rpcrdma.wire.rpc import MessageType
from tests.endpoint.group_parts import Part, part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from rpcrdma.fabric.segments import Placement
    from rpcrdma.fabric.trace import Trace, TraceEvent
    from rpcrdma.wire._generated_rtrext import BufferStructure, MessageItem
    from tests.endpoint.group_ends import EndOptions


class _Segment(NamedTuple):
    """A segment of a buffer: its place among all of them, and what is told of it."""

    place: int
    start: int
    length: int
    align: int
    is_target: bool


class _Landed(NamedTuple):
    """A Send where it landed."""

    part: Part
    placed: tuple[Placement, ...]


def segments_of(structure: BufferStructure | None) -> list[_Segment]:
    """Every segment of a structure; none stands for one that is no target."""
    found: list[_Segment] = []
    start = 0
    for group in () if structure is None else structure.xmrbuf_groups:
        info = group.xmrgrp_info
        for _ in range(group.xmrgrp_count):
            is_target = bool(info.xmrseg_flags & XMRSFLAG_DDP)
            align = max(1, info.xmrseg_align)
            found.append(_Segment(len(found), start, info.xmrseg_length, align, is_target))
            start += info.xmrseg_length
    return found


class Watch:
    """Goes through the events of a trace as they come; a connection that saw harm is let off.

    Args:
        trace: of one end.
        spoiled: Sends that were made wrong on purpose.
    """

    def __init__(self, trace: Trace, spoiled: Callable[[bytes], bool]) -> None:
        self._trace = trace
        self._spoiled = spoiled
        self._seen = 0
        self._connection = 0
        self.is_harmed = False

    def look(self) -> None:
        """Judge what has happened since the last look."""
        new = self._trace.events[self._seen :]
        self._seen += len(new)
        for event in new:
            if event.connection != self._connection:
                self._connection = event.connection
                self.is_harmed = False
                self.begin()
            if event.kind is EventKind.SEND and self._spoiled(event.data):
                self.is_harmed = True
            if not self.is_harmed:
                self.judge(event)

    def begin(self) -> None:
        """A new connection."""
        raise NotImplementedError

    def judge(self, event: TraceEvent) -> None:
        """One event."""
        raise NotImplementedError


class LandingWatch(Watch):
    """Judges how messages land at the end whose trace it is.

    Args:
        trace: of that end.
        spoiled: as for any watch.
        end: how the end was made.
        message: the unreduced message under an XID that is on its way to this end.
    """

    def __init__(
        self,
        trace: Trace,
        spoiled: Callable[[bytes], bool],
        end: EndOptions,
        message: Callable[[int], bytes],
    ) -> None:
        super().__init__(trace, spoiled)
        self._longest = end.longest
        self._message = message
        self._targets = [one for one in segments_of(end.reductions.structure) if one.is_target]
        self._group: list[_Landed] = []

    def begin(self) -> None:
        self._group = []

    def judge(self, event: TraceEvent) -> None:
        assert "no Receive is posted" not in event.detail, event
        if event.kind is not EventKind.SEND or event.side is not Side.PEER:
            return
        assert len(event.data) <= self._longest, f"{len(event.data)} octets"
        part = part_of(event.data)
        if isinstance(part.contents, XmtCont):
            assert self._group, "a continuation of nothing"
            first = self._group[0].part
            assert part.xid == first.xid
            assert part.contents.optxc_xnum == len(self._group)
        else:
            assert not self._group, "a message within a group"
            if not part.begins:
                return
        self._group.append(_Landed(part, event.placed))
        if len(self._group) == self._group[0].part.begins:
            self._judge_group(self._group)
            self._group = []

    def _judge_group(self, group: Sequence[_Landed]) -> None:
        """The message is whole, and nothing else is in its Sends."""
        first = group[0].part
        message = self._message(first.xid)
        spans = [[(0, landed.part.front)] for landed in group]
        items = []
        for item in first.items:
            match item.xmdmi_where:
                case InTargetedSegments():
                    data = self._gather(group, item, spans)
                    items.append((item.xmdmi_disp, data))
                case ByExplicitRdma():
                    begin = item.xmdmi_disp
                    items.append((begin, message[begin : begin + item.xmdmi_length]))
                case TooShort() | NoItem():
                    pass
        payload = b"".join(one.part.octets[one.part.end : one.part.front] for one in group)
        assert restore(payload, sorted(items)) == message, "another message than was sent"
        for landed, used in zip(group, spans, strict=True):
            _judge_rest(landed.part.octets, used)

    def _gather(
        self, group: Sequence[_Landed], item: MessageItem, spans: list[list[tuple[int, int]]]
    ) -> bytes:
        """The octets of an item, which lie aligned in target segments, by their address."""
        where = item.xmdmi_where
        assert isinstance(where, InTargetedSegments)
        assert self._targets or not item.xmdmi_length, "bulk data without a target"
        data, offset = [], where.xmdl_offset
        left = item.xmdmi_length
        for number in where.xmdl_bsnum:
            assert left, "a segment too many"
            send, index = divmod(number, len(self._targets))
            target = self._targets[index]
            start, taken = target.start + offset, min(left, target.length - offset)
            assert 0 <= offset < target.length
            assert start + taken <= len(group[send].part.octets), "beyond the Send"
            _judge_address(group[send].placed, target, offset)
            spans[send].append((start, start + taken))
            data.append(group[send].part.octets[start : start + taken])
            left, offset = left - taken, 0
        assert not left, f"{left} octets are nowhere"
        return b"".join(data)


def _judge_address(placed: Sequence[Placement], target: _Segment, offset: int) -> None:
    """Bulk data begin at a multiple of the alignment that was promised."""
    if target.align > 1:
        address = placed[target.place].address if placed else None
        assert address is not None, "an aligned segment lies anywhere"
        assert (address + offset) % target.align == 0, f"{address + offset:#x} of {target}"


def _judge_rest(send: bytes, used: list[tuple[int, int]]) -> None:
    """No octet is used twice, those that are not used are zero, and the last one is used."""
    reached = 0
    for start, end in sorted(used):
        assert start >= reached, f"octet {start} is used twice"
        assert not any(send[reached:start]), "old octets in the padding"
        reached = end
    assert reached == len(send), f"{len(send) - reached} octets for nothing"


class CreditWatch(Watch):
    """Judges what a client sends, and how it is answered, by its trace.

    Args:
        trace: of the client.
        spoiled: as for any watch.
        client: how it was made.
        server: likewise.
    """

    def __init__(
        self,
        trace: Trace,
        spoiled: Callable[[bytes], bool],
        client: EndOptions,
        server: EndOptions,
    ) -> None:
        super().__init__(trace, spoiled)
        is_continued = server.told.rtr_support & RTRS_XCONT
        longest = server.told.request_limit if is_continued else 1
        self._most = min(client.reductions.send_limit, longest)
        self._response_limit = server.told.response_limit
        self._may_refuse = server.is_boasting
        self.begin()

    def begin(self) -> None:
        self._limit = 1
        self._in_flight: dict[int, list[Part]] = {}

    def judge(self, event: TraceEvent) -> None:
        if event.kind is EventKind.SEND and event.side is Side.LOCAL:
            self._sent(part_of(event.data))
        elif event.kind is EventKind.SEND:
            self._received(part_of(event.data))

    def _sent(self, part: Part) -> None:
        """No more Sends are in flight than there are credits (D-109)."""
        assert not isinstance(part.contents, ReptErr), f"a report: {part.contents}"
        parts = self._in_flight.setdefault(part.xid, [])
        parts.append(part)
        assert parts[0].begins <= self._most, f"{parts[0].begins} Sends, {self._most} are taken"
        in_flight = sum(map(len, self._in_flight.values()))
        assert in_flight <= self._limit, f"{in_flight} Sends in flight, {self._limit} credits"

    def _received(self, part: Part) -> None:
        if isinstance(part.contents, XmtCont):
            return
        if isinstance(part.contents, ReptErr) or isinstance(part.body, v2.Rdma2Error):
            self._refused(part)
            return
        assert v2.direction_of(part.body) is MessageType.REPLY
        # The trace has a smaller grant before the Requester has looked at it.
        self._limit = max(self._limit, part.credit)
        request = self._in_flight.pop(part.xid)[0].contents
        directions = request.optxrq_rsd if isinstance(request, XmtReq) else ()
        if isinstance(part.contents, XmtResp):
            assert isinstance(request, XmtReq), "a group answers what was none (D-116)"
            most = min(self._response_limit, max(1, request.optxrq_rsbuf))
            assert part.begins <= most, f"{part.begins} transmissions, {most} are provided for"
        else:
            assert not directions, "directions without an answer (D-116)"

    def _refused(self, part: Part) -> None:
        """The peer refuses what it says it supports, perhaps each transmission for itself."""
        assert self._may_refuse, part.contents or part.body
        parts = self._in_flight.get(part.xid)
        if parts and parts[0].begins:
            del self._in_flight[part.xid]


def left_registered(trace: Trace, connection: int) -> Collection[int]:
    """Handles that the peer could still use."""
    registered: dict[int, None] = {}
    for event in trace.events:
        if event.connection != connection or event.handle is None:
            continue
        if event.kind is EventKind.REGISTER:
            registered[event.handle] = None
        elif event.kind is EventKind.INVALIDATE:
            registered.pop(event.handle, None)
    return registered


def receives_posted(trace: Trace, connection: int) -> int:
    """Receives that are posted and not used up."""
    here = [event for event in trace.events if event.connection == connection]
    posted = sum(event.kind is EventKind.POST_RECEIVE for event in here)
    used = sum(event.kind is EventKind.SEND and event.side is Side.PEER for event in here)
    return posted - used
