"""The head that rdma_cm puts before the private data of a REQ: who calls whom, in IP's terms.

InfiniBand Architecture annex A11  RDMA IP CM service: service ids, private data format
"""

from __future__ import annotations

import struct
from typing import Final

import msgspec

from rpcrdma.errors import BadFrame, FabricError
from rpcrdma.roce.packet.internet import address_octets, address_text

__all__ = [
    "MOST_USER_DATA",
    "IpHeader",
    "decode_private_data",
    "encode_private_data",
    "port_of_service",
    "service_of_port",
]

_FIELDS: Final = struct.Struct(">BBH16s16s")
_WHOLE: Final = 92
MOST_USER_DATA: Final = _WHOLE - _FIELDS.size
"""Octets that are left for the user of rdma_cm: 56."""

_TCP_SERVICES: Final = 0x0000000001060000
"""Service ids of IP protocol 6, ports in the low 16 bits."""

_PORTS: Final = 0xFFFF
_VERSIONS: Final = {4: 4, 6: 16}
"""IP version -> octets of an address."""


class IpHeader(msgspec.Struct, frozen=True, gc=False):
    """Who calls whom.

    Attributes:
        version: 4 or 6.
        port: source port.
        source, destination: addresses, as text.
    """

    version: int
    port: int
    source: str
    destination: str


def service_of_port(port: int) -> int:
    """The service id of a TCP port."""
    return _TCP_SERVICES + port


def port_of_service(service_id: int) -> int | None:
    """The TCP port of a service id; None of another kind of service."""
    return service_id & _PORTS if service_id & ~_PORTS == _TCP_SERVICES else None


def encode_private_data(header: IpHeader, user_data: bytes) -> bytes:
    """The 92 octets of private data; the user's end in zeroes.

    Raises:
        FabricError: there are more than 56 of the user's.
    """
    if len(user_data) > MOST_USER_DATA:
        raise FabricError(
            f"{len(user_data)} octets of private data; a REQ carries {MOST_USER_DATA}"
        )
    head = _FIELDS.pack(
        0, header.version << 4, header.port, _padded(header.source), _padded(header.destination)
    )
    return (head + user_data).ljust(_WHOLE, b"\0")


def decode_private_data(octets: bytes) -> tuple[IpHeader, bytes]:
    """The header, and the user's 56 octets.

    Raises:
        BadFrame: they are too few, or of a version that is unknown.
    """
    if len(octets) < _FIELDS.size:
        raise BadFrame(f"{len(octets)} octets are too few for rdma_cm's private data")
    version, internet, port, source, destination = _FIELDS.unpack_from(octets)
    if version:
        raise BadFrame(f"rdma_cm's private data has version 0x{version:02x}, and only 0 is known")
    size = _VERSIONS.get(internet >> 4)
    if size is None:
        raise BadFrame(f"rdma_cm's private data has IP version {internet >> 4}")
    header = IpHeader(
        internet >> 4, port, address_text(source[-size:]), address_text(destination[-size:])
    )
    return header, octets[_FIELDS.size :]


def _padded(address: str) -> bytes:
    """An address in the last octets of 16."""
    return address_octets(address).rjust(16, b"\0")
