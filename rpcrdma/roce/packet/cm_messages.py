"""The messages of connection management: requests, replies, ends of connections.

InfiniBand Architecture volume 1, 12.6   message formats, one table for each message
InfiniBand Architecture volume 1, 12.7   their fields
InfiniBand Architecture volume 1, 16.7.3 attribute ids
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.cm_fields import bits, decode_fields, encode_fields, octets
from rpcrdma.roce.packet.mad import METHOD_SEND, Mad, decode_mad, encode_mad

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.roce.packet.cm_fields import CmField

__all__ = [
    "AlternatePathResponse",
    "CmMessage",
    "ConnectReject",
    "ConnectReply",
    "ConnectRequest",
    "DisconnectReply",
    "DisconnectRequest",
    "LoadAlternatePath",
    "MessageReceipt",
    "ReadyToUse",
    "decode_cm",
    "encode_cm",
    "most_private_data",
]

_CM_CLASS: Final = 0x07
_CM_CLASS_VERSION: Final = 2
_NO_GID: Final = bytes(16)
_PERMISSIVE_LID: Final = 0xFFFF
"""RoCE has no local identifiers; Linux sends this one."""


class ConnectRequest(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """REQ: the active side asks for a connection (12.6.5).

    Attributes:
        local_id: communication id of the sender.
        service_id: what it wants to be connected with.
        guid: of the sender's channel adapter.
        queue_key: of a datagram service; 0 here.
        queue_pair: of the sender.
        responder_resources: most RDMA Reads under way that the sender answers.
        initiator_depth: most that it will have under way itself.
        remote_timeout: code of the time in which the receiver is to answer.
        transport_type: 0 is a reliable connection.
        flow_control: the sender implements end-to-end flow control.
        starting_psn: PSN that the sender expects to receive first.
        local_timeout: code of the time in which the sender answers.
        retry, rnr_retry: retry counts for the receiver's queue pair.
        partition: P_Key.
        path_mtu: code; `path_mtu_octets` says how many.
        most_cm_retries: how often the sender repeats itself.
        shared_receives: the queue pair is of a shared receive queue.
        extended_transport: 0 but for extended connections.
        local_lid, remote_lid, local_gid, remote_gid, flow_label, packet_rate, traffic_class,
            hop_limit, service_level, subnet_local, ack_timeout: the primary path; ack_timeout is
            the code for the receiver's queue pair (12.7.34).
        alternate: the alternate path, 44 octets as they are; all zero if there is none.
        private_data: up to 92 octets.
    """

    local_id: int
    service_id: int
    guid: int
    queue_key: int = 0
    queue_pair: int
    responder_resources: int = 0
    initiator_depth: int = 0
    remote_timeout: int
    transport_type: int = 0
    flow_control: int = 0
    starting_psn: int
    local_timeout: int
    retry: int
    partition: int = 0xFFFF
    path_mtu: int
    rnr_retry: int
    most_cm_retries: int
    shared_receives: int = 0
    extended_transport: int = 0
    local_lid: int = _PERMISSIVE_LID
    remote_lid: int = _PERMISSIVE_LID
    local_gid: bytes
    remote_gid: bytes
    flow_label: int = 0
    packet_rate: int = 0
    traffic_class: int = 0
    hop_limit: int = 64
    service_level: int = 0
    subnet_local: int = 0
    ack_timeout: int
    alternate: bytes = bytes(44)
    private_data: bytes = b""


class ConnectReply(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """REP: the passive side accepts (12.6.8); fields as in `ConnectRequest`.

    Attributes:
        remote_id: communication id of the receiver, in this message and all below.
        ack_delay: code of the time that the sender takes to acknowledge.
        failover: 0, alternate path accepted; 1, not supported; 2, rejected.
    """

    local_id: int
    remote_id: int
    queue_key: int = 0
    queue_pair: int
    end_to_end_context: int = 0
    starting_psn: int
    responder_resources: int = 0
    initiator_depth: int = 0
    ack_delay: int = 0
    failover: int = 0
    flow_control: int = 0
    rnr_retry: int
    shared_receives: int = 0
    guid: int
    private_data: bytes = b""


class ReadyToUse(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """RTU: the active side has seen the REP (12.6.9)."""

    local_id: int
    remote_id: int
    private_data: bytes = b""


class ConnectReject(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """REJ: no connection (12.6.7).

    Attributes:
        local_id: 0 if the sender has none for it.
        rejected: 0, a REQ; 1, a REP; 2, no message, as after a timeout.
        reason: a `RejectReason`, as a number.
        information: additional information, up to 72 octets; information_length: how many of them
            count.
    """

    local_id: int
    remote_id: int
    rejected: int
    information_length: int = 0
    reason: int
    information: bytes = b""
    private_data: bytes = b""


class MessageReceipt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """MRA, message receipt acknowledgement: the answer to a message takes longer (12.6.6).

    Attributes:
        received: 0, a REQ; 1, a REP; 2, a LAP.
        service_timeout: code of the time until the answer.
    """

    local_id: int
    remote_id: int
    received: int
    service_timeout: int
    private_data: bytes = b""


class DisconnectRequest(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """DREQ: one side ends the connection (12.6.10); queue_pair is the receiver's."""

    local_id: int
    remote_id: int
    queue_pair: int
    private_data: bytes = b""


class DisconnectReply(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """DREP: the other side has seen that (12.6.11)."""

    local_id: int
    remote_id: int
    private_data: bytes = b""


class LoadAlternatePath(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """LAP: another path is proposed (12.8.1); queue_pair is the receiver's."""

    local_id: int
    remote_id: int
    queue_pair: int
    remote_timeout: int
    local_lid: int = _PERMISSIVE_LID
    remote_lid: int = _PERMISSIVE_LID
    local_gid: bytes = _NO_GID
    remote_gid: bytes = _NO_GID
    flow_label: int = 0
    traffic_class: int = 0
    hop_limit: int = 64
    packet_rate: int = 0
    service_level: int = 0
    subnet_local: int = 0
    ack_timeout: int = 0
    private_data: bytes = b""


class AlternatePathResponse(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """APR: the answer to a LAP (12.8.2); status is a `PathStatus`, as a number."""

    local_id: int
    remote_id: int
    information_length: int = 0
    status: int
    information: bytes = b""
    private_data: bytes = b""


CmMessage: TypeAlias = (
    ConnectRequest
    | ConnectReply
    | ReadyToUse
    | ConnectReject
    | MessageReceipt
    | DisconnectRequest
    | DisconnectReply
    | LoadAlternatePath
    | AlternatePathResponse
)

_IDS: Final = {"local_id": bits(0, 32), "remote_id": bits(4, 32)}

_CONNECT_REQUEST: Final = {
    "local_id": bits(0, 32),
    "service_id": bits(8, 64),
    "guid": bits(16, 64),
    "queue_key": bits(28, 32),
    "queue_pair": bits(32, 24),
    "responder_resources": bits(35, 8),
    "initiator_depth": bits(39, 8),
    "remote_timeout": bits(43, 5),
    "transport_type": bits(43, 2, bit=5),
    "flow_control": bits(43, 1, bit=7),
    "starting_psn": bits(44, 24),
    "local_timeout": bits(47, 5),
    "retry": bits(47, 3, bit=5),
    "partition": bits(48, 16),
    "path_mtu": bits(50, 4),
    "rnr_retry": bits(50, 3, bit=5),
    "most_cm_retries": bits(51, 4),
    "shared_receives": bits(51, 1, bit=4),
    "extended_transport": bits(51, 3, bit=5),
    "local_lid": bits(52, 16),
    "remote_lid": bits(54, 16),
    "local_gid": octets(56, 16),
    "remote_gid": octets(72, 16),
    "flow_label": bits(88, 20),
    "packet_rate": bits(91, 6, bit=2),
    "traffic_class": bits(92, 8),
    "hop_limit": bits(93, 8),
    "service_level": bits(94, 4),
    "subnet_local": bits(94, 1, bit=4),
    "ack_timeout": bits(95, 5),
    "alternate": octets(96, 44),
    "private_data": octets(140, 92),
}

_CONNECT_REPLY: Final = {
    **_IDS,
    "queue_key": bits(8, 32),
    "queue_pair": bits(12, 24),
    "end_to_end_context": bits(16, 24),
    "starting_psn": bits(20, 24),
    "responder_resources": bits(24, 8),
    "initiator_depth": bits(25, 8),
    "ack_delay": bits(26, 5),
    "failover": bits(26, 2, bit=5),
    "flow_control": bits(26, 1, bit=7),
    "rnr_retry": bits(27, 3),
    "shared_receives": bits(27, 1, bit=3),
    "guid": bits(28, 64),
    "private_data": octets(36, 196),
}

_READY_TO_USE: Final = {**_IDS, "private_data": octets(8, 224)}

_CONNECT_REJECT: Final = {
    **_IDS,
    "rejected": bits(8, 2),
    "information_length": bits(9, 7),
    "reason": bits(10, 16),
    "information": octets(12, 72),
    "private_data": octets(84, 148),
}

_MESSAGE_RECEIVED: Final = {
    **_IDS,
    "received": bits(8, 2),
    "service_timeout": bits(9, 5),
    "private_data": octets(10, 222),
}

_DISCONNECT_REQUEST: Final = {
    **_IDS,
    "queue_pair": bits(8, 24),
    "private_data": octets(12, 220),
}

_DISCONNECT_REPLY: Final = {**_IDS, "private_data": octets(8, 224)}

_LOAD_ALTERNATE_PATH: Final = {
    **_IDS,
    "queue_pair": bits(12, 24),
    "remote_timeout": bits(15, 5),
    "local_lid": bits(20, 16),
    "remote_lid": bits(22, 16),
    "local_gid": octets(24, 16),
    "remote_gid": octets(40, 16),
    "flow_label": bits(56, 20),
    "traffic_class": bits(59, 8),
    "hop_limit": bits(60, 8),
    "packet_rate": bits(61, 6, bit=2),
    "service_level": bits(62, 4),
    "subnet_local": bits(62, 1, bit=4),
    "ack_timeout": bits(63, 5),
    "private_data": octets(64, 168),
}

_ALTERNATE_PATH_RESPONSE: Final = {
    **_IDS,
    "information_length": bits(8, 8),
    "status": bits(9, 8),
    "information": octets(12, 72),
    "private_data": octets(84, 148),
}

_MESSAGES: Final[Mapping[int, tuple[type[CmMessage], Mapping[str, CmField]]]] = {
    0x10: (ConnectRequest, _CONNECT_REQUEST),
    0x11: (MessageReceipt, _MESSAGE_RECEIVED),
    0x12: (ConnectReject, _CONNECT_REJECT),
    0x13: (ConnectReply, _CONNECT_REPLY),
    0x14: (ReadyToUse, _READY_TO_USE),
    0x15: (DisconnectRequest, _DISCONNECT_REQUEST),
    0x16: (DisconnectReply, _DISCONNECT_REPLY),
    0x19: (LoadAlternatePath, _LOAD_ALTERNATE_PATH),
    0x1A: (AlternatePathResponse, _ALTERNATE_PATH_RESPONSE),
}
"""Attribute id -> the message and its layout."""

_ATTRIBUTES: Final = {kind: attribute for attribute, (kind, _) in _MESSAGES.items()}


def most_private_data(kind: type[CmMessage]) -> int:
    """Octets of private data that a message has room for."""
    _, layout = _MESSAGES[_ATTRIBUTES[kind]]
    return layout["private_data"].size // 8


def encode_cm(message: CmMessage, transaction_id: int) -> bytes:
    """The 256 octets of a message.

    Raises:
        FabricError: a value has no room in its field.
    """
    attribute = _ATTRIBUTES[type(message)]
    data = encode_fields(_MESSAGES[attribute][1], message)
    return encode_mad(
        Mad(_CM_CLASS, _CM_CLASS_VERSION, METHOD_SEND, transaction_id, attribute, data)
    )


def decode_cm(octets: bytes) -> tuple[CmMessage, int]:
    """The message that the octets are, and its transaction id.

    Private data and additional information come in their whole length, zeroes included.

    Raises:
        BadFrame: they are no message of connection management, or none that is known here.
    """
    mad = decode_mad(octets)
    if (mad.management_class, mad.class_version) != (_CM_CLASS, _CM_CLASS_VERSION):
        raise BadFrame(
            f"management class {mad.management_class} version {mad.class_version} is not "
            f"connection management, class {_CM_CLASS} version {_CM_CLASS_VERSION}"
        )
    if mad.method != METHOD_SEND:
        raise BadFrame(f"connection management has no method 0x{mad.method:02x}")
    known = _MESSAGES.get(mad.attribute)
    if known is None:
        raise BadFrame(f"attribute 0x{mad.attribute:04x} of connection management is unknown")
    kind, layout = known
    return kind(**decode_fields(layout, mad.data)), mad.transaction
