"""Backward messages, for scenarios to send as they are or to spoil.

build_backward.reply(called, payload)          a client's answer to a device's Call
build_backward.call(xid, payload)              a server's Call to a device
build_backward.spoiled(message, chunk, room)   each way in which a message can be wrong, by name

bidir section 2.5  Sending A Backward Direction Call
bidir section 2.6  Sending A Backward Direction Reply
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.direction import message_type_of
from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader, encode_header
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from conformance.memory import ExposedChunk
    from conformance.outcome import Called
    from rpcrdma.wire import Body

__all__ = ["CREDITS", "Backward", "Spoiled", "call", "cut", "foreign", "reply", "spoiled"]

CREDITS: Final = 8
"""rdma_credit of messages that do not care."""

_NO_CHUNKS: Final = RdmaMsg((), (), None)

_BEHIND_THE_HEADER: Final = 40
"""Position of the arguments of a Call without credentials."""

_OTHER: Final = 0x5A5A5A5A
"""Bits by which another XID differs."""


@dataclass(frozen=True, slots=True)
class Backward:
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
        return encode_header(header) + self.payload


@dataclass(frozen=True, slots=True)
class Spoiled:
    """A backward message with one fault.

    Attributes:
        fault: in words.  octets: what is sent.
    """

    fault: str
    octets: bytes


def reply(called: Called, payload: bytes, *, credits: int = CREDITS) -> Backward:  # noqa: A002  # the word of the documents
    """The answer to a backward Call; `payload` is a complete RPC Reply."""
    return Backward(called.xid, payload, credits)


def call(xid: int, payload: bytes, *, credits: int = CREDITS) -> Backward:  # noqa: A002  # likewise
    """A backward Call; `payload` is a complete RPC Call with that XID."""
    return Backward(xid, payload, credits)


def foreign(message: Backward) -> Backward:
    """The message under an XID that nobody uses, in both headers."""
    xid = message.xid ^ _OTHER
    return replace(message, xid=xid, payload=xid.to_bytes(4) + message.payload[4:])


def cut(message: Backward, length: int, *, credits: int) -> bytes:  # noqa: A002  # likewise
    """The message with only the first `length` octets of its payload: too small (bidir 2.4)."""
    return replace(message, payload=message.payload[:length], credits=credits).octets


def spoiled(message: Backward, readable: ExposedChunk, room: ExposedChunk) -> tuple[Spoiled, ...]:
    """Each way in which bidir 2.5 and 2.6 can be broken, one at a time.

    Args:
        message: a good one.
        readable: memory that holds its payload.
        room: memory that can be written to.
    """
    chunk = room.write_chunk()
    bodies: dict[str, Body] = {
        "it has a Read list": RdmaMsg(readable.read_segments(_BEHIND_THE_HEADER), (), None),
        "it has a Write list": RdmaMsg((), (chunk,), None),
        "it has a Reply chunk": RdmaMsg((), (), chunk),
    }
    # What has no msg_type where it belongs is told by its lists (D-41).
    is_call = message_type_of(message.payload) == MessageType.CALL
    nomsg = RdmaNomsg(readable.read_segments(0) if is_call else (), (), chunk)
    other_xid = (message.xid ^ _OTHER).to_bytes(4)
    odd_type = message.payload[:4] + (2).to_bytes(4) + message.payload[8:]
    return (
        Spoiled("rdma_vers is two", replace(message, version=2).octets),
        *(Spoiled(fault, replace(message, body=body).octets) for fault, body in bodies.items()),
        Spoiled("it is an RDMA_NOMSG", replace(message, body=nomsg, payload=b"").octets),
        Spoiled(
            "the RPC header has another XID",
            replace(message, payload=other_xid + message.payload[4:]).octets,
        ),
        Spoiled(
            "the msg_type is neither CALL nor REPLY", replace(message, payload=odd_type).octets
        ),
    )
