"""What an RPC-over-RDMA Version One peer may say of itself when a connection is made.

rfc8797 section 4    Private Data Message Format
rfc8797 section 4.2  Send and Receive Size Values
"""

from __future__ import annotations

import struct
from typing import Final

import msgspec

__all__ = ["FORMAT_IDENTIFIER", "VersionOnePrivateData", "decode_private_data"]

FORMAT_IDENTIFIER: Final = 0xF6AB0E18

_LAYOUT: Final = struct.Struct(">IBBBB")
_VERSION: Final = 1
_REMOTE_INVALIDATION: Final = 0x01
_UNIT: Final = 1024
"""Octets; a size value of 0 means one of them."""


class VersionOnePrivateData(msgspec.Struct, frozen=True):
    """The message.

    Attributes:
        remote_invalidation: whether the sender supports it (the R field).
        send_size: octets of the longest message that the sender sends by RDMA Send.
        receive_size: octets of the longest that it receives.
    """

    remote_invalidation: bool
    send_size: int
    receive_size: int

    def __str__(self) -> str:
        invalidation = "remote invalidation" if self.remote_invalidation else "no invalidation"
        return f"sends {self.send_size}, receives {self.receive_size} octets, {invalidation}"


def decode_private_data(octets: bytes) -> VersionOnePrivateData | None:
    """The message with which private data begin; None if they are something else."""
    if len(octets) < _LAYOUT.size:
        return None
    identifier, version, flags, send, receive = _LAYOUT.unpack_from(octets)
    if (identifier, version) != (FORMAT_IDENTIFIER, _VERSION):
        return None
    return VersionOnePrivateData(
        bool(flags & _REMOTE_INVALIDATION), (send + 1) * _UNIT, (receive + 1) * _UNIT
    )
