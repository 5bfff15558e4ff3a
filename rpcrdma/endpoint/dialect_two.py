"""Version Two's headers, as the roles know them: Version One's objects in Version Two's octets.

    v2 section 4.2    RPC-Over-RDMA Version Two XDR
    v2 section 4.2.3  Transport Errors (BAD_HEADER is what ERR_CHUNK was, under the same number)

What belongs to the optional features has no counterpart in Version One.  RDMA2_OPTIONAL is kept
from the roles by `rpcrdma.endpoint.direction`; should it come here all the same, it is no header
that a role can decode.  The error that refuses an operation comes here where it refuses a Call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.dialect import NO_CHUNKS
from rpcrdma.errors import DecodeError, LocalProtocolError, Reason
from rpcrdma.wire import ErrChunk, ErrVers, RdmaError, RdmaMsg, RdmaNomsg, TransportHeader, v2

if TYPE_CHECKING:
    from rpcrdma.wire import Body
    from rpcrdma.wire.rpc import MessageType

__all__ = ["TWO", "VersionTwo"]

_PROCEDURE: Final = 12
"""Offset of rdma_proc."""


class VersionTwo:
    """v2 (draft -01)."""

    number: Final = v2.VERSION
    header: Final = 32
    threshold: Final = 4096
    plain: Final[Body] = NO_CHUNKS

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        """See `Dialect`."""
        header, end = v2.decode_header(message)
        body = self._body(header.rdma_body)
        return TransportHeader(header.rdma_xid, header.rdma_vers, header.rdma_credit, body), end

    def encode(self, header: TransportHeader, direction: MessageType) -> bytes:
        """See `Dialect`.

        Raises:
            LocalProtocolError: Version Two has no such message.
        """
        body: v2.Rdma2Body
        match header.rdma_body:
            case RdmaMsg(rdma_reads=reads, rdma_writes=writes, rdma_reply=reply):
                body = v2.Rdma2Msg(direction, reads, writes, reply)
            case RdmaNomsg(rdma_reads=reads, rdma_writes=writes, rdma_reply=reply):
                body = v2.Rdma2Nomsg(direction, reads, writes, reply)
            case RdmaError(error=ErrVers() as versions):
                body = v2.Rdma2Error(versions)
            case RdmaError():
                body = v2.Rdma2Error(v2.ErrBadHeader())
            case other:
                raise LocalProtocolError(f"Version Two has no {type(other).__name__}")
        return v2.encode_header(
            v2.Rdma2Header(header.rdma_xid, header.rdma_vers, header.rdma_credit, body)
        )

    def _body(self, body: v2.Rdma2Body) -> Body:
        match body:
            case v2.Rdma2Msg(rdma_reads=(), rdma_writes=(), rdma_reply=None):
                return self.plain
            case v2.Rdma2Msg(rdma_reads=reads, rdma_writes=writes, rdma_reply=reply):
                return RdmaMsg(reads, writes, reply)
            case v2.Rdma2Nomsg(rdma_reads=reads, rdma_writes=writes, rdma_reply=reply):
                return RdmaNomsg(reads, writes, reply)
            case v2.Rdma2Error(error=ErrVers() as versions):
                return RdmaError(versions)
            case v2.Rdma2Error():  # D-53: INVAL_OPTION, too, where it is about no optional message
                return RdmaError(ErrChunk())
            case v2.Rdma2Optional():
                kind = type(body).__name__
                raise DecodeError(_PROCEDURE, "rdma_body", Reason.BAD_DISCRIMINANT, kind)


TWO: Final = VersionTwo()
"""Version Two."""
