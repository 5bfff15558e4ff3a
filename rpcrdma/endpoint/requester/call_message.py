"""The message of a call with chunks, once all of its memory is registered.

rfc8166 section 4.3  Chunk Lists
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.requester.outgoing import coordinates
from rpcrdma.endpoint.requester.reply_parsing import Offer
from rpcrdma.wire import TransportHeader, WriteChunk

if TYPE_CHECKING:
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.endpoint.requester.request_rules import RequestRules

__all__ = ["frame"]


def frame(call: OutgoingCall, rules: RequestRules, credits_requested: int) -> bytes:
    """The octets of a call; notes what it offers for its reply."""
    reads = tuple(
        segment
        for position, group in call.reads
        for segment in rules.read_segments(rules.position(position), coordinates(group))
    )
    writes = tuple(WriteChunk(coordinates(group)) for group in call.writes)
    reply = WriteChunk(coordinates(call.reply)) if call.reply else None
    call.offer = Offer(writes, reply)
    is_long = call.plan is not None and call.plan.form is MessageForm.LONG
    lists = rules.write_list(writes), rules.reply_chunk(reply)
    body = rules.body(reads, *lists, is_long=is_long)
    header = TransportHeader(rules.xid(call), rules.version(), credits_requested, body)
    return rules.encode(header, call.plan.inline if call.plan is not None else b"")
