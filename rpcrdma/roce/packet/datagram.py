"""RoCEv2 datagrams: a transport packet with its ICRC between two addresses; and their frames.

InfiniBand Architecture annex A17, A17.3  packet format of RoCEv2
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.ethernet import (
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    decode_ethernet,
    encode_ethernet,
)
from rpcrdma.roce.packet.icrc import ICRC_LENGTH, icrc, icrc_after, icrc_of_headers
from rpcrdma.roce.packet.internet import (
    PROTOCOL_UDP,
    address_octets,
    address_text,
    decode_internet,
    encode_internet,
)
from rpcrdma.roce.packet.udp import HEADER_LENGTH, PORT, decode_udp, encode_udp

__all__ = ["Datagram", "from_frame", "is_sealed", "seal", "to_frame"]

_LEAST: Final = 12 + ICRC_LENGTH
"""Octets of a Base Transport Header and an ICRC."""

_IP_TYPES: Final = (ETHERTYPE_IPV4, ETHERTYPE_IPV6)
_IPV4_VERSION: Final = 4
_CACHED: Final = 4096
"""Lengths of packets between two ends whose headers are kept."""


class Datagram(msgspec.Struct, frozen=True, gc=False):
    """A UDP datagram to port 4791.

    Attributes:
        source, destination: IP addresses, canonical text.
        port: UDP source port.
        payload: from the BTH up to and with the ICRC.
        intact: of a received one, whether its ICRC is right; None where the link cannot see: a UDP
            socket does not show the IP identification, which the ICRC covers.
    """

    source: str
    destination: str
    port: int
    payload: bytes
    intact: bool | None = None

    @property
    def transport(self) -> bytes:
        """The transport packet, without the ICRC."""
        return self.payload[:-ICRC_LENGTH]


def seal(source: str, destination: str, port: int, transport: bytes) -> Datagram:
    """The datagram of a transport packet: the ICRC is appended."""
    _, _, crc = _headers(source, destination, port, len(transport) + ICRC_LENGTH)
    return Datagram(source, destination, port, transport + icrc_after(crc, transport))


def is_sealed(datagram: Datagram) -> bool:
    """Whether the ICRC is the one that `seal` would have appended: with an identification of 0."""
    transport = datagram.payload[:-ICRC_LENGTH]
    sealed = seal(datagram.source, datagram.destination, datagram.port, transport)
    return sealed.payload == datagram.payload


def to_frame(datagram: Datagram, source_station: bytes, destination_station: bytes) -> bytes:
    """The whole Ethernet frame of a datagram, but for the frame check sequence.

    The ICRC is that of the payload, right or wrong.
    """
    payload = datagram.payload
    ethertype, headers, _ = _headers(
        datagram.source, datagram.destination, datagram.port, len(payload)
    )
    return encode_ethernet(destination_station, source_station, ethertype) + headers + payload


def from_frame(frame: bytes) -> Datagram | None:
    """The datagram in an Ethernet frame; None if it is no RoCEv2 datagram.

    What follows the datagram in the frame, as padding does, is passed over.

    Raises:
        BadFrame: it is one, or might be, and a header is wrong, it is a fragment, or it is too
            short.
    """
    link = decode_ethernet(frame)
    if link.ethertype not in _IP_TYPES:
        return None
    at = link.length
    head = decode_internet(frame[at:])
    if head.protocol != PROTOCOL_UDP:
        return None
    internet = frame[at : at + head.header_length]
    at += head.header_length
    body = frame[at : at + head.length]
    if head.fragment:
        raise BadFrame("the IP datagram is a fragment")
    port, destination_port, length = decode_udp(body)
    if destination_port != PORT:
        return None
    if head.options:
        raise BadFrame("the IPv4 header of a RoCEv2 packet has options")
    if length < _LEAST:
        raise BadFrame(f"{length} octets are too few for a RoCEv2 packet and its ICRC")
    udp, payload = body[:HEADER_LENGTH], body[HEADER_LENGTH : HEADER_LENGTH + length]
    return Datagram(
        address_text(head.source),
        address_text(head.destination),
        port,
        payload,
        icrc(internet, udp, payload[:-ICRC_LENGTH]) == payload[-ICRC_LENGTH:],
    )


@lru_cache(_CACHED)
def _headers(source: str, destination: str, port: int, length: int) -> tuple[int, bytes, int]:
    """Ethertype, IP and UDP header before `length` octets of payload, and the CRC up to there."""
    internet = encode_internet(
        address_octets(source), address_octets(destination), HEADER_LENGTH + length
    )
    udp = encode_udp(port, length)
    ethertype = ETHERTYPE_IPV4 if internet[0] >> 4 == _IPV4_VERSION else ETHERTYPE_IPV6
    return ethertype, internet + udp, icrc_of_headers(internet, udp)
