"""Headers of Version Two in Version One's objects, and back.

    v2 section 4.2    RPC-Over-RDMA Version Two XDR
    v2 section 4.2.3  Transport Errors (BAD_HEADER is what ERR_CHUNK was, under the same number)

Version Two carries Version One's lists and errors in a header of its own.  Whoever has to do with
both speaks of them in one vocabulary; this is where the two meet.  What Version One lacks,
RDMA2_OPTIONAL and the error that refuses one, has no such object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.wire import v2
from rpcrdma.wire._generated_rfc8166 import (
    ErrChunk,
    ErrVers,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    TransportHeader,
)

if TYPE_CHECKING:
    from rpcrdma.wire._generated_rfc8166 import Body
    from rpcrdma.wire.rpc import MessageType

__all__ = ["body_as_one", "encode_as_two"]


def body_as_one(body: v2.Rdma2Body) -> Body | None:
    """A body in Version One's objects; None for what Version One does not have."""
    match body:
        case v2.Rdma2Msg(rdma_reads=reads, rdma_writes=writes, rdma_reply=reply):
            return RdmaMsg(reads, writes, reply)
        case v2.Rdma2Nomsg(rdma_reads=reads, rdma_writes=writes, rdma_reply=reply):
            return RdmaNomsg(reads, writes, reply)
        case v2.Rdma2Error(error=ErrVers() as versions):
            return RdmaError(versions)
        case v2.Rdma2Error(error=v2.ErrBadHeader()):
            return RdmaError(ErrChunk())
        case v2.Rdma2Error() | v2.Rdma2Optional():
            return None


def _body_as_two(body: Body, direction: MessageType) -> v2.Rdma2Body | None:
    """A body in Version Two's objects; None for what Version Two has dropped.

    Args:
        body: of Version One.
        direction: of the message; only the lists tell it.
    """
    match body:
        case RdmaMsg(rdma_reads=reads, rdma_writes=writes, rdma_reply=reply):
            return v2.Rdma2Msg(direction, reads, writes, reply)
        case RdmaNomsg(rdma_reads=reads, rdma_writes=writes, rdma_reply=reply):
            return v2.Rdma2Nomsg(direction, reads, writes, reply)
        case RdmaError(error=ErrVers() as versions):
            return v2.Rdma2Error(versions)
        case RdmaError():
            return v2.Rdma2Error(v2.ErrBadHeader())
        case _:
            return None


def encode_as_two(header: TransportHeader, direction: MessageType) -> bytes | None:
    """The octets of a header in Version Two's layout, whatever its rdma_vers; None likewise."""
    body = _body_as_two(header.rdma_body, direction)
    if body is None:
        return None
    return v2.encode_header(
        v2.Rdma2Header(header.rdma_xid, header.rdma_vers, header.rdma_credit, body)
    )
