"""ARP (RFC 826) for IPv4 over Ethernet."""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Final

import msgspec

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.ethernet import (
    BROADCAST,
    ETHERTYPE_ARP,
    ETHERTYPE_IPV4,
    decode_ethernet,
    encode_ethernet,
)
from rpcrdma.roce.packet.internet import address_octets, address_text

__all__ = ["ArpOperation", "ArpPacket", "arp_answer", "arp_from_frame", "arp_question"]

_FIELDS: Final = struct.Struct(">HHBBH6s4s6s4s")
_KIND: Final = (1, ETHERTYPE_IPV4, 6, 4)
"""Ethernet, IPv4, and the octets of an address of each."""


class ArpOperation(IntEnum):
    """What the sender wants."""

    REQUEST = 1
    REPLY = 2


class ArpPacket(msgspec.Struct, frozen=True, gc=False):
    """A question or an answer.

    Attributes:
        operation: which of both.
        sender_station, sender: who says it: station of 6 octets, address as text.
        target_station, target: whom it is about, or said to; no station in a question.
    """

    operation: int
    sender_station: bytes
    sender: str
    target_station: bytes
    target: str


def arp_question(station: bytes, address: str, wanted: str) -> bytes:
    """The frame that asks everybody for the station of `wanted`."""
    asked = ArpPacket(ArpOperation.REQUEST, station, address, bytes(6), wanted)
    return _frame(BROADCAST, asked)


def arp_answer(question: ArpPacket, station: bytes) -> bytes:
    """The frame that answers a question for an address of ours with our station."""
    answer = ArpPacket(
        ArpOperation.REPLY, station, question.target, question.sender_station, question.sender
    )
    return _frame(question.sender_station, answer)


def arp_from_frame(frame: bytes) -> ArpPacket | None:
    """What an ARP frame says; None of a frame of another kind, or of ARP for other networks.

    Raises:
        BadFrame: the frame ends too early.
    """
    head = decode_ethernet(frame)
    if head.ethertype != ETHERTYPE_ARP:
        return None
    if len(frame) < head.length + _FIELDS.size:
        raise BadFrame(f"{len(frame) - head.length} octets are too few for an ARP packet")
    *kind, operation, station, sender, target_station, target = _FIELDS.unpack_from(
        frame, head.length
    )
    if tuple(kind) != _KIND:
        return None
    return ArpPacket(operation, station, address_text(sender), target_station, address_text(target))


def _frame(destination: bytes, packet: ArpPacket) -> bytes:
    return encode_ethernet(destination, packet.sender_station, ETHERTYPE_ARP) + _FIELDS.pack(
        *_KIND,
        packet.operation,
        packet.sender_station,
        address_octets(packet.sender),
        packet.target_station,
        address_octets(packet.target),
    )
