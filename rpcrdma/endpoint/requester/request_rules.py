"""What a Requester puts into a call, one decision a method (stateless).

    rfc8166 section 3.4.5  Read Chunks (Positions)
    rfc8166 section 4.2    Fixed Header Fields
    rfc8166 section 4.3    Chunk Lists

`RequestRules` is to the Requester what `ReplyRules` is to the Responder: each method is one rule
that a mutant may break alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.wire import RdmaMsg, RdmaNomsg, ReadSegment
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.dialect import Dialect
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.wire import RdmaSegment, TransportHeader, WriteChunk

__all__ = ["RequestRules"]


class RequestRules:
    """How calls are put together in one version."""

    def __init__(self, dialect: Dialect = ONE) -> None:
        self.dialect = dialect

    def version(self) -> int:
        """rdma_vers (rfc8166 4.2.2)."""
        return self.dialect.number

    def requested(self, credits: int) -> int:  # noqa: A002  # the word of the documents
        """rdma_credit of a call for which `credits` are wanted (rfc8166 3.3.1)."""
        return credits

    def xid(self, call: OutgoingCall) -> int:
        """rdma_xid of a call with chunks (rfc8166 4.2.1)."""
        return call.xid

    def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
        """A call without chunks, whose header but for the XID is `behind_xid`.

        rfc8166 4.2.1: rdma_xid is the XID with which the payload begins.
        """
        return payload[:4] + behind_xid + payload

    def position(self, position: int) -> int:
        """Position of a Read chunk whose item has this one in the unreduced stream (3.4.5)."""
        return position

    def read_segments(
        self, position: int, segments: tuple[RdmaSegment, ...]
    ) -> tuple[ReadSegment, ...]:
        """One Read chunk as the Read list has it: the same Position throughout."""
        return tuple(ReadSegment(position, segment) for segment in segments)

    def write_list(self, chunks: tuple[WriteChunk, ...]) -> tuple[WriteChunk, ...]:
        """The Write list (rfc8166 4.3.2)."""
        return chunks

    def reply_chunk(self, chunk: WriteChunk | None) -> WriteChunk | None:
        """The Reply chunk (rfc8166 4.3.3)."""
        return chunk

    def body(
        self,
        reads: tuple[ReadSegment, ...],
        writes: tuple[WriteChunk, ...],
        reply: WriteChunk | None,
        *,
        is_long: bool,
    ) -> RdmaMsg | RdmaNomsg:
        """The lists under the procedure of the call's form (rfc8166 3.5, 4.2.4)."""
        return (RdmaNomsg if is_long else RdmaMsg)(reads, writes, reply)

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        """Header and Payload stream as one message (rfc8166 3.2)."""
        return self.dialect.encode(header, MessageType.CALL) + payload
