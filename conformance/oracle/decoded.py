"""The header of a message of any version, as builders, mutations and judges of Responders take it.

    rfc8166 section 4.1.2  RPC-over-RDMA Version One XDR
    v2 section 4.2         RPC-Over-RDMA Version Two XDR

They speak of lists, chunks and errors, which both versions have (`conformance.oracle.headers`);
rdma_vers decides about the layout.  A version that is neither of the two has that of Version One:
whoever makes a Call in an unknown version has nothing better, and a Reply in one can be told what
it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.oracle.headers import VERSION_ONE, VERSION_TWO, as_one, encode_as, is_two
from rpcrdma import wire
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import v2
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from rpcrdma.wire import TransportHeader

__all__ = ["Decoded", "decode_header", "encode_header"]

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
        kind = type(two.rdma_body).__name__
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
