"""What every Reply of a Responder must look like, given the Call that it answers.

    rfc8166 section 3.4.6  Write Chunks
    rfc8166 section 4.3    Chunk Lists
    rfc8166 section 6.1    DDP-Eligibility (not here: it takes the binding)

In Version Two they go on under other ids (`conformance.catalogue.counterparts`).

These rules need the transport header of the Call and the Reply, nothing else, so they hold for any
program.  The content of chunks is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader, WriteChunk, chunk_length
from rpcrdma.wire.rpc import ReplyBody, decode_message

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BrokenRule", "broken_rules"]


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """One rule that a Reply breaks: the requirement's id, what is wrong, readings relied on."""

    requirement: str
    detail: str
    interpretations: tuple[str, ...] = ()


def broken_rules(
    call: TransportHeader, reply: TransportHeader, payload: bytes | None, *, unused: str = "either"
) -> tuple[BrokenRule, ...]:
    """The rules that a Reply breaks.

    Args:
        call: header of the Call, an RDMA_MSG or RDMA_NOMSG.
        reply: header of the Reply, of the same two kinds.
        payload: the Reply's Payload stream, reduced or not; None if it could not be had.
        unused: reading of D-19 for a Reply chunk that was offered and not used.
    """
    found = [*_fixed_words(call, reply)]
    asked, given = call.rdma_body, reply.rdma_body
    if isinstance(asked, RdmaMsg | RdmaNomsg) and isinstance(given, RdmaMsg | RdmaNomsg):
        if given.rdma_reads:
            count = len(given.rdma_reads)
            detail = f"the Read list of the Reply has {count} segments"
            found.append(BrokenRule("rfc8166.4.3.1.read-list-empty-in-replies", detail))
        found += _write_list(asked.rdma_writes, given.rdma_writes)
        found += _reply_chunk(asked.rdma_reply, given, unused)
    if payload is not None:
        found += _payload(reply, payload)
    return tuple(found)


def _fixed_words(call: TransportHeader, reply: TransportHeader) -> Iterator[BrokenRule]:
    if reply.rdma_xid != call.rdma_xid:
        detail = f"rdma_xid is {reply.rdma_xid:#010x}, that of the Call {call.rdma_xid:#010x}"
        yield BrokenRule("rfc8166.2.2.2.reply-xid-is-the-calls", detail)
    if reply.rdma_vers != call.rdma_vers:
        yield BrokenRule("rfc8166.4.2.2.version-is-one", f"rdma_vers is {reply.rdma_vers}")
    if reply.rdma_credit == 0:
        yield BrokenRule("rfc8166.3.3.1.grant-is-never-zero", "rdma_credit is 0")


def _write_list(
    asked: tuple[WriteChunk, ...], given: tuple[WriteChunk, ...]
) -> Iterator[BrokenRule]:
    if len(asked) != len(given):
        detail = f"{len(asked)} Write chunks were offered and {len(given)} came back"
        yield BrokenRule("rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused", detail)
        return
    for number, (offered, returned) in enumerate(zip(asked, given, strict=True)):
        name = f"Write chunk {number}"
        if not offered.target and returned.target:
            detail = f"{name} was empty and came back with {len(returned.target)} segments"
            yield BrokenRule("rfc8166.4.3.2.3.empty-chunk-returned-empty", detail)
        else:
            yield from _returned_chunk(name, offered, returned)


def _returned_chunk(name: str, offered: WriteChunk, returned: WriteChunk) -> Iterator[BrokenRule]:
    if len(offered.target) != len(returned.target):
        detail = f"{name}: {len(offered.target)} segments offered, {len(returned.target)} returned"
        yield BrokenRule("rfc8166.3.4.6.segment-count-returned", detail)
        return
    full = True
    for number, (before, after) in enumerate(zip(offered.target, returned.target, strict=True)):
        where = f"{name}, segment {number}"
        if (before.handle, before.offset) != (after.handle, after.offset):
            detail = f"{where} came back with another handle or offset"
            yield BrokenRule("rfc8166.3.4.6.segments-returned", detail)
        if after.length > before.length:
            detail = f"{where}: {after.length} octets returned in {before.length}"
            yield BrokenRule("rfc8166.8.1.4.no-more-data-than-room", detail)
        if after.length and not full:
            detail = f"{where} holds data although the one before it is not full"
            yield BrokenRule("rfc8166.3.4.6.write-chunk-filled-in-order", detail)
        full = after.length >= before.length


def _reply_chunk(
    offered: WriteChunk | None, reply: RdmaMsg | RdmaNomsg, unused: str
) -> Iterator[BrokenRule]:
    returned = reply.rdma_reply
    if isinstance(reply, RdmaNomsg):
        if returned is None and not (reply.rdma_reads or reply.rdma_writes):
            detail = "an RDMA_NOMSG without any list"
            yield BrokenRule("rfc8166.4.2.4.nomsg-has-a-list", detail, ("D-22",))
        elif offered is None or returned is None or not chunk_length(returned):
            detail = "an RDMA_NOMSG whose Reply chunk holds nothing, or was not offered"
            yield BrokenRule("rfc8166.4.2.4.nomsg-lists-hold-the-payload", detail, ("D-22",))
    elif returned is not None and chunk_length(returned):
        detail = "an RDMA_MSG whose Reply chunk is said to hold data"
        rule = "rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written"
        yield BrokenRule(rule, detail, ("D-19",))
    elif offered is not None and unused != "either" and (returned is None) != (unused == "absent"):
        detail = f"the unused Reply chunk is {'absent' if returned is None else 'present'}"
        yield BrokenRule("rfc8166.4.3.3.reply-chunk-returned", detail, ("D-19",))
    if returned is not None and offered is not None:
        yield from _returned_chunk("Reply chunk", offered, returned)
    elif returned is not None and isinstance(reply, RdmaMsg):
        detail = "a Reply chunk came back that was not offered"
        yield BrokenRule("rfc8166.3.4.3.memory-used-by-responder", detail)


def _payload(reply: TransportHeader, payload: bytes) -> Iterator[BrokenRule]:
    try:
        message, _ = decode_message(payload)
    except DecodeError as error:
        yield BrokenRule("rfc8166.4.rpc-layout-is-unchanged", f"no RPC message: {error}")
        return
    if message.xid != reply.rdma_xid:
        detail = f"XID {message.xid:#010x} under rdma_xid {reply.rdma_xid:#010x}"
        yield BrokenRule("rfc8166.4.2.1.xid-equals-payload-xid", detail)
    if not isinstance(message.body, ReplyBody):
        yield BrokenRule("rfc8166.2.2.2.reply-msg-type", "the RPC message is a Call")
