"""Happy paths: good calls in every form, for scenarios to send as they are or to spoil.

    call = build.null_call(peer)
    call = build.short(peer, peer.workload.small())
    call = build.with_read_chunks(peer, peer.workload.store(data), sizes=((1000, 24),))
    call = build.with_write_chunks(peer, peer.workload.fetch(4096), sizes=((1024, 3072),))
    call = build.long_call(peer, peer.workload.long_call(8192))
    call = build.long_reply(peer, peer.workload.long_reply(8192))

Each registers the memory that it needs, and takes `version` and `credits` for the fixed words;
the version is the peer's unless told otherwise.  `build.call` is the general one;
`conformance.tester.client.mutate` makes one fault in a finished call.

What is no Call is a `Message` (`conformance.tester.client.message`):

    message = build.option(peer, ReqProp(...))       an optional message of Version Two
    message = build.error(peer, ErrChunk())          an RDMA_ERROR

    rfc8166 section 3.5  Message Size
    rfc8166 section 4.3  Chunk Lists
    v2 section 3.1       Optional Features
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.header import encode_header
from conformance.tester.client.message import error, option
from conformance.tester.memory import ExposedChunk, split
from conformance.tester.sent import REQUESTED_CREDITS, Call
from rpcrdma.ulp.bindings import DataItem, reduce
from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.tester.client.peer import Peer
    from conformance.tester.client.regions import ChunkMemory
    from conformance.tester.sent import Request

__all__ = [
    "call",
    "error",
    "long_call",
    "long_reply",
    "null_call",
    "option",
    "short",
    "small_call",
    "with_read_chunks",
    "with_write_chunks",
]


def call(  # the general builder: every argument is one independent choice
    peer: Peer,
    request: Request,
    *,
    reads: Sequence[Sequence[int]] | None = None,
    roundup: bool = False,
    whole: Sequence[int] | None = None,
    writes: Sequence[Sequence[int]] = (),
    reply: Sequence[int] | None = None,
    version: int | None = None,
    credits: int = REQUESTED_CREDITS,  # noqa: A002  # the word of the documents
    xid: int | None = None,
    memory: ChunkMemory | None = None,
) -> Call:
    """Build a call in any form.

    Args:
        peer: who sends it.
        request: what is called.
        reads: reduce the DDP-eligible arguments, one Read chunk for each, its segments of these
            sizes (what is left over makes one more segment).  None: reduce nothing.
        roundup: include XDR roundup padding in the Read chunks (rfc8166 3.4.5.2).
        whole: move the (reduced) call into a Position-Zero Read chunk of such segments: a Long
            Call (3.5.3).  None: send it inline.
        writes: Write chunks, each with segments of these sizes; `()` is an empty Write chunk.
        reply: a Reply chunk with segments of these sizes.
        version: rdma_vers; None: the peer's.
        credits: rdma_credit.
        xid: of the call; None for one that no other call has.
        memory: makes that of the chunks; None: the peer, a region for each segment.
    """
    memory = peer if memory is None else memory
    xid = peer.next_xid() if xid is None else xid
    version = peer.version if version is None else version
    unreduced = request.encode(xid)
    items = request.layer.arguments(unreduced) if reads is not None else ()
    chosen = items[: len(reads)] if reads is not None and len(reads) < len(items) else items
    payload, data = reduce(unreduced, chosen)
    item_chunks = [
        _read_chunk(memory, item, octets, sizes, roundup)
        for item, octets, sizes in zip(chosen, data, _padded(reads, len(chosen)), strict=True)
    ]
    read_list = tuple(
        segment
        for item, chunk in zip(chosen, item_chunks, strict=True)
        for segment in chunk.read_segments(item.position)
    )
    read_chunks = tuple(item_chunks)
    if whole is not None:
        carrier = memory.expose(payload, split(len(payload), whole))
        read_list = carrier.read_segments(0) + read_list
        read_chunks = (carrier, *read_chunks)
        payload = b""
    write_chunks = tuple(memory.room(sizes) for sizes in writes)
    reply_chunk = None if reply is None else memory.room(reply)
    form = RdmaMsg if whole is None else RdmaNomsg
    body = form(
        read_list,
        tuple(chunk.write_chunk() for chunk in write_chunks),
        None if reply_chunk is None else reply_chunk.write_chunk(),
    )
    header = TransportHeader(xid, version, credits, body)
    octets = encode_header(header) + payload
    return Call(
        xid, request, header, payload, octets, unreduced, read_chunks, write_chunks, reply_chunk
    )


def null_call(peer: Peer, *, version: int | None = None, credits: int = REQUESTED_CREDITS) -> Call:  # noqa: A002
    """The smallest good call: NULL, without any chunk."""
    return call(peer, peer.workload.null(), version=version, credits=credits)


def small_call(peer: Peer, *, version: int | None = None, credits: int = REQUESTED_CREDITS) -> Call:  # noqa: A002
    """A good call with some arguments and results, without any chunk."""
    return call(peer, peer.workload.small(), version=version, credits=credits)


def short(
    peer: Peer,
    request: Request,
    *,
    version: int | None = None,
    credits: int = REQUESTED_CREDITS,  # noqa: A002
) -> Call:
    """A Short message (rfc8166 3.5.1): everything inline, no chunk of any kind."""
    return call(peer, request, version=version, credits=credits)


def with_read_chunks(
    peer: Peer,
    request: Request,
    sizes: Sequence[Sequence[int]] = (),
    *,
    roundup: bool = False,
    reply: Sequence[int] | None = None,
) -> Call:
    """A Chunked call (3.5.2): each DDP-eligible argument in a Read chunk.

    Args:
        peer: who sends it.
        request: with DDP-eligible arguments.
        sizes: of each chunk's segments; what is left over makes one more segment.
        roundup: include XDR roundup padding in the chunks.
        reply: see `call`.
    """
    # An absent entry is one segment: `reads=((),)` and `reads=()` mean the same for one item.
    wanted = sizes or ((),) * len(request.layer.arguments(request.encode(0)))
    return call(peer, request, reads=wanted, roundup=roundup, reply=reply)


def with_write_chunks(
    peer: Peer,
    request: Request,
    sizes: Sequence[Sequence[int]] | None = None,
    *,
    reply: Sequence[int] | None = None,
) -> Call:
    """A call with a Write chunk for each possible DDP-eligible result.

    Args:
        peer: who sends it.
        request: with DDP-eligible results.
        sizes: of each chunk's segments, `()` for an empty Write chunk; by default one segment for
            each result, just as large as its largest.
        reply: see `call`.
    """
    if sizes is None:
        items = request.layer.expectation(request.encode(0)).items
        sizes = tuple((largest,) for largest in items)
    return call(peer, request, writes=sizes, reply=reply)


def long_call(
    peer: Peer,
    request: Request,
    sizes: Sequence[int] = (),
    *,
    reads: Sequence[Sequence[int]] | None = None,
    reply: Sequence[int] | None = None,
) -> Call:
    """A Long Call (3.5.3): the whole payload in a Position-Zero Read chunk.

    Args:
        peer: who sends it.
        request: of any size.
        sizes: of the chunk's segments; what is left over makes one more segment.
        reads: further Read chunks, see `call`.
        reply: see `call`.
    """
    return call(peer, request, whole=sizes, reads=reads, reply=reply)


def long_reply(
    peer: Peer,
    request: Request,
    sizes: Sequence[int] | None = None,
    *,
    writes: Sequence[Sequence[int]] = (),
) -> Call:
    """A call with a Reply chunk.

    Args:
        peer: who sends it.
        request: whose reply is long.
        sizes: of the chunk's segments; by default one segment for the largest possible reply.
        writes: Write chunks beside it, see `call`.
    """
    if sizes is None:
        sizes = (request.layer.expectation(request.encode(0)).maximum,)
    return call(peer, request, writes=writes, reply=sizes)


def _read_chunk(
    memory: ChunkMemory, item: DataItem, octets: bytes, sizes: Sequence[int], roundup: bool
) -> ExposedChunk:
    data = octets + bytes(item.padding) if roundup else octets
    return memory.expose(data, split(len(data), sizes))


def _padded(reads: Sequence[Sequence[int]] | None, count: int) -> list[Sequence[int]]:
    given = list(reads or ())[:count]
    return given + [()] * (count - len(given))
