"""What goes out: the actions that an `Endpoint` asks its driver for, in the order to be done.

    rfc8166 section 3.5.2  Writes are posted before the Send that tells of them
    rfc8166 section 4.4    Memory Registration

The driver owns all memory and every work request; the endpoint knows both by the keys that it
chose.  `Deliver` is for the application.  Frozen msgspec structs, for the reason given in
`rpcrdma.endpoint.core.events`.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Access

__all__ = [
    "Action",
    "ApplicationEvent",
    "CallFailed",
    "Deliver",
    "Disconnect",
    "Failure",
    "Forget",
    "Invalidate",
    "PostReceive",
    "RdmaRead",
    "RdmaWrite",
    "ReceivePart",
    "Register",
    "ReplyReceived",
    "Send",
    "Transfer",
]


_LENGTHS: Final = 64
"""Different lengths of Receives that are in use at one time, at most; more cost time only."""


class Transfer(msgspec.Struct, frozen=True):
    """One RDMA operation of a schedule.

    Attributes:
        start: of the local octets, from the start of the action's memory.
        length: in octets, never 0.
        handle: of the peer's memory.
        offset: of the first octet there.
    """

    start: int
    length: int
    handle: int
    offset: int


class ReceivePart(msgspec.Struct, frozen=True):
    """One segment of a Receive.

    Attributes:
        length: octets.
        key: of registered memory that it lies in; None for memory of the driver's choice.
        start: of the segment within that memory.
    """

    length: int
    key: int | None = None
    start: int = 0


class PostReceive(msgspec.Struct, frozen=True):
    """Post a Receive, whose message fills the parts in their order."""

    parts: tuple[ReceivePart, ...]

    @staticmethod
    @lru_cache(_LENGTHS)
    def of(length: int) -> PostReceive:
        """A Receive of `length` octets of memory of the driver's choice."""
        return PostReceive((ReceivePart(length),))

    @property
    def length(self) -> int:
        """Octets of the longest message that fits."""
        return sum(part.length for part in self.parts)


class Send(msgspec.Struct, frozen=True):
    """Send a message; only a failure is reported back, under `key`.

    Attributes:
        invalidate: handle of the peer's that the Send invalidates; None for a plain Send.
    """

    key: int
    data: bytes
    invalidate: int | None = None


class RdmaRead(msgspec.Struct, frozen=True):
    """Fill `length` octets of local memory by RDMA Reads; answered by `ReadCompleted`."""

    key: int
    length: int
    transfers: tuple[Transfer, ...]


class RdmaWrite(msgspec.Struct, frozen=True):
    """Write parts of `data` by RDMA Writes; only a failure is reported back."""

    key: int
    data: bytes
    transfers: tuple[Transfer, ...]


class Register(msgspec.Struct, frozen=True):
    """Register memory that holds `data` at its start; answered by `Registered`."""

    key: int
    length: int
    access: Access
    data: bytes = b""


class Invalidate(msgspec.Struct, frozen=True):
    """End the peer's access, then hand over the first `fetch` octets: `Invalidated`."""

    key: int
    fetch: int = 0


class Forget(msgspec.Struct, frozen=True):
    """Hand over the first `fetch` octets of memory that the peer has invalidated: `Invalidated`.

    Its handle is no longer this end's to invalidate (xcharext 3.2).
    """

    key: int
    fetch: int = 0


class Disconnect(msgspec.Struct, frozen=True):
    """End the connection; `reason` is for the trace reader and the log."""

    reason: str


class Failure(Enum):
    """Why a call ended without a reply."""

    REFUSED_VERSION = "the Responder does not support this version of RPC-over-RDMA"
    REFUSED_CHUNKS = "the Responder cannot process the call (ERR_CHUNK)"
    BAD_REPLY = "the reply breaks a rule of the transport or of the binding"
    CANNOT_SEND = "the call could not be constructed or transmitted"
    CONNECTION_LOST = "the connection was lost before a reply came"
    CANCELLED = "the application cancelled the call"


class ReplyReceived(msgspec.Struct, frozen=True):
    """The call is complete; `payload` is the unreduced reply."""

    token: int
    payload: bytes


class CallFailed(msgspec.Struct, frozen=True):
    """The call is over without a reply; the failure is permanent (rfc8166 4.5)."""

    token: int
    failure: Failure
    detail: str = ""


ApplicationEvent: TypeAlias = ReplyReceived | CallFailed


class Deliver(msgspec.Struct, frozen=True):
    """Tell the application."""

    event: ApplicationEvent


Action: TypeAlias = (
    PostReceive
    | Send
    | RdmaRead
    | RdmaWrite
    | Register
    | Invalidate
    | Forget
    | Disconnect
    | Deliver
)
