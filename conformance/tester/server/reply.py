"""The right reply to a call, as a draft of which every part can be changed before it goes out.

rfc8166 section 3.4.6  Write Chunks (filled in order; lengths returned)
rfc8166 section 4.3.2  Write List (which result goes into which chunk)
rfc8166 section 4.3.3  Reply Chunk
rfc8166 section 4.5    Error Handling
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from conformance.oracle.header import VERSION_ONE, encode_as
from conformance.tester.case import Inconclusive
from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import DataItem, reduce
from rpcrdma.wire import (
    Body,
    ErrChunk,
    ErrorBody,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    chunk_length,
)
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.tester.server.received import ReceivedCall

__all__ = [
    "AnyAnswer",
    "CallAnswer",
    "ReplyDraft",
    "ReplyPlacement",
    "draft_error",
    "draft_reply",
    "far_from",
    "filled",
]

_FAR: Final = 0x5A5A5A5A


@dataclass(frozen=True, slots=True)
class ReplyPlacement:
    """One RDMA Write to be made before the reply is sent.

    Attributes:
        handle: of the client's memory.  offset: of the first octet there.  data: what goes there.
    """

    handle: int
    offset: int
    data: bytes


class CallAnswer(Protocol):
    """What ends a call: Sends, and what is written before them."""

    @property
    def sends(self) -> tuple[bytes, ...]:
        """One after the other."""
        ...

    @property
    def placements(self) -> tuple[ReplyPlacement, ...]:
        """What is written to the client's memory before."""
        ...

    @property
    def granted(self) -> int:
        """Credits that it grants."""
        ...

    @property
    def invalidate(self) -> int | None:
        """Handle that is invalidated by the last Send; None: by a plain Send."""
        ...


@dataclass(frozen=True, slots=True)
class AnyAnswer:
    """Any octets as the answer to a call (see `CallAnswer`)."""

    sends: tuple[bytes, ...]
    granted: int
    placements: tuple[ReplyPlacement, ...] = ()
    invalidate: int | None = None


@dataclass(frozen=True, slots=True)
class ReplyDraft:
    """A reply that has not gone out.

    Attributes:
        header: its transport header.
        payload: what follows the header in the Send.
        placements: what is written before.
        layout: the version, 1 or 2, in whose layout the header goes out; rdma_vers is its own.
        direction: as the header of Version Two says it.
        invalidate: handle that is invalidated by sending it; None: by a plain Send.
    """

    header: TransportHeader
    payload: bytes = b""
    placements: tuple[ReplyPlacement, ...] = ()
    layout: int = VERSION_ONE
    direction: MessageType = MessageType.REPLY
    invalidate: int | None = None

    @property
    def octets(self) -> bytes:
        """The message."""
        return encode_as(self.layout, self.header, self.direction) + self.payload

    @property
    def sends(self) -> tuple[bytes, ...]:
        """The message, which is one Send."""
        return (self.octets,)

    @property
    def granted(self) -> int:
        """rdma_credit."""
        return self.header.rdma_credit

    @property
    def lists(self) -> RdmaMsg | RdmaNomsg:
        """The body with the chunk lists.

        Raises:
            Inconclusive: the draft is an RDMA_ERROR, since the call offers too little room.
        """
        body = self.header.rdma_body
        if not isinstance(body, RdmaMsg | RdmaNomsg):
            raise Inconclusive("the reply is an RDMA_ERROR, which has no chunk lists")
        return body

    def changed(
        self,
        *,
        xid: int | None = None,
        version: int | None = None,
        credits: int | None = None,  # noqa: A002  # the word of the documents
        body: Body | None = None,
        payload: bytes | None = None,
        placements: Iterable[ReplyPlacement] | None = None,
        direction: MessageType | None = None,
        layout: int | None = None,
    ) -> ReplyDraft:
        """The same draft with other parts; `xid` and `version` are the transport header's alone."""
        header = self.header
        changes = {"rdma_xid": xid, "rdma_vers": version, "rdma_credit": credits, "rdma_body": body}
        given = {name: value for name, value in changes.items() if value is not None}
        return replace(
            self,
            header=msgspec.structs.replace(header, **given),
            payload=self.payload if payload is None else payload,
            placements=self.placements if placements is None else tuple(placements),
            direction=self.direction if direction is None else direction,
            layout=self.layout if layout is None else layout,
        )

    def stray(self, length: int) -> ReplyDraft:
        """A reply of so many octets to a call that nobody has made: good to look at, and dropped.

        Args:
            length: of the whole message.
        """
        xid = far_from(self.header.rdma_xid)
        empty = self.changed(xid=xid, body=RdmaMsg((), (), None), payload=rpc.accepted(xid))
        filling = bytes(length - len(empty.octets))
        return empty.changed(payload=empty.payload + filling, placements=())

    def invalidating(self, handle: int) -> ReplyDraft:
        """The same draft, to be sent with invalidate of a handle (xcharext 3.2)."""
        return replace(self, invalidate=handle)

    def with_reads(self, *reads: ReadSegment) -> ReplyDraft:
        """The same draft with another Read list."""
        return self.changed(body=msgspec.structs.replace(self.lists, rdma_reads=reads))

    def with_writes(self, *writes: WriteChunk) -> ReplyDraft:
        """The same draft with another Write list."""
        return self.changed(body=msgspec.structs.replace(self.lists, rdma_writes=writes))

    def with_reply_chunk(self, chunk: WriteChunk | None) -> ReplyDraft:
        """The same draft with another Reply chunk."""
        return self.changed(body=msgspec.structs.replace(self.lists, rdma_reply=chunk))


def draft_error(call: ReceivedCall, credit: int, error: ErrorBody) -> ReplyDraft:
    """An RDMA_ERROR that ends a call, in the version of the call."""
    header = TransportHeader(call.xid, call.version, credit, RdmaError(error))
    return ReplyDraft(header, layout=call.version)


def far_from(xid: int) -> int:
    """An XID that no call around one has, at whichever end its owner counts: Linux at the first."""
    return xid ^ _FAR


def draft_reply(
    call: ReceivedCall,
    reply: bytes,
    slots: Sequence[DataItem | None],
    credit: int,
    threshold: int,
) -> ReplyDraft:
    """The reply that a Responder should make.

    Args:
        call: with the chunks that it offers.
        reply: complete and unreduced.
        slots: DDP-eligible results of the reply.
        credit: to be granted.
        threshold: most octets in one Send.

    Returns:
        A Short, Chunked or Long reply; ERR_CHUNK if what the call offers does not take it.
    """
    placements: list[ReplyPlacement] = []
    reduced: list[DataItem] = []
    writes: list[WriteChunk] = []
    items = [item for item in slots if item is not None]
    for index, chunk in enumerate(call.writes):
        item = items[index] if index < len(items) else None
        if item is None or not chunk.target or chunk_length(chunk) < item.length:
            writes.append(filled(chunk, b"")[0])
            continue
        data = reply[item.position : item.position + item.length]
        returned, written = filled(chunk, data)
        writes.append(returned)
        placements += written
        reduced.append(item)
    payload, _ = reduce(reply, reduced)
    offered = call.reply_chunk
    if offered is not None and not offered.target:
        offered = None  # D-34: as good as none
    unused = None if offered is None else filled(offered, b"")[0]
    header = TransportHeader(call.xid, call.version, credit, RdmaMsg((), tuple(writes), unused))
    short = ReplyDraft(header, payload, tuple(placements), call.version)
    if len(short.octets) <= threshold:
        return short
    if offered is None or chunk_length(offered) < len(payload):
        return draft_error(call, credit, ErrChunk())
    used, written = filled(offered, payload)
    body = RdmaNomsg((), tuple(writes), used)
    return short.changed(body=body, payload=b"", placements=(*placements, *written))


def filled(chunk: WriteChunk, data: bytes) -> tuple[WriteChunk, list[ReplyPlacement]]:
    """Fill a chunk's segments one after the other.

    Returns:
        The chunk as a reply returns it, and the Writes that fill it; what does not fit is left out.
    """
    returned: list[RdmaSegment] = []
    placements: list[ReplyPlacement] = []
    start = 0
    for segment in chunk.target:
        part = data[start : start + segment.length]
        start += len(part)
        returned.append(RdmaSegment(segment.handle, len(part), segment.offset))
        if part:
            placements.append(ReplyPlacement(segment.handle, segment.offset, part))
    return WriteChunk(tuple(returned)), placements
