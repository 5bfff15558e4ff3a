"""The hosts that a fuzzer plays towards a RoCE device: what they say, well-formed unless told.

A step (`fuzz.roce_steps`) becomes datagrams.  What it leaves open is what a good peer would say, so
that an input of a few octets gets far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fuzz.roce_steps import StepFlag
from rpcrdma.roce.packet.bth import (
    OPERATIONS,
    Aeth,
    BthOpcode,
    ExtendedHeader,
    Packet,
    Reth,
    TransportOperation,
    encode,
)
from rpcrdma.roce.packet.cm_messages import (
    AlternatePathResponse,
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectReply,
    DisconnectRequest,
    LoadAlternatePath,
    MessageReceipt,
    ReadyToUse,
    encode_cm,
)
from rpcrdma.roce.packet.cm_private_data import IpHeader, encode_private_data, service_of_port
from rpcrdma.roce.packet.datagram import Datagram
from rpcrdma.roce.packet.internet import gid_of_address
from rpcrdma.roce.packet.mad import GENERAL_SERVICES, mad_packet
from rpcrdma.roce.transport.work import packet_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fuzz.roce_steps import RoceStep
    from rpcrdma.fabric.memory import Region
    from rpcrdma.roce.connection import RoceConnection
    from rpcrdma.roce.packet.cm_messages import CmMessage

__all__ = [
    "GUID",
    "OTHER",
    "OWN",
    "PATH_MTU",
    "PEER",
    "PORT",
    "STRANGER",
    "Played",
    "datagram_of",
    "message_of",
    "messages_of_step",
    "packet_of",
    "request",
]

OWN: Final = "192.0.2.1"
PEER: Final = "192.0.2.2"
"""The host of the first connection."""

STRANGER: Final = "192.0.2.3"
"""A host without a connection."""

OTHER: Final = "192.0.2.4"
"""The host of the second connection, which is silent: all that comes is from the others."""

PORT: Final = 20049
PATH_MTU: Final = 256
GUID: Final = 0x0200_0000_0000_0001

_PATH_MTU_CODE: Final = 1
_UDP_PORT: Final = 49152
_NO_ICRC: Final = bytes(4)
_MOST_PAYLOAD: Final = 1024
_NOBODYS_HANDLE: Final = 0xDEAD
_FOREIGN_PARTITION: Final = 0x1234
_WORD: Final = 0xFFFF_FFFF
_NEW_QUEUE_PAIRS: Final = 0x900
_CODES: Final = 31
_REASONS: Final = 63

_ANSWERS: Final = {
    TransportOperation.READ_RESPONSE,
    TransportOperation.ACKNOWLEDGE,
    TransportOperation.ATOMIC_ACKNOWLEDGE,
}


@dataclass(slots=True)
class Played:
    """The peer's end of a connection with the device.

    Attributes:
        connection: the device's end.
        peer_id: communication id of the peer; own_id: of the device.
        next_psn: packet sequence number that the device expects next of a good peer.
        answered_psn: number of the device's first packet.
        memory: of the device, as `where` of a step counts it.
    """

    connection: RoceConnection
    peer_id: int
    own_id: int
    next_psn: int
    answered_psn: int
    memory: Sequence[Region] = ()


def datagram_of(transport: bytes, source: str, step: RoceStep | None = None) -> Datagram:
    """The datagram of a transport packet, spoilt as the step says."""
    intact = None
    if step is not None:
        if step.patch and step.patch_at < len(transport):
            at = step.patch_at
            transport = b"%b%c%b" % (
                transport[:at],
                transport[at] ^ step.patch,
                transport[at + 1 :],
            )
        transport = transport[: len(transport) - step.cut] if step.cut else transport
        intact = False if step.flags & StepFlag.BROKEN else None
    return Datagram(source, OWN, _UDP_PORT, transport + _NO_ICRC, intact)


def packet_of(step: RoceStep, played: Played) -> bytes:
    """The transport packet of a step."""
    meaning = OPERATIONS.get(step.code)
    is_answer = meaning is not None and meaning.operation in _ANSWERS
    packet = Packet(
        step.code,
        GENERAL_SERVICES if step.flags & StepFlag.SERVICES else played.connection.pair.number,
        (played.answered_psn if is_answer else played.next_psn) + step.delta & 0xFFFFFF,
        step.carried or bytes(step.size % (_MOST_PAYLOAD + 1)),
        bool(step.flags & StepFlag.ACK_REQUEST),
    )
    if step.flags & StepFlag.FOREIGN:
        packet.partition = _FOREIGN_PARTITION
    headers = ExtendedHeader(0) if meaning is None else meaning.headers
    handle, offset = _place(step, played)
    if headers & ExtendedHeader.RETH:
        packet.reth = Reth(offset, handle, step.length)
    if headers & ExtendedHeader.AETH:
        packet.aeth = Aeth(step.offset & 0xFF, step.length)
    if headers & ExtendedHeader.INVALIDATE:
        packet.invalidate = handle
    if headers & ExtendedHeader.IMMEDIATE:
        packet.immediate = step.offset & _WORD
    if headers & (ExtendedHeader.ATOMIC | ExtendedHeader.ATOMIC_ACK):
        packet.atomic = bytes(28 if headers & ExtendedHeader.ATOMIC else 8)
    if _is_good(step) and not is_answer:
        is_read = step.code == BthOpcode.READ_REQUEST
        played.next_psn += packet_count(step.length, PATH_MTU) if is_read else 1
    return encode(packet)


def _place(step: RoceStep, played: Played) -> tuple[int, int]:
    """Handle and address that a step speaks of."""
    index = step.where % (len(played.memory) + 1)
    if index == len(played.memory):
        return _NOBODYS_HANDLE, step.offset & _WORD
    region = played.memory[index]
    return region.handle, region.offset + step.offset


def _is_good(step: RoceStep) -> bool:
    """Whether a packet counts for the device: the peer's next one, and whole."""
    spoilt = StepFlag.BROKEN | StepFlag.FOREIGN | StepFlag.SECOND | StepFlag.SERVICES
    return not (step.source & 1 or step.delta or step.patch or step.cut or step.flags & spoilt)


def request(peer_id: int, source: str, queue_pair: int, port: int = PORT) -> ConnectRequest:
    """The request of a good peer."""
    return ConnectRequest(
        local_id=peer_id,
        service_id=service_of_port(port),
        guid=GUID,
        queue_pair=queue_pair,
        responder_resources=4,
        initiator_depth=4,
        remote_timeout=16,
        starting_psn=0xFFFFF0,  # so that numbers wrap
        local_timeout=16,
        retry=6,
        path_mtu=_PATH_MTU_CODE,
        rnr_retry=7,
        most_cm_retries=15,
        local_gid=gid_of_address(source),
        remote_gid=gid_of_address(OWN),
        ack_timeout=16,
        private_data=encode_private_data(IpHeader(4, _UDP_PORT, source, OWN), b""),
    )


def message_of(message: CmMessage, transaction: int) -> bytes:
    """The transport packet that carries a message of connection management."""
    return encode(mad_packet(encode_cm(message, transaction), 0))


def messages_of_step(step: RoceStep, played: Played, asked: int) -> list[CmMessage]:
    """The messages of a step; `asked` is the id of the device's own latest request."""
    ids = (
        (played.peer_id, played.own_id),
        (step.length, asked),
        (step.length, step.offset & _WORD),
    )
    local, remote = ids[step.where % len(ids)]
    moves = bool(step.flags & StepFlag.NEW_IDS)
    return [_message(step, played, local + moves * n, remote) for n in range(1 + step.repeat)]


def _message(step: RoceStep, played: Played, local: int, remote: int) -> CmMessage:
    """One message; `size` is a reason, a time, or what the message is about."""
    queue_pair = played.connection.pair.number + step.delta & 0xFFFFFF
    new = _NEW_QUEUE_PAIRS + (0 if step.delta else local & 0xFFFF)
    source = STRANGER if step.source & 1 else PEER
    code, about = step.size & _CODES, step.size >> 8 & 3
    match step.code % 9:
        case 0:
            return request(local, source, new, PORT + (step.size & 1))
        case 1:
            return ConnectReply(
                local_id=local, remote_id=remote, queue_pair=new, starting_psn=0xFFFFF0,
                responder_resources=4, initiator_depth=4, rnr_retry=7, guid=GUID,
            )  # fmt: skip
        case 2:
            return ReadyToUse(local_id=local, remote_id=remote)
        case 3:
            return ConnectReject(
                local_id=local, remote_id=remote, rejected=about, reason=step.size & _REASONS,
                information=GUID.to_bytes(8, "big"), information_length=8,
            )  # fmt: skip
        case 4:
            return MessageReceipt(
                local_id=local, remote_id=remote, received=about, service_timeout=code
            )
        case 5:
            return DisconnectRequest(local_id=local, remote_id=remote, queue_pair=queue_pair)
        case 6:
            return DisconnectReply(local_id=local, remote_id=remote)
        case 7:
            return LoadAlternatePath(
                local_id=local, remote_id=remote, queue_pair=queue_pair, remote_timeout=code
            )
        case _:
            return AlternatePathResponse(local_id=local, remote_id=remote, status=step.size & 3)
