"""A call of a Requester, from request to delivery: its phases and its memory.

    rfc8166 section 4.4.1  Registration Longevity (memory is safe before the application hears)
    xcharext section 3.2   Requester Remote Invalidation (the Reply may have seen to that)

`PHASES` is the whole life of a call; `rpcrdma.endpoint.requester.requester` decides what moves it
on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.actions import Forget, Invalidate
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.group_bodies import GroupedMsg
from rpcrdma.endpoint.requester.group_reply import put_back, written
from rpcrdma.endpoint.requester.reply_parsing import Offer, reassemble
from rpcrdma.wire import RdmaNomsg
from rpcrdma.wire.operations import XmtResp
from rpcrdma.wire.rpc import xid_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpcrdma.endpoint.core.actions import CallFailed, Register
    from rpcrdma.endpoint.core.events import CallRequested
    from rpcrdma.endpoint.requester.group_plan import GroupPlan
    from rpcrdma.endpoint.requester.plan import CallPlan
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import RdmaMsg, RdmaSegment, WriteChunk

__all__ = ["PHASES", "CallStep", "Memory", "OutgoingCall", "Phase", "coordinates", "unreduced"]

NOTHING_OFFERED: Final = Offer()


class Phase(Enum):
    """How far a call is."""

    REGISTERING = auto()
    QUEUED = auto()
    SENT = auto()
    INVALIDATING = auto()
    DONE = auto()


class CallStep(Enum):
    """What moves a call on."""

    MEMORY_READY = auto()
    CREDIT_TAKEN = auto()
    ENDED = auto()  # by whatever
    MEMORY_SAFE = auto()


PHASES: Final[Mapping[tuple[Phase, CallStep], Phase]] = {
    (Phase.REGISTERING, CallStep.MEMORY_READY): Phase.QUEUED,
    (Phase.REGISTERING, CallStep.ENDED): Phase.INVALIDATING,
    (Phase.QUEUED, CallStep.CREDIT_TAKEN): Phase.SENT,
    (Phase.QUEUED, CallStep.ENDED): Phase.INVALIDATING,
    (Phase.SENT, CallStep.ENDED): Phase.INVALIDATING,
    (Phase.INVALIDATING, CallStep.MEMORY_SAFE): Phase.DONE,
}
"""Every legal move; a pair that is absent is a defect of this module."""


@dataclass(slots=True)
class Memory:
    """Memory of a call: one RDMA segment.

    Attributes:
        key: chosen for it.  action: what registered it.
        segment: as the peer names it; None until it is registered.
        returned: octets that the reply says to hold data.
        data: these, once they are safe.
        safe: whether the peer can no longer reach it, or never could.
        withdrawn: whether a message of the peer has invalidated it.
    """

    key: int
    action: Register
    segment: RdmaSegment | None = None
    returned: int = 0
    data: bytes = b""
    safe: bool = False
    withdrawn: bool = False

    def taken_back(self) -> Invalidate | Forget:
        """What makes it safe: to invalidate it, unless the peer has."""
        kind = Forget if self.withdrawn else Invalidate
        return kind(self.key, self.returned)


class OutgoingCall(msgspec.Struct, eq=False):
    """A call from request to delivery; a msgspec struct because one is made for every call."""

    token: int
    xid: int
    upper_layer: UpperLayer
    payload: bytes
    slots: int = 0
    plan: CallPlan | None = None
    phase: Phase = Phase.REGISTERING
    reads: Sequence[tuple[int, list[Memory]]] = ()
    writes: Sequence[list[Memory]] = ()
    reply: Sequence[Memory] = ()
    message: bytes = b""
    later: Sequence[bytes] = ()  # Sends after that of `message`
    group: GroupPlan | None = None
    event: CallRequested | None = None  # of a group, which may have to go otherwise
    offer: Offer = NOTHING_OFFERED
    failure: CallFailed | None = None
    answer: RdmaMsg | RdmaNomsg | None = None
    inline: bytes = b""
    placed: Sequence[bytes] = ()  # of a group, what the Sends of the answer hold for each item
    goes_otherwise: bool = False
    is_reported: bool = False  # its response was faulty, and the Responder has been told
    made_again: bool = False  # it was a group before

    @property
    def sends(self) -> int:
        """How many Sends carry it, and so how many credits it takes."""
        return 1 + len(self.later)

    @property
    def is_ending(self) -> bool:
        """Whether it is over but for its memory."""
        return self.phase is Phase.INVALIDATING

    @property
    def reserved(self) -> int:
        """Receives that are kept for later transmissions of its response."""
        return 0 if self.group is None else self.group.response.reserved

    def move(self, step: CallStep) -> None:
        """Go on to the next phase."""
        self.phase = PHASES[self.phase, step]

    def segments(self) -> list[Memory]:
        """All memory of the call."""
        groups = [*(group for _, group in self.reads), *self.writes, self.reply]
        return [segment for group in groups for segment in group]

    def note_returned(self) -> None:
        """Note how many octets of each segment the answer says to hold data."""
        if self.answer is None:
            return
        if isinstance(self.answer, GroupedMsg):
            _note(written(self.answer), self.writes)
        elif self.group is None:
            _note(_lengths(self.answer.rdma_writes), self.writes)
        if self.reply and self.answer.rdma_reply is not None:
            _note(_lengths((self.answer.rdma_reply,)), (self.reply,))


def _lengths(chunks: tuple[WriteChunk, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(segment.length for segment in chunk.target) for chunk in chunks)


def _note(chunks: Sequence[Sequence[int]], groups: Sequence[Sequence[Memory]]) -> None:
    for lengths, group in zip(chunks, groups, strict=True):
        for length, memory in zip(lengths, group, strict=False):  # of what was not used, none
            memory.returned = length


def coordinates(group: Sequence[Memory]) -> tuple[RdmaSegment, ...]:
    """The segments that a header carries for memory that is registered."""
    return tuple(memory.segment for memory in group if memory.segment is not None)


def unreduced(call: OutgoingCall) -> bytes:
    """The reply with everything in its place; raises FaultFound."""
    payload = call.inline
    if isinstance(call.answer, RdmaNomsg):
        payload = b"".join(memory.data for memory in call.reply)
        if len(payload) < 4 or xid_of(payload) != call.xid:
            raise FaultFound(Fault.REPLY_XID_MISMATCH, "in the Reply chunk")
    if isinstance(call.answer, GroupedMsg):
        return _put_back(call, call.answer, payload)
    if not call.writes or call.group is not None:
        return payload
    data = tuple(b"".join(memory.data for memory in chunk) for chunk in call.writes)
    writes, layer = call.offer.writes, call.upper_layer
    return reassemble(call.payload, payload, writes, data, call.slots, layer)


def _put_back(call: OutgoingCall, answer: GroupedMsg, payload: bytes) -> bytes:
    """The reply that came as a group, with its bulk data in their places."""
    contents = answer.contents
    items = contents.optxrs_ddp if isinstance(contents, XmtResp) else ()
    in_memory = [b"".join(memory.data for memory in group) for group in call.writes]
    data = [one or other for one, other in zip(in_memory, call.placed, strict=True)]
    return put_back(call.payload, payload, items, data, call.upper_layer)
