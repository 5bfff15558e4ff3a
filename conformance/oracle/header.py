"""The header of a message of either version, in the objects of Version One, and back into octets.

    rfc8166 section 4.1.2  RPC-over-RDMA Version One XDR
    v2 section 4.2         RPC-Over-RDMA Version Two XDR
    v2 section 4.2.3       Transport Errors (BAD_HEADER is what ERR_CHUNK was, by the same number)

Version Two carries Version One's lists and errors in a header of its own.  So the suite says in one
vocabulary what a message is; this is where the two meet.  What Version One lacks, RDMA2_OPTIONAL
and the error that refuses one, has no such object: it is dealt with as it came.

rdma_vers decides about the layout.  A version that is neither of the two has that of Version One:
whoever makes a Call in an unknown version has nothing better, and a Reply in one can be told what
it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma import wire
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import TransportHeader, encode_any_header, v2
from rpcrdma.wire.in_one import body_as_one, encode_as_two
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.words import constant_of

if TYPE_CHECKING:
    from rpcrdma.wire import AnyHeader

__all__ = [
    "VERSION_ONE",
    "VERSION_TWO",
    "Decoded",
    "as_one",
    "decode_header",
    "encode_as",
    "encode_header",
    "is_two",
]

VERSION_ONE: Final = 1
VERSION_TWO: Final = v2.VERSION

_VERSION: Final = slice(4, 8)
"""Of rdma_vers in a message."""

_PROCEDURE: Final = 12
"""Offset of rdma_proc."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded header.

    Attributes:
        header: in the objects of Version One.
        two: as Version Two has it; None in any other version.
        end: offset of what follows it.
    """

    header: TransportHeader
    two: v2.Rdma2Header | None
    end: int

    @property
    def direction(self) -> MessageType:
        """What Version Two's header says; CALL where no header tells."""
        return MessageType.CALL if self.two is None else v2.direction_of(self.two.rdma_body)


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


def decode_header(octets: bytes) -> Decoded:
    """The header of a message, by the layout that belongs to its version.

    Raises:
        DecodeError: it has none, or one for which Version One has no objects.
    """
    if not is_two(octets):
        one, end = wire.decode_header(octets)
        return Decoded(one, None, end)
    two, end = v2.decode_header(octets)
    header = as_one(two)
    if header is None:
        kind = constant_of(type(two.rdma_body))
        raise DecodeError(_PROCEDURE, "rdma_body.rdma_proc", Reason.BAD_DISCRIMINANT, kind)
    return Decoded(header, two, end)


def encode_header(header: TransportHeader, direction: MessageType = MessageType.CALL) -> bytes:
    """The octets of a header, by the layout that belongs to its version.

    Args:
        header: of any version.
        direction: in Version Two; the others do not tell it.
    """
    layout = VERSION_TWO if header.rdma_vers == VERSION_TWO else VERSION_ONE
    return encode_as(layout, header, direction)


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
