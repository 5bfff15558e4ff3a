"""Transport packets: the Base Transport Header, the headers that follow it, the payload.

A packet here is what stands between the UDP header and the ICRC.  Every opcode of the reliable
connection is known, also those that nothing here serves (immediate data, atomics): a responder
must see them to refuse them.

    InfiniBand Architecture volume 1, 9.2     Base Transport Header
    InfiniBand Architecture volume 1, 9.3     extended transport headers
    InfiniBand Architecture annex A17, A17.3  the same over UDP; no local or global route header
"""

from __future__ import annotations

import struct
from enum import Enum, IntEnum, IntFlag
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.errors import BadFrame

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DEFAULT_PARTITION",
    "OPERATIONS",
    "PSN_MASK",
    "Aeth",
    "BthOpcode",
    "Deth",
    "ExtendedHeader",
    "OpcodeMeaning",
    "Packet",
    "PacketPosition",
    "Reth",
    "TransportOperation",
    "decode",
    "encode",
]

PSN_MASK: Final = 0xFFFFFF
"""Packet sequence numbers and queue pair numbers have 24 bits."""

DEFAULT_PARTITION: Final = 0xFFFF
"""P_Key of the default partition, of which every port is a full member."""


class BthOpcode(IntEnum):
    """Opcodes of the reliable connection, and of the datagram that carries MADs (9.2)."""

    SEND_FIRST = 0x00
    SEND_MIDDLE = 0x01
    SEND_LAST = 0x02
    SEND_LAST_IMMEDIATE = 0x03
    SEND_ONLY = 0x04
    SEND_ONLY_IMMEDIATE = 0x05
    WRITE_FIRST = 0x06
    WRITE_MIDDLE = 0x07
    WRITE_LAST = 0x08
    WRITE_LAST_IMMEDIATE = 0x09
    WRITE_ONLY = 0x0A
    WRITE_ONLY_IMMEDIATE = 0x0B
    READ_REQUEST = 0x0C
    READ_RESPONSE_FIRST = 0x0D
    READ_RESPONSE_MIDDLE = 0x0E
    READ_RESPONSE_LAST = 0x0F
    READ_RESPONSE_ONLY = 0x10
    ACKNOWLEDGE = 0x11
    ATOMIC_ACKNOWLEDGE = 0x12
    COMPARE_SWAP = 0x13
    FETCH_ADD = 0x14
    SEND_LAST_INVALIDATE = 0x16
    SEND_ONLY_INVALIDATE = 0x17
    UD_SEND_ONLY = 0x64


class TransportOperation(Enum):
    """What a packet is a part of."""

    SEND = "Send"
    WRITE = "RDMA Write"
    READ_REQUEST = "RDMA Read request"
    READ_RESPONSE = "RDMA Read response"
    ACKNOWLEDGE = "acknowledge"
    ATOMIC = "atomic operation"
    ATOMIC_ACKNOWLEDGE = "atomic acknowledge"
    DATAGRAM = "datagram"


class PacketPosition(Enum):
    """Which packet of its message it is."""

    FIRST = "first"
    MIDDLE = "middle"
    LAST = "last"
    ONLY = "only"


class ExtendedHeader(IntFlag):
    """The headers that may follow the BTH, in the order in which they do (9.3)."""

    DETH = 0x01
    RETH = 0x02
    AETH = 0x04
    ATOMIC = 0x08
    ATOMIC_ACK = 0x10
    IMMEDIATE = 0x20
    INVALIDATE = 0x40


class OpcodeMeaning(msgspec.Struct, frozen=True):
    """What an opcode says of its packet."""

    operation: TransportOperation
    position: PacketPosition
    headers: ExtendedHeader = ExtendedHeader(0)


class Reth(msgspec.Struct, frozen=True, gc=False):
    """RDMA extended transport header (9.3.3): where an RDMA operation goes; handle is the R_Key."""

    offset: int
    handle: int
    length: int


class Aeth(msgspec.Struct, frozen=True, gc=False):
    """ACK extended transport header (9.3.5); `rpcrdma.roce.packet.aeth` reads syndromes."""

    syndrome: int
    msn: int


class Deth(msgspec.Struct, frozen=True, gc=False):
    """Datagram extended transport header (9.3.2); source is the sender's queue pair."""

    queue_key: int
    source: int


class Packet(msgspec.Struct, gc=False):
    """One transport packet, without its ICRC.

    Attributes:
        opcode: a `BthOpcode`, as a number.
        destination: number of the receiver's queue pair.
        psn: packet sequence number.
        payload: without padding.
        ack_request: the sender wants an acknowledgement.
        solicited: a solicited event, which wakes a sleeping receiver.
        migrated: path migration has taken place, or is not in use.
        partition: P_Key.
        reth, aeth, deth: the extended headers of those names, where the opcode has them.
        invalidate: R_Key that a Send With Invalidate names (IETH, 9.3.7).
        immediate: immediate data (9.3.6).
        atomic: AtomicETH, 28 octets, or AtomicAckETH, 8 octets, as they are (9.3.4, 9.3.5).
    """

    opcode: int
    destination: int
    psn: int
    payload: bytes = b""
    ack_request: bool = False
    solicited: bool = False
    migrated: bool = True
    partition: int = DEFAULT_PARTITION
    reth: Reth | None = None
    aeth: Aeth | None = None
    deth: Deth | None = None
    invalidate: int | None = None
    immediate: int | None = None
    atomic: bytes = b""


def _meanings() -> dict[int, OpcodeMeaning]:
    op, at, has = TransportOperation, PacketPosition, ExtendedHeader
    code = BthOpcode
    return {
        code.SEND_FIRST: OpcodeMeaning(op.SEND, at.FIRST),
        code.SEND_MIDDLE: OpcodeMeaning(op.SEND, at.MIDDLE),
        code.SEND_LAST: OpcodeMeaning(op.SEND, at.LAST),
        code.SEND_LAST_IMMEDIATE: OpcodeMeaning(op.SEND, at.LAST, has.IMMEDIATE),
        code.SEND_ONLY: OpcodeMeaning(op.SEND, at.ONLY),
        code.SEND_ONLY_IMMEDIATE: OpcodeMeaning(op.SEND, at.ONLY, has.IMMEDIATE),
        code.WRITE_FIRST: OpcodeMeaning(op.WRITE, at.FIRST, has.RETH),
        code.WRITE_MIDDLE: OpcodeMeaning(op.WRITE, at.MIDDLE),
        code.WRITE_LAST: OpcodeMeaning(op.WRITE, at.LAST),
        code.WRITE_LAST_IMMEDIATE: OpcodeMeaning(op.WRITE, at.LAST, has.IMMEDIATE),
        code.WRITE_ONLY: OpcodeMeaning(op.WRITE, at.ONLY, has.RETH),
        code.WRITE_ONLY_IMMEDIATE: OpcodeMeaning(op.WRITE, at.ONLY, has.RETH | has.IMMEDIATE),
        code.READ_REQUEST: OpcodeMeaning(op.READ_REQUEST, at.ONLY, has.RETH),
        code.READ_RESPONSE_FIRST: OpcodeMeaning(op.READ_RESPONSE, at.FIRST, has.AETH),
        code.READ_RESPONSE_MIDDLE: OpcodeMeaning(op.READ_RESPONSE, at.MIDDLE),
        code.READ_RESPONSE_LAST: OpcodeMeaning(op.READ_RESPONSE, at.LAST, has.AETH),
        code.READ_RESPONSE_ONLY: OpcodeMeaning(op.READ_RESPONSE, at.ONLY, has.AETH),
        code.ACKNOWLEDGE: OpcodeMeaning(op.ACKNOWLEDGE, at.ONLY, has.AETH),
        code.ATOMIC_ACKNOWLEDGE: OpcodeMeaning(
            op.ATOMIC_ACKNOWLEDGE, at.ONLY, has.AETH | has.ATOMIC_ACK
        ),
        code.COMPARE_SWAP: OpcodeMeaning(op.ATOMIC, at.ONLY, has.ATOMIC),
        code.FETCH_ADD: OpcodeMeaning(op.ATOMIC, at.ONLY, has.ATOMIC),
        code.SEND_LAST_INVALIDATE: OpcodeMeaning(op.SEND, at.LAST, has.INVALIDATE),
        code.SEND_ONLY_INVALIDATE: OpcodeMeaning(op.SEND, at.ONLY, has.INVALIDATE),
        code.UD_SEND_ONLY: OpcodeMeaning(op.DATAGRAM, at.ONLY, has.DETH),
    }


OPERATIONS: Final[Mapping[int, OpcodeMeaning]] = _meanings()
"""Opcode -> what its packet is (9.2)."""

_SIZES: Final = {
    ExtendedHeader.DETH: 8,
    ExtendedHeader.RETH: 16,
    ExtendedHeader.AETH: 4,
    ExtendedHeader.ATOMIC: 28,
    ExtendedHeader.ATOMIC_ACK: 8,
    ExtendedHeader.IMMEDIATE: 4,
    ExtendedHeader.INVALIDATE: 4,
}
"""Octets of each extended header."""

# Per opcode, for speed: plain integers in the place of flags, and the octets of all headers.
_HEADERS: Final = {code: int(meaning.headers) for code, meaning in OPERATIONS.items()}
_LENGTHS: Final = {
    code: 12 + sum(size for header, size in _SIZES.items() if header in meaning.headers)
    for code, meaning in OPERATIONS.items()
}
_DETH: Final = int(ExtendedHeader.DETH)
_RETH: Final = int(ExtendedHeader.RETH)
_AETH: Final = int(ExtendedHeader.AETH)
_ATOMICS: Final = int(ExtendedHeader.ATOMIC | ExtendedHeader.ATOMIC_ACK)
_IMMEDIATE: Final = int(ExtendedHeader.IMMEDIATE)
_INVALIDATE: Final = int(ExtendedHeader.INVALIDATE)

_BTH: Final = struct.Struct(">BBHII")
_RETH_FIELDS: Final = struct.Struct(">QII")
_DETH_FIELDS: Final = struct.Struct(">II")
_WORD: Final = struct.Struct(">I")

_SOLICITED: Final = 0x80
_MIGRATED: Final = 0x40
_PAD_SHIFT: Final = 4
_VERSION: Final = 0x0F
_ACK_REQUEST: Final = 0x80000000
_PADDING: Final = (b"", b"\0", b"\0\0", b"\0\0\0")


def encode(packet: Packet) -> bytes:
    """The octets of a packet up to its padding, without the ICRC.

    The extended headers are those that are set, whether its opcode has them or not: a tester sends
    wrong ones, too.
    """
    payload = packet.payload
    padding = -len(payload) & 3
    flags = padding << _PAD_SHIFT
    if packet.migrated:
        flags |= _MIGRATED
    if packet.solicited:
        flags |= _SOLICITED
    psn = packet.psn
    if packet.ack_request:
        psn |= _ACK_REQUEST
    octets = _BTH.pack(packet.opcode, flags, packet.partition, packet.destination, psn)
    if packet.deth is not None:
        octets += _DETH_FIELDS.pack(packet.deth.queue_key, packet.deth.source)
    if (reth := packet.reth) is not None:
        octets += _RETH_FIELDS.pack(reth.offset, reth.handle, reth.length)
    if (aeth := packet.aeth) is not None:
        octets += _WORD.pack(aeth.syndrome << 24 | aeth.msn)
    octets += packet.atomic
    if packet.immediate is not None:
        octets += _WORD.pack(packet.immediate)
    if packet.invalidate is not None:
        octets += _WORD.pack(packet.invalidate)
    return octets + payload + _PADDING[padding]


def decode(octets: bytes) -> Packet:
    """The packet that the octets are, from the BTH to the padding, without the ICRC.

    Reserved bits, and those of congestion notification, are passed over (9.2).

    Raises:
        BadFrame: they are too short for their headers or no whole number of words, have an opcode
            or a transport version that is unknown, or more padding than payload.
    """
    size = len(octets)
    if size < _BTH.size:
        raise BadFrame(f"{size} octets are too few for a Base Transport Header")
    opcode, flags, partition, destination, psn = _BTH.unpack_from(octets)
    start = _LENGTHS.get(opcode)
    if start is None:
        raise BadFrame(f"BTH opcode 0x{opcode:02x} is unknown")
    if flags & _VERSION:
        raise BadFrame(f"the BTH has transport version {flags & _VERSION}, and only 0 is known")
    padding = flags >> _PAD_SHIFT & 3
    if size < start + padding or size & 3:
        raise _bad_length(opcode, size, start, padding)
    packet = Packet(
        opcode,
        destination & PSN_MASK,
        psn & PSN_MASK,
        octets[start : size - padding],
        psn >= _ACK_REQUEST,
        flags >= _SOLICITED,
        flags & _MIGRATED != 0,
        partition,
    )
    if headers := _HEADERS[opcode]:
        _decode_headers(packet, headers, octets)
    return packet


def _decode_headers(packet: Packet, headers: int, octets: bytes) -> None:
    at = _BTH.size
    if headers & _DETH:
        queue_key, source = _DETH_FIELDS.unpack_from(octets, at)
        packet.deth = Deth(queue_key, source & PSN_MASK)
        at += _DETH_FIELDS.size
    if headers & _RETH:
        packet.reth = Reth(*_RETH_FIELDS.unpack_from(octets, at))
        at += _RETH_FIELDS.size
    if headers & _AETH:
        (word,) = _WORD.unpack_from(octets, at)
        packet.aeth = Aeth(word >> 24, word & PSN_MASK)
        at += _WORD.size
    if headers & _ATOMICS:
        # No opcode has anything after it.
        packet.atomic = octets[at : _LENGTHS[packet.opcode]]
    if headers & _IMMEDIATE:
        (packet.immediate,) = _WORD.unpack_from(octets, at)
    if headers & _INVALIDATE:
        (packet.invalidate,) = _WORD.unpack_from(octets, at)


def _bad_length(opcode: int, size: int, start: int, padding: int) -> BadFrame:
    name = BthOpcode(opcode).name
    if size < start:
        return BadFrame(f"{size} octets are too few for the {start} of the headers of {name}")
    if size < start + padding:
        return BadFrame(f"{name} has {padding} octets of padding and {size - start} of payload")
    return BadFrame(f"{size} octets of {name} are no whole number of words of four")
