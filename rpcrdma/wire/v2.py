"""Version Two transport headers: generated codec, and what every body has in common.

    v2 section 4.2    RPC-Over-RDMA Version Two XDR
    v2 section 4.2.2  Message Direction

Segments, chunks and ErrVers are the classes of Version One: their encoding is the same.
"""

from __future__ import annotations

from typing import Final

from rpcrdma.wire._generated_rpc import MessageType
from rpcrdma.wire._generated_v2 import (
    ErrBadHeader,
    ErrInvalidOption,
    ErrVers,
    Rdma2Body,
    Rdma2Error,
    Rdma2ErrorBody,
    Rdma2ErrorCode,
    Rdma2Header,
    Rdma2Msg,
    Rdma2Nomsg,
    Rdma2Optional,
    Rdma2Procedure,
)
from rpcrdma.wire._generated_v2 import decode_rdma2_header as decode_header
from rpcrdma.wire._generated_v2 import encode_rdma2_header as encode_header

__all__ = [
    "VERSION",
    "ErrBadHeader",
    "ErrInvalidOption",
    "ErrVers",
    "MessageType",
    "Rdma2Body",
    "Rdma2Error",
    "Rdma2ErrorBody",
    "Rdma2ErrorCode",
    "Rdma2Header",
    "Rdma2Msg",
    "Rdma2Nomsg",
    "Rdma2Optional",
    "Rdma2Procedure",
    "decode_header",
    "direction_of",
    "encode_header",
]

VERSION: Final = 2
"""rdma_vers of these headers."""


def direction_of(body: Rdma2Body) -> MessageType:
    """Which way a message goes: CALL from the Requester, REPLY from the Responder."""
    match body:
        case Rdma2Msg(rdma_direction=direction) | Rdma2Nomsg(rdma_direction=direction):
            return direction
        case Rdma2Optional(rdma_optdir=direction):
            return direction
        case Rdma2Error():
            # v2 4.2.2: an error always counts as going to the Requester.  D-51: no field says so.
            return MessageType.REPLY
