"""What every Reply of a Responder must look like, given the Call that it answers.

    rfc8166 section 3.4.6  Write Chunks
    rfc8166 section 4.3    Chunk Lists
    rfc8166 section 6.1    DDP-Eligibility (not here: it takes the binding)

In Version Two they go on, under the ids that `conformance.catalogue.inheritance` has for them.

These rules need the transport header of the Call and the Reply, nothing else, so they hold for any
program.  The content of chunks is not looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.verdict import broken_rule
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader, WriteChunk, chunk_length, v2
from rpcrdma.wire.rpc import MessageType, ReplyBody, decode_message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.outcome import Answered
    from conformance.oracle.verdict import BrokenRule

__all__ = [
    "PAYLOAD_XID",
    "about_another_call",
    "broken_rules",
    "in_another_version",
    "told_as_a_call",
]

_REPLY: Final = "rdma_body.rdma_reply"

PAYLOAD_XID: Final = "rfc8166.4.2.1.xid-equals-payload-xid"
"""That the RPC message repeats rdma_xid."""


def broken_rules(
    call: TransportHeader, reply: TransportHeader, payload: bytes | None, *, unused: str = "either"
) -> tuple[BrokenRule, ...]:
    """The rules that a Reply breaks.

    Args:
        call: header of the Call, an RDMA_MSG or RDMA_NOMSG; its version says by whose ids broken
            rules are told.
        reply: header of the Reply, of the same two kinds.
        payload: the Reply's Payload stream, reduced or not; None if it could not be had.
        unused: reading of D-19 for a Reply chunk that was offered and not used.
    """
    # The Call said which version is spoken; what its Reply breaks are rules of that version.
    version = call.rdma_vers
    found = [*_fixed_words(call, reply, version)]
    asked, given = call.rdma_body, reply.rdma_body
    if isinstance(asked, RdmaMsg | RdmaNomsg) and isinstance(given, RdmaMsg | RdmaNomsg):
        if given.rdma_reads:
            count = len(given.rdma_reads)
            detail = f"the Read list of the Reply has {count} segments"
            found.append(broken_rule("rfc8166.4.3.1.read-list-empty-in-replies", detail, version))
        found += _write_list(asked.rdma_writes, given.rdma_writes, version)
        found += _reply_chunk(asked.rdma_reply, given, unused, version)
    if payload is not None:
        found += _payload(reply, payload, version)
    return tuple(found)


def about_another_call(reply: TransportHeader, xid: int, version: int) -> Iterator[BrokenRule]:
    """Whether rdma_xid of a Reply is not that of the Call (rfc8166 2.2.2)."""
    if reply.rdma_xid != xid:
        detail = f"rdma_xid is {reply.rdma_xid:#010x}, that of the Call {xid:#010x}"
        yield broken_rule("rfc8166.2.2.2.reply-xid-is-the-calls", detail, version)


def in_another_version(reply: TransportHeader, version: int) -> Iterator[BrokenRule]:
    """Whether rdma_vers of a Reply is not that of the Call (rfc8166 4.2.2, v2 5.3)."""
    if reply.rdma_vers != version:
        detail = f"rdma_vers is {reply.rdma_vers}, that of the Call {version}"
        yield broken_rule("rfc8166.4.2.2.version-is-one", detail, version)


def told_as_a_call(answer: Answered) -> Iterator[BrokenRule]:
    """Whether the direction word of Version Two says that a Reply is a Call (v2 4.2.2)."""
    if answer.direction is MessageType.CALL:
        detail = "the header of the Reply says that it is a Call"
        yield broken_rule("v2.4.2.2.direction-is-the-msg-type", detail, v2.VERSION)


def _fixed_words(
    call: TransportHeader, reply: TransportHeader, version: int
) -> Iterator[BrokenRule]:
    yield from about_another_call(reply, call.rdma_xid, version)
    yield from in_another_version(reply, version)
    if reply.rdma_credit == 0:
        # rfc8166 3.3.1: a Requester without credits could never send the Call that brings new ones.
        yield broken_rule("rfc8166.3.3.1.grant-is-never-zero", "rdma_credit is 0", version)


def _write_list(
    asked: tuple[WriteChunk, ...], given: tuple[WriteChunk, ...], version: int
) -> Iterator[BrokenRule]:
    if len(asked) != len(given):
        detail = f"{len(asked)} Write chunks were offered and {len(given)} came back"
        yield broken_rule("rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused", detail, version)
        return
    for number, (offered, returned) in enumerate(zip(asked, given, strict=True)):
        name, path = f"Write chunk {number}", f"rdma_body.rdma_writes[{number}]"
        if not offered.target and returned.target:
            detail = f"{name} was empty and came back with {len(returned.target)} segments"
            yield broken_rule(
                "rfc8166.4.3.2.3.empty-chunk-returned-empty",
                detail,
                version,
                where=f"{path}.target",
            )
        else:
            yield from _returned_chunk(name, path, offered, returned, version)


def _returned_chunk(
    name: str, path: str, offered: WriteChunk, returned: WriteChunk, version: int
) -> Iterator[BrokenRule]:
    if len(offered.target) != len(returned.target):
        detail = f"{name}: {len(offered.target)} segments offered, {len(returned.target)} returned"
        rule = "rfc8166.3.4.6.segment-count-returned"
        yield broken_rule(rule, detail, version, where=f"{path}.target")
        return
    full = True
    for number, (before, after) in enumerate(zip(offered.target, returned.target, strict=True)):
        segment, length = f"{name}, segment {number}", f"{path}.target[{number}].length"
        if (before.handle, before.offset) != (after.handle, after.offset):
            detail = f"{segment} came back with another handle or offset"
            other = "handle" if before.handle != after.handle else "offset"
            yield broken_rule(
                "rfc8166.3.4.6.segments-returned",
                detail,
                version,
                where=f"{path}.target[{number}].{other}",
            )
        if after.length > before.length:
            detail = f"{segment}: {after.length} octets returned in {before.length}"
            rule = "rfc8166.8.1.4.no-more-data-than-room"
            yield broken_rule(rule, detail, version, where=length)
        if after.length and not full:
            detail = f"{segment} holds data although the one before it is not full"
            rule = "rfc8166.3.4.6.write-chunk-filled-in-order"
            yield broken_rule(rule, detail, version, where=length)
        full = after.length >= before.length


def _reply_chunk(
    offered: WriteChunk | None, reply: RdmaMsg | RdmaNomsg, unused: str, version: int
) -> Iterator[BrokenRule]:
    returned = reply.rdma_reply
    if isinstance(reply, RdmaNomsg):
        if returned is None and not (reply.rdma_reads or reply.rdma_writes):
            detail = "an RDMA_NOMSG without any list"
            rule = "rfc8166.4.2.4.nomsg-has-a-list"
            yield broken_rule(rule, detail, version, ("D-22",), where=_REPLY)
        elif offered is None or returned is None or not chunk_length(returned):
            detail = "an RDMA_NOMSG whose Reply chunk holds nothing, or was not offered"
            rule = "rfc8166.4.2.4.nomsg-lists-hold-the-payload"
            yield broken_rule(rule, detail, version, ("D-22",), where=_REPLY)
    elif returned is not None and chunk_length(returned):
        detail = "an RDMA_MSG whose Reply chunk is said to hold data"
        rule = "rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written"
        yield broken_rule(rule, detail, version, ("D-19",))
    elif offered is not None and unused != "either" and (returned is None) != (unused == "absent"):
        detail = f"the unused Reply chunk is {'absent' if returned is None else 'present'}"
        yield broken_rule("rfc8166.4.3.3.reply-chunk-returned", detail, version, ("D-19",))
    if returned is not None and offered is not None:
        yield from _returned_chunk("Reply chunk", _REPLY, offered, returned, version)
    elif returned is not None and isinstance(reply, RdmaMsg):
        detail = "a Reply chunk came back that was not offered"
        rule = "rfc8166.3.4.3.memory-used-by-responder"
        yield broken_rule(rule, detail, version, where=_REPLY)


def _payload(reply: TransportHeader, payload: bytes, version: int) -> Iterator[BrokenRule]:
    try:
        message, _ = decode_message(payload)
    except DecodeError as error:
        rule, detail = "rfc8166.4.rpc-layout-is-unchanged", f"no RPC message: {error}"
        yield broken_rule(rule, detail, version, where=error.path or "payload")
        return
    if message.xid != reply.rdma_xid:
        detail = f"XID {message.xid:#010x} under rdma_xid {reply.rdma_xid:#010x}"
        yield broken_rule(PAYLOAD_XID, detail, version)
    if not isinstance(message.body, ReplyBody):
        yield broken_rule("rfc8166.2.2.2.reply-msg-type", "the RPC message is a Call", version)
