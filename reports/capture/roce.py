"""RoCEv2 frames for the events of a trace: Ethernet, IPv4, UDP, BTH and its extensions, ICRC.

A trace holds verbs-level events, not packets; this module makes the packets that a RoCEv2 device
with a path MTU of 4096 octets would have sent for them, so that Wireshark can dissect a case.
Acknowledgements and the CM's own exchange are left out: nothing that a case judges is in them.

    InfiniBand Architecture volume 1, 5.2 (packet format), 9.2 (BTH), 9.3 (RETH, AETH, IETH)
    InfiniBand Architecture annex A17 (RoCEv2), A17.3.3 (ICRC)
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PATH_MTU", "BthOpcode", "Flow", "frame", "read", "send", "write"]

PATH_MTU: Final = 4096
"""Octets of payload in one packet at most; the largest that InfiniBand knows."""

_UDP_PORT: Final = 4791
_ETHERTYPE_IPV4: Final = 0x0800
_PSN_MASK: Final = 0xFFFFFF
_BTH_LENGTH: Final = 12
_MASKED_LINK_HEADER: Final = b"\xff" * 8


class BthOpcode(IntEnum):
    """BTH opcodes of the reliable connection that the suite uses."""

    SEND_FIRST = 0x00
    SEND_MIDDLE = 0x01
    SEND_LAST = 0x02
    SEND_ONLY = 0x04
    WRITE_FIRST = 0x06
    WRITE_MIDDLE = 0x07
    WRITE_LAST = 0x08
    WRITE_ONLY = 0x0A
    READ_REQUEST = 0x0C
    READ_RESPONSE_FIRST = 0x0D
    READ_RESPONSE_MIDDLE = 0x0E
    READ_RESPONSE_LAST = 0x0F
    READ_RESPONSE_ONLY = 0x10
    SEND_LAST_INVALIDATE = 0x16
    SEND_ONLY_INVALIDATE = 0x17


@dataclass(slots=True)
class Flow:
    """One direction of one connection: addresses, queue pair and the running sequence number.

    Attributes:
        source: IPv4 address of the sender, four octets; destination: likewise.
        port: UDP source port; differs from connection to connection, so that a dissector that
            keeps state by conversation keeps them apart.
        queue_pair: number of the receiver's queue pair.
        sequence: PSN of the next request.
    """

    source: bytes
    destination: bytes
    port: int
    queue_pair: int
    sequence: int = field(default=0)

    def next_sequence(self) -> int:
        """Take one PSN."""
        taken = self.sequence
        self.sequence = (taken + 1) & _PSN_MASK
        return taken


def send(flow: Flow, message: bytes, invalidate: int | None = None) -> Iterator[bytes]:
    """Frames of one Send; with `invalidate`, of a Send With Invalidate of that R_key."""
    pieces = _pieces(message)
    for number, piece in enumerate(pieces):
        first, last = number == 0, number == len(pieces) - 1
        extension = b""
        opcode = _position(first, last, BthOpcode.SEND_FIRST)
        if last and invalidate is not None:
            opcode = BthOpcode.SEND_ONLY_INVALIDATE if first else BthOpcode.SEND_LAST_INVALIDATE
            extension = struct.pack(">I", invalidate)
        yield frame(flow, opcode, flow.next_sequence(), extension, piece)


def write(flow: Flow, handle: int, offset: int, data: bytes) -> Iterator[bytes]:
    """Frames of one RDMA Write."""
    pieces = _pieces(data)
    for number, piece in enumerate(pieces):
        first, last = number == 0, number == len(pieces) - 1
        extension = _reth(handle, offset, len(data)) if first else b""
        opcode = _position(first, last, BthOpcode.WRITE_FIRST)
        yield frame(flow, opcode, flow.next_sequence(), extension, piece)


def read(
    request: Flow, response: Flow, handle: int, offset: int, length: int, data: bytes
) -> Iterator[bytes]:
    """Frames of one RDMA Read: the request, and the responses if `data` is known."""
    sequence = request.sequence
    extension = _reth(handle, offset, length)
    yield frame(request, BthOpcode.READ_REQUEST, sequence, extension, b"")
    pieces = _pieces(data)
    # A Read takes as many sequence numbers as its response has packets (IBA 9.7.3.2).
    count = max(1, -(-length // PATH_MTU))
    request.sequence = (sequence + count) & _PSN_MASK
    if len(data) != length:
        return
    for number, piece in enumerate(pieces):
        first, last = number == 0, number == len(pieces) - 1
        opcode = BthOpcode.READ_RESPONSE_MIDDLE
        if first and last:
            opcode = BthOpcode.READ_RESPONSE_ONLY
        elif first or last:
            opcode = BthOpcode.READ_RESPONSE_FIRST if first else BthOpcode.READ_RESPONSE_LAST
        acknowledgement = struct.pack(">I", 0) if first or last else b""
        yield frame(response, opcode, (sequence + number) & _PSN_MASK, acknowledgement, piece)


def frame(flow: Flow, opcode: BthOpcode, sequence: int, extension: bytes, payload: bytes) -> bytes:
    """One Ethernet frame; `extension` is the extended transport header that the opcode has."""
    padding = -len(payload) % 4
    transport = struct.pack(
        ">BBHII",
        opcode,
        0x40 | padding << 4,  # migration state "migrated", pad count
        0xFFFF,  # the default partition
        flow.queue_pair,
        sequence,
    )
    body = transport + extension + payload + bytes(padding)
    udp = struct.pack(">HHHH", flow.port, _UDP_PORT, 8 + len(body) + 4, 0)
    internet = struct.pack(">BBHHHBBH", 0x45, 0, 20 + 8 + len(body) + 4, 0, 0x4000, 64, 17, 0) + (
        flow.source + flow.destination
    )
    internet = internet[:10] + struct.pack(">H", _checksum(internet)) + internet[12:]
    link = _station(flow.destination) + _station(flow.source) + struct.pack(">H", _ETHERTYPE_IPV4)
    return link + internet + udp + body + _icrc(internet, udp, body)


def _pieces(data: bytes) -> list[bytes]:
    return [data[i : i + PATH_MTU] for i in range(0, len(data), PATH_MTU)] or [b""]


def _position(first: bool, last: bool, base: BthOpcode) -> BthOpcode:
    """FIRST, MIDDLE, LAST or ONLY of the operation whose FIRST is `base`."""
    if first and last:
        return BthOpcode(base + 4)
    if first:
        return base
    return BthOpcode(base + (2 if last else 1))


def _reth(handle: int, offset: int, length: int) -> bytes:
    return struct.pack(">QII", offset, handle, length)


def _station(address: bytes) -> bytes:
    """A locally administered MAC address for an IPv4 address."""
    return b"\x02\x00" + address


def _checksum(header: bytes) -> int:
    total: int = sum(struct.unpack(f">{len(header) // 2}H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF


def _icrc(internet: bytes, udp: bytes, body: bytes) -> bytes:
    """The invariant CRC: fields that a router may change count as all ones."""
    masked_internet = (
        internet[:1] + b"\xff" + internet[2:8] + b"\xff" + internet[9:10] + b"\xff\xff"
    ) + internet[12:]
    masked_udp = udp[:6] + b"\xff\xff"
    masked_transport = body[:4] + b"\xff" + body[5:_BTH_LENGTH]
    covered = _MASKED_LINK_HEADER + masked_internet + masked_udp + masked_transport
    return struct.pack("<I", zlib.crc32(covered + body[_BTH_LENGTH:]))
