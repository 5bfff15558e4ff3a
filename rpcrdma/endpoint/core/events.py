"""What comes in: the events that an `Endpoint` handles.

    rfc8166 section 4.5.3  what RDMA operations can report
    rfc8166 section 4.5.4  what can fail beside them

A driver makes these of what its fabric tells it, an application of what it wants.  `key` is the
number that the endpoint gave to a piece of work or memory in the action that asked for it
(`rpcrdma.endpoint.core.actions`).

These are frozen msgspec structs and not dataclasses: one or two are made for every message, and a
struct costs a tenth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

if TYPE_CHECKING:
    from rpcrdma.ulp.bindings import ReplyExpectation, UpperLayer
    from rpcrdma.wire.operations import ReptErr
    from rpcrdma.wire.transmission import Transmission

__all__ = [
    "CallCancelled",
    "CallRequested",
    "CallsWaiting",
    "Connected",
    "Disconnected",
    "Event",
    "GroupBroken",
    "Invalidated",
    "MessageReceived",
    "ReadCompleted",
    "Registered",
    "RegistrationFailed",
    "WorkFailed",
]


class Connected(msgspec.Struct, frozen=True):
    """The connection can carry work; the receives of `Role.initial_receives` are posted.

    Attributes:
        bears_invalidation: whether the peer's Send With Invalidate can end whatever is registered.
    """

    bears_invalidation: bool = False


class MessageReceived(msgspec.Struct, frozen=True):
    """A message of the peer arrived: from the driver a Send, to a role all Sends of the message.

    Attributes:
        data: the message; of several Sends as if it were one, without bulk data.
        invalidated: key of the memory to which the peer's access ended with it, by Send With
            Invalidate; None for a plain Send.
        group: its Sends, if an operation that begins groups carries it; to a role only.
    """

    data: bytes
    invalidated: int | None = None
    group: Transmission | None = None

    @property
    def sends(self) -> int:
        """Of how many Sends it consists; each used up one Receive."""
        return 1 if self.group is None else self.group.sends


class GroupBroken(msgspec.Struct, frozen=True):
    """Sends arrived that will never be a message (`rpcrdma.wire.transmission`); to a role only.

    Attributes:
        report: what the peer is to be told of it (rtrext 9.5).
        sends: that are lost; each used up one Receive.
    """

    report: ReptErr
    sends: int


class ReadCompleted(msgspec.Struct, frozen=True):
    """All transfers of an `RdmaRead` are done; `data` is the whole of its memory."""

    key: int
    data: bytes


class WorkFailed(msgspec.Struct, frozen=True):
    """A Send, Read or Write failed, or could not be posted; the connection is of no more use.

    Or the peer invalidated memory that is still offered: `key` is the memory's then, and nothing
    can come any more of what it was offered for.  `reason` is the completion's status in words.
    """

    key: int
    reason: str


class Registered(msgspec.Struct, frozen=True):
    """Memory is registered: how the peer names its first octet."""

    key: int
    handle: int
    offset: int


class RegistrationFailed(msgspec.Struct, frozen=True):
    """Memory could not be registered; nothing of it is left."""

    key: int
    reason: str


class Invalidated(msgspec.Struct, frozen=True):
    """The peer's access to the memory is over; `data` are the octets that were asked for.

    With `failed`, it is not over, and the memory must not be looked at.
    """

    key: int
    data: bytes
    failed: bool = False


class Disconnected(msgspec.Struct, frozen=True):
    """The connection is gone, whoever ended it."""

    reason: str = ""


class CallRequested(msgspec.Struct, frozen=True):
    """The application wants an RPC executed (Requester).

    Attributes:
        token: names the call in `ReplyReceived` and `CallFailed`; unique on the connection.
        upper_layer: what knows the program's binding.
        payload: the unreduced call.
        expectation: of the reply, where the application knows it; else `upper_layer` is asked.
    """

    token: int
    upper_layer: UpperLayer
    payload: bytes
    expectation: ReplyExpectation | None = None


class CallCancelled(msgspec.Struct, frozen=True):
    """The application waits no longer for a call (rfc8166 4.4.1)."""

    token: int


class CallsWaiting(msgspec.Struct, frozen=True):
    """There are backward Calls to be sent (a server)."""


Event: TypeAlias = (
    Connected
    | MessageReceived
    | GroupBroken
    | ReadCompleted
    | WorkFailed
    | Registered
    | RegistrationFailed
    | Invalidated
    | Disconnected
    | CallRequested
    | CallCancelled
    | CallsWaiting
)
