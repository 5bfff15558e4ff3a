"""Transport headers of either version in Version One's objects, and back into octets.

    v2 section 4.2    RPC-Over-RDMA Version Two XDR
    v2 section 4.2.3  Transport Errors (BAD_HEADER is what ERR_CHUNK was, under the same number)

Version Two carries Version One's lists and errors in a header of its own.  So the suite says in one
vocabulary what a message is; this is where the two meet.  What Version One lacks, RDMA2_OPTIONAL
and the error that refuses one, has no such object: it is dealt with as it came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.wire import TransportHeader, encode_any_header, v2
from rpcrdma.wire.in_one import body_as_one, encode_as_two

if TYPE_CHECKING:
    from rpcrdma.wire import AnyHeader
    from rpcrdma.wire.rpc import MessageType

__all__ = ["VERSION_ONE", "VERSION_TWO", "as_one", "encode_as", "is_two"]

VERSION_ONE: Final = 1
VERSION_TWO: Final = v2.VERSION

_VERSION: Final = slice(4, 8)
"""Of rdma_vers in a message."""


def is_two(message: bytes) -> bool:
    """Whether a message says that it is one of Version Two."""
    return message[_VERSION] == VERSION_TWO.to_bytes(4)


def as_one(header: AnyHeader) -> TransportHeader | None:
    """A header in Version One's objects; None for what Version One does not have."""
    if isinstance(header, TransportHeader):
        return header
    body = body_as_one(header.rdma_body)
    if body is None:
        return None
    return TransportHeader(header.rdma_xid, header.rdma_vers, header.rdma_credit, body)


def encode_as(layout: int, header: TransportHeader, direction: MessageType) -> bytes:
    """The octets of a header.

    Args:
        layout: 1 or 2, the version whose layout they have, whatever rdma_vers says.
        header: in Version One's objects.
        direction: of the message; only Version Two's lists tell it.

    Raises:
        EncodeError: it holds what XDR cannot express.
        ValueError: Version Two has no such message.
    """
    if layout == VERSION_ONE:
        return encode_any_header(header)
    octets = encode_as_two(header, direction)
    if octets is None:
        raise ValueError(f"Version Two has no {type(header.rdma_body).__name__}")
    return octets
