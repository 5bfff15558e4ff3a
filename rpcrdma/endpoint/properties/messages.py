"""What the transport properties of one end have its connection do.

xcharext section 3.1  Receive Buffer Size
xcharext section 4    New Operations
v2 section 3.1        Optional Features (the error for what is not supported)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.wire import v2
from rpcrdma.wire.optional import encode_option

if TYPE_CHECKING:
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.rpc import MessageType

__all__ = ["OptionMessage", "Outgoing", "PostedLength", "Refusal"]


@dataclass(frozen=True, slots=True)
class OptionMessage:
    """An RDMA2_OPTIONAL message to be sent."""

    xid: int
    direction: MessageType
    option: Option

    @property
    def body(self) -> v2.Rdma2Optional:
        """What stands after the fixed words."""
        return encode_option(self.direction, self.option)

    @property
    def length(self) -> int:
        """Octets of the whole message, whatever its rdma_credit."""
        return _length(self.body)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An RDMA2_ERROR to be sent about the optional message with this XID."""

    xid: int
    error: v2.Rdma2ErrorBody

    @property
    def body(self) -> v2.Rdma2Error:
        """What stands after the fixed words."""
        return v2.Rdma2Error(self.error)

    @property
    def length(self) -> int:
        """Octets of the whole message, whatever its rdma_credit."""
        return _length(self.body)


@dataclass(frozen=True, slots=True)
class PostedLength:
    """Receives that are posted from now on have this many octets."""

    octets: int


Outgoing = OptionMessage | Refusal | PostedLength


def _length(body: v2.Rdma2Body) -> int:
    return len(v2.encode_header(v2.Rdma2Header(0, v2.VERSION, 0, body)))
