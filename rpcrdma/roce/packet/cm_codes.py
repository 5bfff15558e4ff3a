"""Codes in messages of connection management: reasons, statuses, path MTUs.

InfiniBand Architecture volume 1, 12.6.7.2  rejection reasons
InfiniBand Architecture volume 1, 12.8.2    status of an alternate path
InfiniBand Architecture volume 1, 12.7      fields
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from rpcrdma.errors import BadFrame

__all__ = [
    "PathStatus",
    "RejectReason",
    "path_mtu_code",
    "path_mtu_octets",
    "reason_text",
]


class RejectReason(IntEnum):
    """Why a connection was rejected (12.6.7.2)."""

    NO_QUEUE_PAIR = 1
    NO_END_TO_END_CONTEXT = 2
    NO_RESOURCES = 3
    TIMEOUT = 4
    UNSUPPORTED_REQUEST = 5
    INVALID_COMMUNICATION_ID = 6
    INVALID_COMMUNICATION_INSTANCE = 7
    INVALID_SERVICE_ID = 8
    INVALID_TRANSPORT_TYPE = 9
    STALE_CONNECTION = 10
    NO_RELIABLE_DATAGRAM_CHANNEL = 11
    PRIMARY_GID_REJECTED = 12
    PRIMARY_LID_REJECTED = 13
    INVALID_PRIMARY_SERVICE_LEVEL = 14
    INVALID_PRIMARY_TRAFFIC_CLASS = 15
    INVALID_PRIMARY_HOP_LIMIT = 16
    INVALID_PRIMARY_PACKET_RATE = 17
    ALTERNATE_GID_REJECTED = 18
    ALTERNATE_LID_REJECTED = 19
    INVALID_ALTERNATE_SERVICE_LEVEL = 20
    INVALID_ALTERNATE_TRAFFIC_CLASS = 21
    INVALID_ALTERNATE_HOP_LIMIT = 22
    INVALID_ALTERNATE_PACKET_RATE = 23
    PORT_AND_CM_REDIRECTED = 24
    PORT_REDIRECTED = 25
    INVALID_PATH_MTU = 26
    INSUFFICIENT_RESPONDER_RESOURCES = 27
    CONSUMER = 28
    RNR_RETRY_COUNT = 29
    DUPLICATE_COMMUNICATION_ID = 30
    INVALID_CLASS_VERSION = 31
    INVALID_PRIMARY_FLOW_LABEL = 32
    INVALID_ALTERNATE_FLOW_LABEL = 33


class PathStatus(IntEnum):
    """What became of a proposed alternate path (12.8.2)."""

    LOADED = 0
    INVALID_COMMUNICATION_ID = 1
    NOT_SUPPORTED = 2
    REJECTED = 3


_SMALLEST_MTU: Final = 128
_MTU_CODES: Final = range(1, 6)


def reason_text(reason: int) -> str:
    """A rejection's reason for a person: number and words."""
    if reason in RejectReason.__members__.values():
        return f"{reason}, {RejectReason(reason).name.lower().replace('_', ' ')}"
    return f"{reason}, unknown"


def path_mtu_octets(code: int) -> int:
    """The octets of a path MTU code: 1 is 256, 5 is 4096.

    Raises:
        BadFrame: the code is none.
    """
    if code not in _MTU_CODES:
        raise BadFrame(f"path MTU code {code} is none of 1 to 5")
    return _SMALLEST_MTU << code


def path_mtu_code(octets: int) -> int:
    """The code of the largest path MTU that is not above so many octets; of 256 at least."""
    return max((code for code in _MTU_CODES if _SMALLEST_MTU << code <= octets), default=1)
