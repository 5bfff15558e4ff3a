"""Tells Calls from Replies by msg_type, the only difference on a bidirectional connection.

rfc8166 section 2.2.2  RPC Calls
bidir section 1.5.4    Payload Size (msg_type of a message without chunks has a fixed place)
"""

from __future__ import annotations

from typing import Final

from conformance.oracle.header import as_one
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg, decode_any_header
from rpcrdma.wire.rpc import CallBody, MessageType, decode_message

__all__ = ["message_type", "whole_type"]

_PLACE: Final = slice(4, 8)
"""In the Payload stream, after the XID."""


def message_type(message: bytes) -> MessageType | None:
    """What an RDMA_MSG carries inline; None for any other message, and for any other word."""
    try:
        raw, end = decode_any_header(message)
    except DecodeError:
        return None
    header = as_one(raw)
    if header is None or not isinstance(header.rdma_body, RdmaMsg):
        return None
    word = int.from_bytes(message[end:][_PLACE])
    whole = len(message) >= end + _PLACE.stop
    return MessageType(word) if whole and word in tuple(MessageType) else None


def whole_type(payload: bytes) -> MessageType | None:
    """What an RPC message is whose header is whole; None if that is cut or no header."""
    try:
        message, _ = decode_message(payload)
    except DecodeError:
        return None
    return MessageType.CALL if isinstance(message.body, CallBody) else MessageType.REPLY
