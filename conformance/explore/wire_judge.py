"""Judges both ends of every connection by the trace of the Requester's fabric.

What the Requester sends is held against `conformance.oracle.requester.calls`, what the Responder
answers against `conformance.oracle.responder.expected`, and what either does to memory against what
was offered:

    rfc8166 section 4.4.1  Registration Longevity (nobody touches memory once the RPC is over)
    rfc8166 section 8.1.1  memory of one connection is reached on that connection only

RDMA operations of the peer are in a trace of loopback, not in that of a device; where they are
missing, contents that only they could tell are not judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from conformance.explore.answers import judge_answer
from conformance.oracle.backward import BackwardLine
from conformance.oracle.device import Device
from conformance.oracle.memory import ExposedRegions, held_by, within
from conformance.oracle.message_type import message_type
from conformance.oracle.outcome import Answered, Called, as_called, read_outcome
from conformance.oracle.requester.following import follow
from conformance.oracle.responder.expected import expected
from conformance.oracle.responder.state import state_of
from conformance.oracle.verdict import BrokenRule, broken_rule
from reports.record import Verdict
from rpcrdma.errors import DecodeError
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.bindings import DataItem, reduce
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    chunks_for_results,
    decode_header,
    group_by_position,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from conformance.oracle.outcome import Outcome
    from conformance.oracle.requester.tracker import RequesterTracker
    from rpcrdma.endpoint.core.thresholds import InlineThresholds
    from rpcrdma.fabric.trace import TraceEvent
    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["WireJudge"]

_REMOTE: Final = "REMOTE"

_CLIENT: Final = Device()
"""The clients of an exchange are the reference's: they choose no readings."""


@dataclass(slots=True)
class _Region:
    """Memory of the Requester that somebody may reach (a `conformance.oracle.memory.Region`)."""

    handle: int
    offset: int
    data: bytearray
    rights: str
    owner: int | None = None  # XID of the Call that told of it
    valid: bool = True

    @property
    def length(self) -> int:
        return len(self.data)

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        end = self.length if length is None else start + length
        return bytes(self.data[start:end])


@dataclass(slots=True)
class _Line:
    """One connection."""

    tracker: RequesterTracker
    backward: BackwardLine
    regions: dict[int, _Region] = field(default_factory=dict)
    memory: ExposedRegions = field(default_factory=ExposedRegions)
    messages: dict[int, bytes] = field(default_factory=dict)
    repeated: set[int] = field(default_factory=set)  # sent on a connection that was lost before

    def register(self, region: _Region) -> None:
        """Know one more region; who may do what with it is for the fabric to say."""
        self.regions[region.handle] = region
        self.memory.expose(region, read=True, write=True)


class WireJudge:
    """Follows a trace.

    Attributes:
        problems: every rule broken so far.
        warnings: what is tolerated.
    """

    def __init__(
        self,
        layer: UpperLayer,
        payload_of: Callable[[int], bytes | None],
        thresholds: InlineThresholds,
        device: Device,
        *,
        sees_writes: bool = True,
    ) -> None:
        """Begin.

        Args:
            layer: the binding.
            payload_of: the unreduced Call with an XID.
            thresholds: of all connections.
            device: the Responder.
            sees_writes: whether the trace tells what the peer writes.
        """
        self.problems: list[BrokenRule] = []
        self.warnings: list[BrokenRule] = []
        self._layer = layer
        self._payload_of = payload_of
        self._thresholds = thresholds
        self._device = device
        self._sees_writes = sees_writes
        self._lines: dict[int, _Line] = {}
        self._cost: set[int] = set()  # XIDs of Calls that were open when a connection ended

    def take(self, events: Iterable[TraceEvent]) -> None:
        """Judge what happened next."""
        for event in events:
            self._take(event)

    def lost(self, connection: int) -> None:
        """Note that a connection ended: its Calls may be repeated elsewhere."""
        line = self._line(connection)
        self._cost |= {call.xid for call in line.tracker.state.outstanding}

    def exposed(self) -> tuple[int, ...]:
        """Handles under which memory is still within a Responder's reach."""
        regions = [region for line in self._lines.values() for region in line.regions.values()]
        return tuple(item.handle for item in regions if item.valid and _REMOTE in item.rights)

    def _line(self, number: int) -> _Line:
        if number not in self._lines:
            thresholds = self._thresholds
            tracker = follow(
                _CLIENT,
                self._layer,
                call_threshold=thresholds.call,
                reply_threshold=thresholds.reply,
            )
            self._lines[number] = _Line(tracker, BackwardLine(thresholds.reply, thresholds.call))
        return self._lines[number]

    def _take(self, event: TraceEvent) -> None:
        line = self._line(event.connection)
        match event.kind, event.side:
            case EventKind.REGISTER, Side.LOCAL:
                handle, offset = event.handle or 0, event.offset or 0
                data = bytearray(event.length)
                line.register(_Region(handle, offset, data, event.detail))
            case EventKind.INVALIDATE, _:
                line.regions[event.handle or 0].valid = False
            case EventKind.SEND, side:
                self._sent(line, event.data, side)
            case ((EventKind.RDMA_WRITE | EventKind.RDMA_READ), side):
                self._touched(line, event, side)
            case EventKind.DISCONNECT, _:
                self.lost(event.connection)
            case _:
                pass  # says nothing about what either end sent

    def _sent(self, line: _Line, message: bytes, side: Side) -> None:
        """A message of either end, in either direction: the msg_type tells (bidir 1.3.4)."""
        kind = message_type(message)
        if side is Side.LOCAL and kind is MessageType.REPLY:
            for rule in _backward_reply(line.backward, read_outcome(message)):
                self._keep(rule)
        elif side is Side.LOCAL:
            self._called(line, message)
        elif kind is MessageType.CALL:
            for rule in _backward_call(line.backward, as_called(read_outcome(message))):
                self._keep(rule)
        else:
            self._answered(line, message)

    def _called(self, line: _Line, message: bytes) -> None:
        xid = int.from_bytes(message[:4])
        payload = self._payload_of(xid)
        for rule in line.tracker.judge(message, payload):
            self._keep(_about(f"Call {xid:#x}", rule))
        line.messages[xid] = message
        if xid in self._cost:
            line.repeated.add(xid)
        if payload is not None:
            self._tell(line, xid, message, payload)

    def _tell(self, line: _Line, xid: int, message: bytes, payload: bytes) -> None:
        """Note what is in the memory that a Call tells of."""
        try:
            body = decode_header(message)[0].rdma_body
        except DecodeError:
            return
        if not isinstance(body, RdmaMsg | RdmaNomsg):
            return
        chunks = group_by_position(body.rdma_reads)
        items = [DataItem(chunk.position, chunk.length) for chunk in chunks if chunk.position]
        kept, taken = reduce(payload, items)
        contents = dict(zip((item.position for item in items), taken, strict=True)) | {0: kept}
        for chunk in chunks:
            start = 0
            for segment in chunk.target:
                self._own(line, segment, xid)
                region = line.regions.get(segment.handle)
                place = None if region is None else within(segment, region)
                part = contents[chunk.position][start : start + segment.length]
                if region is not None and place is not None and len(part) == segment.length:
                    region.data[place] = part
                start += segment.length
        for target in chunks_for_results(body):
            for segment in target.target:
                self._own(line, segment, xid)

    def _own(self, line: _Line, segment: RdmaSegment, xid: int) -> None:
        region = line.regions.get(segment.handle)
        if region is None or within(segment, region) is None or not region.valid:
            detail = f"Call {xid:#x} tells of memory that is not there: {in_words(segment)}"
            self._keep(broken_rule("rfc8166.3.4.3.header-describes-the-memory", detail))
        elif region.owner not in (None, xid):
            detail = f"Call {xid:#x} tells of memory of Call {region.owner:#x}"
            self._keep(broken_rule("rfc8166.4.4.1.memory-untouched-while-exposed", detail))
        else:
            region.owner = xid

    def _touched(self, line: _Line, event: TraceEvent, side: Side) -> None:
        if side is Side.LOCAL:
            detail = f"the Requester uses {event.kind.value}"
            rule = "rfc8166.3.1.read-write-model-only"
            self._keep(broken_rule(rule, detail, readings=("D-04",)))
            return
        segment = RdmaSegment(event.handle or 0, len(event.data), event.offset or 0)
        region = line.regions.get(segment.handle)
        place = None if region is None else within(segment, region)
        if region is None or place is None:
            return  # refused by the fabric, which says so
        owner = region.owner
        if owner is None or line.tracker.state.call(owner) is None:
            detail = f"{event.kind.value} of memory whose RPC is over"
            self._keep(broken_rule("rfc8166.3.4.3.memory-used-by-responder", detail))
        if event.kind is EventKind.RDMA_WRITE:
            region.data[place] = event.data

    def _answered(self, line: _Line, message: bytes) -> None:
        xid = int.from_bytes(message[:4])
        call = line.tracker.state.call(xid)
        contents = line.memory.contents if self._sees_writes else None
        reaction = line.tracker.answered(message, contents)
        if call is None or reaction.xid is None:
            detail = f"a message for XID {xid:#x}, under which nothing is open"
            self._keep(broken_rule("rfc8166.2.2.2.reply-xid-is-the-calls", detail))
            return
        outcome = read_outcome(message)
        state = state_of(self._device, self._layer, line.memory, receives=self._thresholds.reply)
        judgement = judge_answer(
            expected(line.messages[xid], state),
            outcome,
            held_by(outcome, line.memory) if self._sees_writes else None,
            repeated=xid in line.repeated,
        )
        if judgement.verdict is not Verdict.PASS:
            detail = f"answer to {xid:#x}: {judgement.reason}"
            readings = judgement.interpretations
            self._keep(BrokenRule(judgement.violated, detail, readings, judgement.verdict))

    def _keep(self, rule: BrokenRule) -> None:
        (self.warnings if rule.warns else self.problems).append(rule)


def _about(what: str, rule: BrokenRule) -> BrokenRule:
    """The rule, with what broke it."""
    return replace(rule, detail=f"{what}: {rule.detail}")


def _backward_call(line: BackwardLine, outcome: Outcome) -> Iterator[BrokenRule]:
    """What is wrong with a Call of the server."""
    if isinstance(outcome, Called):
        yield from (_about("backward Call", rule) for rule in line.called(outcome))


def _backward_reply(line: BackwardLine, outcome: Outcome) -> Iterator[BrokenRule]:
    """What is wrong with a Reply of the client, whose program is that of the tests."""
    if not isinstance(outcome, Answered):
        return
    call = line.in_flight.get(outcome.xid)
    yield from (_about("backward Reply", rule) for rule in line.answered(outcome))
    if call is None:
        return
    try:
        wanted = testprog_calls.expected_reply(call)
    except DecodeError as error:
        detail = f"a backward Call that is none: {error}"
        yield broken_rule("rfc8166.4.rpc-layout-is-unchanged", detail)
        return
    if outcome.payload != wanted:
        detail = "a backward Reply that is not the Call's own"
        yield broken_rule("bidir.1.3.4.reply-xid-is-the-calls", detail)
