"""IPv4 and IPv6 headers, and addresses as text, as octets and as GIDs.

The headers made here are the fixed ones: RoCEv2 knows neither options, nor fragments, nor extension
headers (A17.3).  Those of others may have them, since not all that comes is RoCEv2.

    RFC 791 section 3.1   IPv4 header
    RFC 8200 section 3    IPv6 header
    InfiniBand Architecture annex A17  a GID is an IP address
"""

from __future__ import annotations

import socket
import struct
from functools import lru_cache
from typing import Final

import msgspec

from rpcrdma.errors import BadFrame, FabricError

__all__ = [
    "PROTOCOL_UDP",
    "InternetHeader",
    "address_octets",
    "address_of_gid",
    "address_text",
    "decode_internet",
    "encode_internet",
    "gid_of_address",
]

PROTOCOL_UDP: Final = 17

_IPV4: Final = struct.Struct(">BBHHHBBH4s4s")
_IPV6: Final = struct.Struct(">IHBB16s16s")
_IPV4_FIRST: Final = 0x45
"""Version 4, and five words of header."""

_WORDS: Final = 0x0F
_IPV6_FIRST: Final = 0x60000000
_DO_NOT_FRAGMENT: Final = 0x4000
_MORE_FRAGMENTS: Final = 0x2000
_FRAGMENT_OFFSET: Final = 0x1FFF
_LIFETIME: Final = 64
_ONES: Final = 0xFFFF
_MAPPED: Final = bytes(10) + b"\xff\xff"
_CACHED: Final = 1024
_IPV4_OCTETS: Final = 4
_IPV4_VERSION: Final = 4
_IPV6_VERSION: Final = 6


class InternetHeader(msgspec.Struct, frozen=True, gc=False):
    """What matters of an IP header.

    Attributes:
        source, destination: addresses, 4 or 16 octets.
        protocol: what follows; 17 is UDP.
        header_length: octets of the header, options included; length: octets that follow it.
        options: the header has some.
        fragment: only a part of a datagram follows.
    """

    source: bytes
    destination: bytes
    protocol: int
    header_length: int
    length: int
    options: bool = False
    fragment: bool = False


@lru_cache(_CACHED)
def address_octets(text: str) -> bytes:
    """The 4 or 16 octets of an address.

    Raises:
        FabricError: the text is no address.
    """
    try:
        return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)
    except (OSError, ValueError) as error:
        raise FabricError(f"{text!r} is no IP address") from error


@lru_cache(_CACHED)
def address_text(octets: bytes) -> str:
    """The canonical text of an address of 4 or 16 octets."""
    family = socket.AF_INET if len(octets) == _IPV4_OCTETS else socket.AF_INET6
    return socket.inet_ntop(family, octets)


def gid_of_address(text: str) -> bytes:
    """The GID of an address; that of an IPv4 address is the mapped one, ::ffff:a.b.c.d."""
    octets = address_octets(text)
    return _MAPPED + octets if len(octets) == _IPV4_OCTETS else octets


def address_of_gid(gid: bytes) -> str:
    """The address of a GID of 16 octets."""
    return address_text(gid[len(_MAPPED) :] if gid.startswith(_MAPPED) else gid)


def encode_internet(source: bytes, destination: bytes, length: int) -> bytes:
    """The header of a UDP datagram of `length` octets, its UDP header included.

    IPv4: identification 0 and "do not fragment", as the ICRC covers both and a UDP socket that
    may not fragment sends the same.

    Raises:
        FabricError: the addresses are of two families.
    """
    if len(source) != len(destination):
        raise FabricError("one address is of IPv4 and the other of IPv6")
    if len(source) != _IPV4_OCTETS:
        return _IPV6.pack(_IPV6_FIRST, length, PROTOCOL_UDP, _LIFETIME, source, destination)
    fields = (_IPV4_FIRST, 0, _IPV4.size + length, 0, _DO_NOT_FRAGMENT, _LIFETIME, PROTOCOL_UDP)
    header = _IPV4.pack(*fields, 0, source, destination)
    checksum = -int.from_bytes(header, "big") % _ONES
    return _IPV4.pack(*fields, checksum, source, destination)


def decode_internet(octets: bytes) -> InternetHeader:
    """The IP header with which the octets begin; more octets than its length may follow.

    Raises:
        BadFrame: it is cut off, of no known version, or has a wrong checksum or length.
    """
    if not octets:
        raise BadFrame("no octet of an IP header is there")
    version = octets[0] >> 4
    if version == _IPV4_VERSION:
        return _decode_ipv4(octets)
    if version == _IPV6_VERSION:
        return _decode_ipv6(octets)
    raise BadFrame(f"the IP header has version {version}, and only 4 and 6 are known")


def _decode_ipv4(octets: bytes) -> InternetHeader:
    size = max(_IPV4.size, 4 * (octets[0] & _WORDS))
    if len(octets) < size:
        raise BadFrame(f"{len(octets)} octets are too few for an IPv4 header of {size}")
    first, _, length, _, fragment, _, protocol, _, source, destination = _IPV4.unpack_from(octets)
    if first < _IPV4_FIRST:
        raise BadFrame(f"the IPv4 header claims a length of {first & _WORDS} words, less than 5")
    if int.from_bytes(octets[:size], "big") % _ONES:
        raise BadFrame("the IPv4 header's checksum is wrong")
    if not size <= length <= len(octets):
        raise BadFrame(f"the IPv4 header has length {length} where {len(octets)} octets are there")
    partial = fragment & (_MORE_FRAGMENTS | _FRAGMENT_OFFSET) != 0
    options = size > _IPV4.size
    return InternetHeader(source, destination, protocol, size, length - size, options, partial)


def _decode_ipv6(octets: bytes) -> InternetHeader:
    size = _IPV6.size
    if len(octets) < size:
        raise BadFrame(f"{len(octets)} octets are too few for an IPv6 header")
    _, length, protocol, _, source, destination = _IPV6.unpack_from(octets)
    if size + length > len(octets):
        raise BadFrame(f"the IPv6 header has length {length} where {len(octets)} octets are there")
    return InternetHeader(source, destination, protocol, size, length)
