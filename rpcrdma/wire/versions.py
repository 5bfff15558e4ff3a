"""What the messages of every version begin with, and the choice of the decoder that it leads to.

    rfc8166 section 4.2    the four fixed words
    rfc8166 section 4.2.2  a version never changes their place, nor the errors about versions
    v2 section 4.2         the same words and the same error in Version Two

Nothing here judges whether a version is one that the receiver supports.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rfc8166 import (
    ErrVers,
    Procedure,
    RdmaError,
    TransportHeader,
    decode_transport_header,
    encode_transport_header,
)
from rpcrdma.xdr.runtime import ItemFault, Reader, word_at

if TYPE_CHECKING:
    from rpcrdma.xdr.runtime import Buffer

__all__ = [
    "FIXED_WORDS",
    "AnyHeader",
    "FixedWords",
    "decode_any_header",
    "encode_any_header",
    "fixed_words",
]

FIXED_WORDS: Final = 16
"""Octets that the four words take."""

AnyHeader = TransportHeader | v2.Rdma2Header
"""The header of either version."""

_FIXED: Final = struct.Struct(">IIII")

_NAMES: Final = ("rdma_xid", "rdma_vers", "rdma_credit", "rdma_proc")


class FixedWords(msgspec.Struct, frozen=True):
    """The words as numbers; `procedure` may be one that nobody knows.

    A frozen msgspec struct and no dataclass, as all that is made for every message: it costs a
    tenth.
    """

    xid: int
    version: int
    credit: int
    procedure: int

    @property
    def is_error(self) -> bool:
        """Whether the message is an RDMA_ERROR, in whichever version."""
        return self.procedure == Procedure.RDMA_ERROR


def fixed_words(message: Buffer, offset: int = 0) -> FixedWords:
    """The words of a message.

    Raises:
        DecodeError: it ends within them.
    """
    if len(message) >= offset + FIXED_WORDS:
        return FixedWords(*_FIXED.unpack_from(message, offset))
    reader, found = Reader(message, offset), list[int]()
    try:
        while len(found) < len(_NAMES):
            found.append(reader.word())
    except ItemFault as fault:
        fault.steps.append(_NAMES[len(found)])
        raise fault.as_decode_error() from None
    return FixedWords(*found)


def decode_any_header(buffer: Buffer, offset: int = 0) -> tuple[AnyHeader, int]:
    """The header at an offset by the decoder of its version, and the offset after it.

    Of a version that is neither One nor Two only the error that names a range of versions can be
    read, since it is the same in all of them; it comes as a `TransportHeader`.

    Raises:
        DecodeError: the octets are not what the version says they are, or it is an unknown one.
    """
    if len(buffer) < offset + FIXED_WORDS:
        fixed_words(buffer, offset)  # says which of them is cut
    version = word_at(buffer, offset + 4)
    if version == v2.VERSION:
        return v2.decode_header(buffer, offset)
    if version == 1:
        return decode_transport_header(buffer, offset)
    if word_at(buffer, offset + 12) == Procedure.RDMA_ERROR:
        header, end = decode_transport_header(buffer, offset)
        if isinstance(header.rdma_body, RdmaError) and isinstance(header.rdma_body.error, ErrVers):
            return header, end
    raise DecodeError(offset + 4, "rdma_vers", Reason.BAD_DISCRIMINANT, f"version {version}")


def encode_any_header(header: AnyHeader) -> bytes:
    """The octets of a header of either version.

    Raises:
        EncodeError: it holds what XDR cannot express.
    """
    if isinstance(header, v2.Rdma2Header):
        return v2.encode_header(header)
    return encode_transport_header(header)
