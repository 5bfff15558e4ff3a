"""Which form a Reply takes, what is taken out of its Payload stream, and where that is written.

    rfc8166 section 3.4.1  Reducing an XDR Stream
    rfc8166 section 3.5    Message Size (Short, Chunked and Long Messages)
    rfc8166 section 4.3.3  Reply Chunk

A pure function: the Responder carries out what it returns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Transfer
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.endpoint.responder.reply_rules import ReplyRules
    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire import WriteChunk

__all__ = ["PlannedWrite", "ReplyPlan", "plan_reply"]


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """Octets to be written into the Requester's memory."""

    data: bytes
    schedule: tuple[Transfer, ...]


@dataclass(frozen=True, slots=True)
class ReplyPlan:
    """A reply that is ready: what is written, then what is sent."""

    form: MessageForm
    placements: tuple[PlannedWrite, ...]
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
    placements: list[PlannedWrite] = []
    reduced: list[DataItem] = []
    writes: list[WriteChunk] = []
    for chunk, item in zip(call.writes, rules.match(slots, call.writes), strict=True):
        if item is None or rules.is_inline(chunk):
            writes.append(rules.unused(chunk))
            continue
        rules.judge_room(chunk, item)
        data = rules.data_to_write(reply, item)
        lengths = rules.fill(chunk, len(data))
        placements.append(PlannedWrite(data, rules.write_schedule(chunk, lengths)))
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
    placements.append(PlannedWrite(payload, rules.write_schedule(chunk, lengths)))
    body = RdmaNomsg(reads, write_list, rules.used_reply_chunk(chunk, lengths))
    message = rules.encode_reply(header(body), b"")
    if len(message) > threshold:  # D-142: not even the header fits
        raise FaultFound(Fault.REPLY_CHUNK_MISSING, f"its header has {len(message)} octets")
    return ReplyPlan(MessageForm.LONG, tuple(placements), message)
