"""Ethernet II frames: stations and what the frame carries; VLAN tags are passed over.

IEEE 802.3 clause 3.2   Ethernet frame, without preamble and frame check sequence
IEEE 802.1Q clause 9    VLAN tags
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Final

import msgspec

from rpcrdma.errors import BadFrame

__all__ = [
    "BROADCAST",
    "ETHERTYPE_ARP",
    "ETHERTYPE_IPV4",
    "ETHERTYPE_IPV6",
    "EthernetHeader",
    "decode_ethernet",
    "encode_ethernet",
]

ETHERTYPE_IPV4: Final = 0x0800
ETHERTYPE_ARP: Final = 0x0806
ETHERTYPE_IPV6: Final = 0x86DD

BROADCAST: Final = b"\xff" * 6
"""The station address of everybody."""

_VLAN_TAGS: Final = (0x8100, 0x88A8)
_VLAN_LENGTH: Final = 4
_FIELDS: Final = struct.Struct(">6s6sH")
_TYPE: Final = struct.Struct(">H")
_CACHED: Final = 1024


class EthernetHeader(msgspec.Struct, frozen=True, gc=False):
    """The head of a frame.

    Attributes:
        destination, source: stations, 6 octets each.
        ethertype: what the frame carries.
        length: octets before that, VLAN tags included.
    """

    destination: bytes
    source: bytes
    ethertype: int
    length: int


@lru_cache(_CACHED)
def encode_ethernet(destination: bytes, source: bytes, ethertype: int) -> bytes:
    """The head of a frame without a tag."""
    return _FIELDS.pack(destination, source, ethertype)


def decode_ethernet(frame: bytes) -> EthernetHeader:
    """The head of a frame.

    Raises:
        BadFrame: the frame ends in its head.
    """
    if len(frame) < _FIELDS.size:
        raise BadFrame(f"{len(frame)} octets are too few for an Ethernet frame")
    destination, source, ethertype = _FIELDS.unpack_from(frame)
    length = _FIELDS.size
    while ethertype in _VLAN_TAGS:
        length += _VLAN_LENGTH
        if len(frame) < length:
            raise BadFrame(f"the Ethernet frame ends in a VLAN tag, after {len(frame)} octets")
        (ethertype,) = _TYPE.unpack_from(frame, length - _TYPE.size)
    return EthernetHeader(destination, source, ethertype, length)
