"""What the transport properties of one end have its connection do.

xcharext section 3.1  Receive Buffer Size
xcharext section 4    New Operations
v2 section 3.1        Optional Features (the error for what is not supported)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.rpc import MessageType
    from rpcrdma.wire.v2 import Rdma2ErrorBody

__all__ = ["OptionMessage", "Outgoing", "PostedLength", "Refusal"]


@dataclass(frozen=True, slots=True)
class OptionMessage:
    """An RDMA2_OPTIONAL message to be sent."""

    xid: int
    direction: MessageType
    option: Option


@dataclass(frozen=True, slots=True)
class Refusal:
    """An RDMA2_ERROR to be sent about the optional message with this XID."""

    xid: int
    error: Rdma2ErrorBody


@dataclass(frozen=True, slots=True)
class PostedLength:
    """Receives that are posted from now on have this many octets."""

    octets: int


Outgoing = OptionMessage | Refusal | PostedLength
