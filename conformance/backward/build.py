"""Backward messages, for scenarios to send as they are or to spoil.

build_backward.reply(called, payload)          a client's answer to a device's Call
build_backward.call(xid, payload)              a server's Call to a device
build_backward.spoiled(message, chunk, room)   each way in which a message can be wrong, by name

bidir section 2.5  Sending A Backward Direction Call
bidir section 2.6  Sending A Backward Direction Reply
v2 section 4.2.2   Message Direction (the same messages by the headers of Version Two)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from conformance.oracle.header import encode_header
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    ReadSegment,
    TransportHeader,
    WriteChunk,
)
from rpcrdma.wire.rpc import MessageType, message_type_of

if TYPE_CHECKING:
    from conformance.oracle.outcome import Called
    from rpcrdma.wire import Body, RdmaSegment

__all__ = [
    "CHUNK_FAULTS",
    "CREDITS",
    "WORD_FAULTS",
    "BackwardMessage",
    "call",
    "cut",
    "foreign",
    "reply",
    "with_another_xid",
    "with_chunks",
    "with_other_words",
]

CREDITS: Final = 8
"""rdma_credit of messages that do not care."""

_NO_CHUNKS: Final = RdmaMsg((), (), None)

CHUNK_FAULTS: Final = ("read-list", "write-list", "reply-chunk", "nomsg")
"""What `with_chunks` makes: a list that is not empty, or a Long Message."""

WORD_FAULTS: Final = ("version-three", "msg-type")
"""What `with_other_words` makes: rdma_vers, a msg_type that is none."""

_BEHIND_THE_HEADER: Final = 40
"""Position of the arguments of a Call without credentials."""

_OTHER: Final = 0x5A5A5A5A
"""Bits by which another XID differs."""


@dataclass(frozen=True, slots=True)
class BackwardMessage:
    """A backward message: what is in its header, and its Payload stream."""

    xid: int
    payload: bytes
    credits: int = CREDITS
    version: int = 1
    body: Body = _NO_CHUNKS

    @property
    def octets(self) -> bytes:
        """The message."""
        header = TransportHeader(self.xid, self.version, self.credits, self.body)
        is_reply = message_type_of(self.payload) == MessageType.REPLY
        direction = MessageType.REPLY if is_reply else MessageType.CALL
        return encode_header(header, direction) + self.payload


def reply(called: Called, payload: bytes, *, credits: int = CREDITS) -> BackwardMessage:  # noqa: A002  # the word of the documents
    """The answer to a backward Call, in its version; `payload` is a complete RPC Reply."""
    return BackwardMessage(called.xid, payload, credits, 1 if called.two is None else 2)


def call(xid: int, payload: bytes, *, credits: int = CREDITS, version: int = 1) -> BackwardMessage:  # noqa: A002  # likewise
    """A backward Call; `payload` is a complete RPC Call with that XID."""
    return BackwardMessage(xid, payload, credits, version)


def foreign(message: BackwardMessage) -> BackwardMessage:
    """The message under an XID that nobody uses, in both headers."""
    xid = message.xid ^ _OTHER
    return replace(message, xid=xid, payload=xid.to_bytes(4) + message.payload[4:])


def cut(message: BackwardMessage, length: int, *, credits: int) -> bytes:  # noqa: A002  # likewise
    """The message with only the first `length` octets of its payload: too small (bidir 2.4)."""
    return replace(message, payload=message.payload[:length], credits=credits).octets


def with_chunks(message: BackwardMessage, segment: RdmaSegment, fault: str) -> BackwardMessage:
    """The message with one of `CHUNK_FAULTS`; its header tells of one segment, in whichever list.

    As an RDMA_NOMSG a Call has a Position-Zero Read chunk, and a Reply has none (D-41).
    """
    chunk = WriteChunk((segment,))
    if fault == "nomsg":
        is_call = message_type_of(message.payload) == MessageType.CALL
        reads = (ReadSegment(0, segment),) if is_call else ()
        return replace(message, body=RdmaNomsg(reads, (), chunk), payload=b"")
    bodies = {
        "read-list": RdmaMsg((ReadSegment(_BEHIND_THE_HEADER, segment),), (), None),
        "write-list": RdmaMsg((), (chunk,), None),
        "reply-chunk": RdmaMsg((), (), chunk),
    }
    return replace(message, body=bodies[fault])


def with_other_words(message: BackwardMessage, fault: str) -> BackwardMessage:
    """The message with one of `WORD_FAULTS`."""
    if fault == "version-three":
        return replace(message, version=3)
    odd_type = message.payload[:4] + (2).to_bytes(4) + message.payload[8:]
    return replace(message, payload=odd_type)


def with_another_xid(message: BackwardMessage) -> BackwardMessage:
    """The message with another XID in its RPC header than in the header of the transport."""
    return replace(message, payload=(message.xid ^ _OTHER).to_bytes(4) + message.payload[4:])
