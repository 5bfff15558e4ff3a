"""One fault at a time in the octets of a good call; each change prints as a clause.

    mutate.truncate(call, 24)                    only the first 24 octets
    mutate.append(call, b"...")                  octets after the end
    mutate.under(call, 7)                        the XID, in header and message: still a good call
    mutate.word(call, 12, 7, "rdma_proc")        any word of four octets
    mutate.xid / version / credits / procedure   the four fixed words
    mutate.read_segment(call, 0, position=6)     a word of a segment that is told
    mutate.direction(call, 1)                    the word after them, in Version Two
    mutate.lists(call, rdma_reads=())            other lists, encoded again
    mutate.discriminators(call)                  where the words are that say "another one follows"

The memory behind a call is not touched: `Peer.invalidate` and `ExposedChunk.lying` do that.

    rfc8166 section 4.1.2  RPC-over-RDMA Version One XDR
    v2 section 4.2         RPC-Over-RDMA Version Two XDR
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from conformance.oracle.header import decode_header, encode_header
from conformance.tester.sent import Mutation
from rpcrdma.wire import RdmaMsg, RdmaNomsg, ReadSegment, WriteChunk
from rpcrdma.wire.describe import header_tree, value_of
from rpcrdma.wire.words import in_words
from rpcrdma.xdr.tree import Kind

if TYPE_CHECKING:
    from conformance.tester.sent import Call, Message
    from rpcrdma.wire import Body

__all__ = [
    "Discriminator",
    "append",
    "body",
    "credits",
    "direction",
    "discriminators",
    "header_length",
    "lists",
    "octets",
    "payload",
    "procedure",
    "read_segment",
    "reply_segment",
    "truncate",
    "under",
    "version",
    "without_reply_chunk",
    "word",
    "write_segment",
    "xid",
]

WORD: Final = 4
"""Octets of an XDR unit."""

Sent = TypeVar("Sent", "Call", "Message")


@dataclass(frozen=True, slots=True)
class Discriminator:
    """A word that says whether an optional item follows, or a list goes on.

    Attributes:
        offset: of its first octet.  path: of the item.
    """

    offset: int
    path: str


def truncate(call: Sent, length: int) -> Sent:
    """Keep only the first `length` octets of the message."""
    return _changed(call, call.octets[:length], "length", str(len(call.octets)), str(length))


def append(call: Sent, tail: bytes) -> Sent:
    """Put octets after the end of the message."""
    longer = call.octets + tail
    return _changed(call, longer, "length", str(len(call.octets)), str(len(longer)))


def octets(call: Sent, offset: int, value: bytes, name: str = "") -> Sent:
    """Put other octets at an offset."""
    end = offset + len(value)
    changed = call.octets[:offset] + value + call.octets[end:]
    what = f"{name} (octet {offset})" if name else f"octet {offset}"
    return _changed(call, changed, what, f"0x{call.octets[offset:end].hex()}", f"0x{value.hex()}")


def word(call: Sent, offset: int, value: int, name: str = "") -> Sent:
    """Put another 32-bit number at an offset."""
    return octets(call, offset, value.to_bytes(WORD, "big"), name)


def xid(call: Sent, value: int) -> Sent:
    """Another rdma_xid; the payload keeps its own.  `call.xid` follows: answers carry it."""
    return replace(word(call, 0, value, "rdma_xid"), xid=value)


def under(call: Call, value: int) -> Call:
    """Another XID wherever it stands, so that the call is as good as before.

    The RPC message of a Long Call is changed in its memory, in the first segment, which must hold
    the whole XID.
    """
    first = value.to_bytes(WORD, "big")
    changed = call
    if call.payload:
        changed = payload(call, first + call.payload[WORD:])
    else:
        call.read_chunks[0].segments[0].region.write(first)
    return replace(xid(changed, value), unreduced=first + call.unreduced[WORD:])


def version(call: Sent, value: int) -> Sent:
    """Another rdma_vers."""
    return word(call, 4, value, "rdma_vers")


def credits(call: Sent, value: int) -> Sent:  # noqa: A001  # the word of the documents
    """Another rdma_credit."""
    return word(call, 8, value, "rdma_credit")


def procedure(call: Sent, value: int) -> Sent:
    """Another rdma_proc, the lists as they are."""
    return word(call, 12, value, "rdma_proc")


def direction(call: Sent, value: int) -> Sent:
    """Another direction word, which only a header of Version Two has."""
    return word(call, 16, value, "rdma_direction")


def payload(call: Call, value: bytes) -> Call:
    """Another Payload stream after the same header."""
    changed = call.octets[: header_length(call)] + value
    was = f"{len(call.payload)} octets"
    return _changed(call, changed, "payload", was, f"{len(value)} octets")


def body(call: Call, value: Body) -> Call:
    """Another body of the header, encoded anew; payload and fixed words stay."""
    found = decode_header(call.octets)
    header = msgspec.structs.replace(found.header, rdma_body=value)
    changed = encode_header(header, found.direction) + call.octets[found.end :]
    mutations = _differences(call.octets, changed) or (
        Mutation("header body", in_words(found.header.rdma_body), in_words(value)),
    )
    return replace(call, octets=changed, mutations=(*call.mutations, *mutations))


def lists(
    call: Call,
    *,
    rdma_reads: tuple[ReadSegment, ...] | None = None,
    rdma_writes: tuple[WriteChunk, ...] | None = None,
    rdma_reply: WriteChunk | None = None,
) -> Call:
    """Other chunk lists; one that is None stays as it is (`without_reply_chunk` removes that)."""
    old = _lists(call)
    new = type(old)(
        old.rdma_reads if rdma_reads is None else rdma_reads,
        old.rdma_writes if rdma_writes is None else rdma_writes,
        old.rdma_reply if rdma_reply is None else rdma_reply,
    )
    return body(call, new)


def without_reply_chunk(call: Call) -> Call:
    """The same message, but the Reply chunk marked absent."""
    old = _lists(call)
    return body(call, type(old)(old.rdma_reads, old.rdma_writes, None))


def read_segment(call: Call, index: int, *, position: int | None = None, **changes: int) -> Call:
    """Other words of one read segment: `position`, `handle`, `length`, `offset`."""
    reads = list(_lists(call).rdma_reads)
    old = reads[index]
    target = msgspec.structs.replace(old.target, **changes)
    reads[index] = ReadSegment(old.position if position is None else position, target)
    return lists(call, rdma_reads=tuple(reads))


def write_segment(call: Call, chunk: int, index: int, **changes: int) -> Call:
    """Other words of one segment of a Write chunk: `handle`, `length`, `offset`."""
    writes = list(_lists(call).rdma_writes)
    writes[chunk] = _with_segment(writes[chunk], index, changes)
    return lists(call, rdma_writes=tuple(writes))


def reply_segment(call: Call, index: int, **changes: int) -> Call:
    """Other words of one segment of the Reply chunk: `handle`, `length`, `offset`."""
    reply = _lists(call).rdma_reply
    if reply is None:
        raise ValueError("the call has no Reply chunk")
    return lists(call, rdma_reply=_with_segment(reply, index, changes))


def header_length(call: Call) -> int:
    """Octets of the transport header."""
    return decode_header(call.octets).end


def discriminators(call: Call) -> tuple[Discriminator, ...]:
    """Every optional-data word of the header, in order; the ends of lists included."""
    leaves = header_tree(call.octets).leaves()
    return tuple(Discriminator(leaf.offset, leaf.path) for leaf in leaves if leaf.kind is Kind.FLAG)


def _changed(call: Sent, changed: bytes, what: str, was: str, became: str) -> Sent:
    mutation = Mutation(what, was, became)
    return replace(call, octets=changed, mutations=(*call.mutations, mutation))


def _lists(call: Call) -> RdmaMsg | RdmaNomsg:
    found = decode_header(call.octets).header.rdma_body
    if not isinstance(found, RdmaMsg | RdmaNomsg):
        raise TypeError(f"{type(found).__name__} has no chunk lists")
    return found


def _with_segment(chunk: WriteChunk, index: int, changes: dict[str, int]) -> WriteChunk:
    target = list(chunk.target)
    target[index] = msgspec.structs.replace(target[index], **changes)
    return WriteChunk(tuple(target))


def _differences(was: bytes, became: bytes) -> tuple[Mutation, ...]:
    """The fields of a header that have other values; nothing if the header has other fields."""
    old, new = (tuple(header_tree(message).leaves()) for message in (was, became))
    if [(leaf.path, leaf.kind) for leaf in old] != [(leaf.path, leaf.kind) for leaf in new]:
        return ()
    return tuple(
        Mutation(before.path.removeprefix("rdma_body."), value_of(before), value_of(after))
        for before, after in zip(old, new, strict=True)
        if before.value != after.value
    )
