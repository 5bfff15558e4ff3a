"""Which form a message takes, and what is taken out of its Payload stream.

    rfc8166 section 3.4.1  Reducing an XDR Stream
    rfc8166 section 3.5    Message Size (Short, Chunked and Long Messages)
    rfc8166 section 4.3.3  Reply Chunk

`plan_reply` is the Responder's choice; `plan_call` and `plan_results` are the Requester's.  They
are pure functions: what they return is carried out by the roles.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.placement import split
from rpcrdma.ulp.bindings import reduce
from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Transfer
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.endpoint.responder.reply_rules import ReplyRules
    from rpcrdma.ulp.bindings import DataItem, ReplyExpectation
    from rpcrdma.wire import WriteChunk

__all__ = [
    "NO_RESULTS",
    "CallPlan",
    "MessageForm",
    "Placement",
    "ReadPlan",
    "ReplyPlan",
    "ResultsPlan",
    "plan_call",
    "plan_reply",
    "plan_results",
]

READ_SEGMENT: Final = 24
"""Octets that one read segment adds to a header: presence, Position, handle, length, offset."""

CHUNK: Final = 8
"""Octets that a Write or Reply chunk adds, beside its segments, at most: presence and count."""

SEGMENT: Final = 16
"""Octets of a plain segment."""


class MessageForm(Enum):
    """How a message travels."""

    SHORT = auto()  # rfc8166 3.5.1: one Send, nothing reduced
    CHUNKED = auto()  # rfc8166 3.5.2: one Send, items reduced
    LONG = auto()  # rfc8166 3.5.3: the Payload stream itself is in a chunk


# -- the Responder's reply


@dataclass(frozen=True, slots=True)
class Placement:
    """Octets to be written into the Requester's memory."""

    data: bytes
    schedule: tuple[Transfer, ...]


@dataclass(frozen=True, slots=True)
class ReplyPlan:
    """A reply that is ready: what is written, then what is sent."""

    form: MessageForm
    placements: tuple[Placement, ...]
    message: bytes


def plan_reply(
    rules: ReplyRules,
    call: IncomingCall,
    reply: bytes,
    slots: tuple[DataItem | None, ...],
    credit: int,
    threshold: int,
) -> ReplyPlan:
    """Turn an RPC reply into a message, its results into placements.

    Args:
        rules: of the Responder.
        call: with the chunks that were offered.
        reply: unreduced.
        slots: DDP-eligible results of the reply.
        credit: to be granted.
        threshold: the reply inline threshold.

    Raises:
        FaultFound: what the Requester offered does not take the reply.
    """
    placements: list[Placement] = []
    reduced: list[DataItem] = []
    writes: list[WriteChunk] = []
    for chunk, item in zip(call.writes, rules.match(slots, call.writes), strict=True):
        if item is None or rules.is_inline(chunk):
            writes.append(rules.unused(chunk))
            continue
        rules.judge_room(chunk, item)
        data = rules.data_to_write(reply, item)
        lengths = rules.fill(chunk, len(data))
        placements.append(Placement(data, rules.write_schedule(chunk, lengths)))
        writes.append(rules.returned(chunk, lengths))
        reduced.append(item)
    payload = rules.take_out(reply, reduced)
    write_list = rules.reply_writes(writes)

    def header(body: RdmaMsg | RdmaNomsg) -> TransportHeader:
        return TransportHeader(rules.reply_xid(call), rules.reply_version(call), credit, body)

    reads, unused = rules.reply_reads(call), rules.returned_reply_chunk(call.reply)
    message = rules.encode_reply(header(RdmaMsg(reads, write_list, unused)), payload)
    if rules.fits_inline(len(message), threshold):
        form = MessageForm.CHUNKED if reduced else MessageForm.SHORT
        return ReplyPlan(form, tuple(placements), message)
    chunk = rules.reply_chunk_usable(call.reply, len(payload))
    lengths = rules.fill(chunk, len(payload))
    placements.append(Placement(payload, rules.write_schedule(chunk, lengths)))
    body = RdmaNomsg(reads, write_list, rules.used_reply_chunk(chunk, lengths))
    message = rules.encode_reply(header(body), b"")
    if len(message) > threshold:  # D-142: not even the header fits
        raise FaultFound(Fault.REPLY_CHUNK_MISSING, f"its header has {len(message)} octets")
    return ReplyPlan(MessageForm.LONG, tuple(placements), message)


# -- the Requester's call


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """Memory to be read by the Responder: one Read chunk.

    Attributes:
        position: of the chunk.
        pieces: contents of each segment.
    """

    position: int
    pieces: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class CallPlan:
    """How a call travels.

    Attributes:
        form: Short, Chunked or Long.
        inline: what follows the header in the Send.
        reads: the Read chunks.
    """

    form: MessageForm
    inline: bytes
    reads: tuple[ReadPlan, ...]


@dataclass(frozen=True, slots=True)
class ResultsPlan:
    """Memory to be offered for the reply: lengths of segments.

    Attributes:
        writes: for each Write chunk; an empty tuple is an empty Write chunk.
        reply: of the Reply chunk; empty: none.
    """

    writes: tuple[tuple[int, ...], ...] = ()
    reply: tuple[int, ...] = ()

    @property
    def header_length(self) -> int:
        """Octets that these chunks add to a header without chunks."""
        segments = sum(map(len, self.writes)) + len(self.reply)
        return CHUNK * len(self.writes) + (4 if self.reply else 0) + SEGMENT * segments


NO_RESULTS: Final = ResultsPlan()
"""What most calls offer."""


def plan_results(
    expectation: ReplyExpectation, room: int, segment: int, inline_up_to: int, *, always: bool
) -> ResultsPlan:
    """Choose the chunks for the reply.

    Args:
        expectation: of the reply.
        room: octets of the reply that travel by Send beside a header without chunks.
        segment: most octets in one segment.
        inline_up_to: results that can be no longer than this come back in the stream, by an empty
            Write chunk, where a longer one makes a Write list necessary.
        always: offer Write chunks even when the reply fits without.
    """
    if expectation.maximum <= room and not (always and expectation.items):
        return NO_RESULTS
    # rfc8166 4.3.2.2: a result may land in the chunk of an earlier one, so each chunk takes the
    # largest of those that can come to it.
    largest = [max(expectation.items[index:]) for index in range(len(expectation.items))]
    writes = tuple(split(length, segment) if length > inline_up_to else () for length in largest)
    if not any(writes):
        writes = ()
    # What an empty chunk asks for inline, or what another arm of a union returns instead of its
    # item, stays in the stream; so nothing is subtracted but items of chunks that have room, the
    # smallest candidate for each.
    certain = sum(
        length + -length % 4
        for length, chunk in zip(expectation.items, writes, strict=False)
        if chunk
    )
    plan = ResultsPlan(writes)
    spared = max(0, certain - ARM_MARGIN)
    if plan.header_length + expectation.maximum - spared <= room:
        return plan
    return ResultsPlan(writes, split(expectation.maximum, segment))


ARM_MARGIN: Final = 64
"""Octets by which a union's arm without an item may exceed the count word of the arm with one."""


def plan_call(
    payload: bytes,
    items: tuple[DataItem, ...],
    results: ResultsPlan,
    room: int,
    segment: int,
    form: MessageForm | None = None,
) -> CallPlan:
    """Choose the form of a call.

    Args:
        payload: the unreduced call.
        items: its DDP-eligible arguments.
        results: what the header carries for the reply.
        room: octets of the call that travel by Send beside a header without chunks.
        segment: most octets in one segment.
        form: what the caller prefers; a larger form is taken where it does not fit.
    """
    room -= results.header_length
    if form in (None, MessageForm.SHORT) and len(payload) <= room:
        return CallPlan(MessageForm.SHORT, payload, ())
    # rfc8166 3.5.3: what is too large is reduced first.
    kept, data = reduce(payload, items)
    reads = tuple(
        ReadPlan(item.position, _pieces(octets, segment))
        for item, octets in zip(items, data, strict=True)
        if octets
    )
    used = READ_SEGMENT * sum(len(read.pieces) for read in reads)
    if form is not MessageForm.LONG and len(kept) + used <= room:
        return CallPlan(MessageForm.CHUNKED if reads else MessageForm.SHORT, kept, reads)
    return CallPlan(MessageForm.LONG, b"", (ReadPlan(0, _pieces(kept, segment)), *reads))


def _pieces(octets: bytes, most: int) -> tuple[bytes, ...]:
    return tuple(octets[start : start + most] for start in range(0, len(octets), most))
