"""Every RDMA segment of a message put somewhere else, the rest of the message as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rpcrdma.errors import DecodeError
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    WriteChunk,
    decode_any_header,
    decode_header,
    encode_any_header,
    v2,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.wire import AnyHeader, RdmaSegment

    Move = Callable[[RdmaSegment], RdmaSegment]

__all__ = ["move_segments"]


def move_segments(message: bytes, read: Move, write: Move) -> bytes:
    """The message with its read segments moved by `read`, those of its other chunks by `write`.

    Each is called once for a segment, in the order of the header.  A message that does not decode
    as one with chunk lists, in the version that it names or as Version One whatever it names, is
    returned as it is.
    """
    try:
        header, end = _header(message)
    except DecodeError:
        return message
    body = header.rdma_body
    if not isinstance(body, RdmaMsg | RdmaNomsg | v2.Rdma2Msg | v2.Rdma2Nomsg):
        return message

    def chunk(given: WriteChunk) -> WriteChunk:
        return WriteChunk(tuple(write(segment) for segment in given.target))

    moved = msgspec.structs.replace(
        body,
        rdma_reads=tuple(
            msgspec.structs.replace(item, target=read(item.target)) for item in body.rdma_reads
        ),
        rdma_writes=tuple(chunk(given) for given in body.rdma_writes),
        rdma_reply=chunk(body.rdma_reply) if body.rdma_reply else None,
    )
    return encode_any_header(msgspec.structs.replace(header, rdma_body=moved)) + message[end:]


def _header(message: bytes) -> tuple[AnyHeader, int]:
    """The header by its own version; that of Version One serves for the tests of odd versions."""
    try:
        return decode_any_header(message)
    except DecodeError:
        return decode_header(message)
