"""UDP headers (RFC 768), as RoCEv2 uses them: port 4791, no checksum (A17.3)."""

from __future__ import annotations

import struct
from typing import Final

from rpcrdma.errors import BadFrame

__all__ = ["HEADER_LENGTH", "PORT", "decode_udp", "encode_udp"]

PORT: Final = 4791
"""The destination port of every RoCEv2 datagram."""

_FIELDS: Final = struct.Struct(">HHHH")
HEADER_LENGTH: Final = _FIELDS.size


def encode_udp(source_port: int, length: int) -> bytes:
    """The header of a RoCEv2 datagram with `length` octets of payload.

    The checksum is left out, over IPv6 too: the ICRC covers more.
    """
    return _FIELDS.pack(source_port, PORT, HEADER_LENGTH + length, 0)


def decode_udp(octets: bytes) -> tuple[int, int, int]:
    """Source port, destination port, octets of payload.

    The checksum is not looked at.

    Raises:
        BadFrame: the header is cut off, or its length is none.
    """
    if len(octets) < HEADER_LENGTH:
        raise BadFrame(f"{len(octets)} octets are too few for a UDP header")
    source, destination, length, _ = _FIELDS.unpack_from(octets)
    if not HEADER_LENGTH <= length <= len(octets):
        raise BadFrame(f"UDP has length {length} where {len(octets)} octets are there")
    return source, destination, length - HEADER_LENGTH
