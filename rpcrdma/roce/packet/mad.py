"""Management datagrams: the common header, and the packet that carries one.

Connection management sends them to queue pair 1 of the other side, as unreliable datagrams.

    InfiniBand Architecture volume 1, 13.4.2, 13.4.3  MAD format and common header
    InfiniBand Architecture volume 1, 13.5.2          general services interface, queue pair 1
"""

from __future__ import annotations

import struct
from typing import Final

import msgspec

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.bth import BthOpcode, Deth, Packet

__all__ = [
    "DATA_LENGTH",
    "GENERAL_SERVICES",
    "MAD_LENGTH",
    "METHOD_SEND",
    "QUEUE_KEY",
    "Mad",
    "decode_mad",
    "encode_mad",
    "mad_packet",
]

MAD_LENGTH: Final = 256
GENERAL_SERVICES: Final = 1
"""The queue pair that takes MADs of connection management."""

QUEUE_KEY: Final = 0x80010000
"""The well-known Q_Key of queue pair 1."""

METHOD_SEND: Final = 0x03

_BASE_VERSION: Final = 1
_FIELDS: Final = struct.Struct(">BBBBHHQHHI")
DATA_LENGTH: Final = MAD_LENGTH - _FIELDS.size
"""Octets that follow the common header."""


class Mad(msgspec.Struct, frozen=True, gc=False):
    """A management datagram of base version 1.

    Attributes:
        management_class, class_version, method, status, specific, attribute, modifier: fields of
            the common header.
        transaction: transaction id.
        data: the 232 octets that follow.
    """

    management_class: int
    class_version: int
    method: int
    transaction: int
    attribute: int
    data: bytes
    status: int = 0
    specific: int = 0
    modifier: int = 0


def encode_mad(mad: Mad) -> bytes:
    """The 256 octets of a management datagram."""
    head = _FIELDS.pack(
        _BASE_VERSION,
        mad.management_class,
        mad.class_version,
        mad.method,
        mad.status,
        mad.specific,
        mad.transaction,
        mad.attribute,
        0,
        mad.modifier,
    )
    return head + mad.data


def decode_mad(octets: bytes) -> Mad:
    """The management datagram that the octets are.

    Raises:
        BadFrame: they are not 256, or of another base version.
    """
    if len(octets) != MAD_LENGTH:
        raise BadFrame(f"a management datagram has {MAD_LENGTH} octets, not {len(octets)}")
    base, kind, version, method, status, specific, transaction, attribute, _, modifier = (
        _FIELDS.unpack_from(octets)
    )
    if base != _BASE_VERSION:
        raise BadFrame(f"the management datagram has base version {base}, and only 1 is known")
    data = octets[_FIELDS.size :]
    return Mad(kind, version, method, transaction, attribute, data, status, specific, modifier)


def mad_packet(mad: bytes, psn: int) -> Packet:
    """The transport packet that carries a management datagram to the other side's queue pair 1."""
    return Packet(
        BthOpcode.UD_SEND_ONLY,
        GENERAL_SERVICES,
        psn,
        mad,
        deth=Deth(QUEUE_KEY, GENERAL_SERVICES),
    )
