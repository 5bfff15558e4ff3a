# Invariant: whatever the octets, taking them for an Ethernet frame, a transport packet or a message
# of connection management either raises BadFrame, or gives something that encodes to octets which
# mean the same; reserved bits alone are passed over, so what is encoded has as many octets.
"""Fuzz harness of what RoCEv2 frames are taken for (`rpcrdma/roce/packet`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from fuzz.invariant import BrokenInvariant
from fuzz.registry import FuzzHarness
from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.bth import BthOpcode, Packet, decode, encode
from rpcrdma.roce.packet.cm_messages import CmMessage, decode_cm, encode_cm
from rpcrdma.roce.packet.cm_private_data import decode_private_data, encode_private_data
from rpcrdma.roce.packet.datagram import Datagram, from_frame, seal, to_frame
from rpcrdma.roce.packet.mad import GENERAL_SERVICES

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HARNESS", "RocePacketCodec", "check"]

_SOURCE: Final = "192.0.2.2"
_DESTINATION: Final = "192.0.2.1"
_UDP_PORT: Final = 49152
_STATIONS: Final = b"\x02" + bytes(5), b"\x02" + bytes(4) + b"\x01"

Decoded = TypeVar("Decoded")


class RocePacketCodec:
    """The decoders, as they are."""

    def datagram(self, frame: bytes) -> Datagram | None:
        """The RoCEv2 datagram in a frame; here as below, BadFrame alone may be raised."""
        return from_frame(frame)

    def packet(self, octets: bytes) -> Packet:
        """A transport packet."""
        return decode(octets)

    def message(self, octets: bytes) -> tuple[CmMessage, int]:
        """A message of connection management, and its transaction."""
        return decode_cm(octets)


def check(octets: bytes, codec: RocePacketCodec) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for these octets."""
    datagram = _decoded(codec.datagram, octets)
    if datagram is not None:
        _require_same("frame", datagram, _again(codec, datagram))
    # An input that is no frame is still a packet, so that mutations need not keep three headers.
    transport = octets if datagram is None else datagram.transport
    packet = _decoded(codec.packet, transport)
    if packet is None:
        _check_message(octets, codec)
        return
    encoded = encode(packet)
    _require_same("packet", packet, codec.packet(encoded))
    _require_same("packet-octets", _kept(transport), _kept(encoded))
    if packet.destination == GENERAL_SERVICES:
        _check_message(packet.payload, codec)


def _kept(transport: bytes) -> tuple[int, bytes]:
    """How long a packet is, and its BTH without the octets that are reserved in part or whole."""
    return len(transport), transport[:4] + transport[5:8] + transport[9:12]


def _check_message(octets: bytes, codec: RocePacketCodec) -> None:
    found = _decoded(codec.message, octets)
    if found is None:
        return
    message, transaction = found
    _require_same("message", found, codec.message(encode_cm(message, transaction)))
    head = _decoded(decode_private_data, message.private_data)
    if head is not None and len(message.private_data) == _REQUEST_DATA:
        encoded = encode_private_data(*head)
        _require_same("private-data", head, decode_private_data(encoded))


_REQUEST_DATA: Final = 92
"""Octets of private data of a REQ, which alone has rdma_cm's header in them."""


def _decoded(decoder: Callable[[bytes], Decoded], octets: bytes) -> Decoded | None:
    try:
        return decoder(octets)
    except BadFrame:
        return None


def _again(codec: RocePacketCodec, datagram: Datagram) -> Datagram | None:
    """The datagram in the frame that is made of it; its ICRC is as right or wrong as before."""
    sealed = seal(datagram.source, datagram.destination, datagram.port, datagram.transport)
    again = codec.datagram(to_frame(sealed, *_STATIONS))
    if again is None or again.intact is not True:
        raise BrokenInvariant("seal", f"{again} of {datagram}")
    return msgspec.structs.replace(again, payload=datagram.payload, intact=datagram.intact)


def _require_same(what: str, before: object, after: object) -> None:
    if before != after:
        raise BrokenInvariant(f"{what}-round-trip", f"{before} became {after}")


def _messages(octets: bytes) -> list[bytes]:
    """The message that a frame carries in a Send."""
    try:
        datagram = from_frame(octets)
        packet = None if datagram is None else decode(datagram.transport)
    except BadFrame:
        return []
    return [packet.payload] if packet is not None and packet.opcode == BthOpcode.SEND_ONLY else []


def _frame(message: bytes) -> bytes:
    """The frame of a Send."""
    transport = encode(Packet(BthOpcode.SEND_ONLY, 0x10, 0, message, ack_request=True))
    return to_frame(seal(_SOURCE, _DESTINATION, _UDP_PORT, transport), *_STATIONS)


HARNESS: Final = FuzzHarness(
    title="what RoCEv2 frames, transport packets and messages of connection management say",
    dictionary="roce.dict",
    check=check,
    reference=RocePacketCodec,
    messages=_messages,
    seeds=lambda messages: [_frame(message) for message in messages],
)
