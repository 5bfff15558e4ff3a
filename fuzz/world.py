"""The surroundings of a fuzzed Responder: a Requester's memory and the wire, without a fabric.

The Responder is sans-I/O, so its actions can be carried out here, in order and at once; each is
checked when it is asked for.  The Requester's memory are the two regions of
`conformance.explore.named_memory`, at fixed handles, so that an input can name them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from conformance.explore.named_memory import READABLE, REGION, WRITABLE
from conformance.oracle.memory import ExposedRegions, within
from conformance.oracle.outcome import (
    Answered,
    Called,
    ErrChunk,
    ErrVers,
    InvalidOption,
    as_called,
    read_outcome,
)
from conformance.oracle.sizes import THRESHOLD_TWO
from fuzz.invariant import BrokenInvariant
from fuzz.uncounted import uncounted
from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.endpoint.core import actions, events
from rpcrdma.endpoint.core.connection import Endpoint, State
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import RdmaSegment, v2

if TYPE_CHECKING:
    from conformance.oracle.outcome import Outcome

__all__ = ["RequesterMemory", "World"]

_LONGEST_RECEIVE: Final = 1 << 20
_OCTETS: Final = pattern(REGION, 1)
_ROOM: Final = bytes(REGION)
_ANSWERS: Final = (Answered, ErrVers, ErrChunk, InvalidOption)


@dataclass(slots=True)
class _Region:
    """Memory at a fixed place (a `conformance.oracle.memory.ExposedRegion`).

    Its octets are everybody's until the first write: most connections see none, and a copy for each
    would take longer than a message does.
    """

    handle: int
    offset: int
    data: bytes | bytearray

    @property
    def length(self) -> int:
        return len(self.data)

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        end = self.length if length is None else start + length
        return bytes(self.data[start:end])

    def write(self, where: slice, data: bytes) -> None:
        """Put octets in a place of the same length."""
        if not isinstance(self.data, bytearray):
            self.data = bytearray(self.data)
        self.data[where] = data


class RequesterMemory(ExposedRegions):
    """The Requester's memory: octets to be read, each of them telling its place, and room."""

    def __init__(self) -> None:
        super().__init__()
        readable = _Region(READABLE.handle, READABLE.offset, _OCTETS)
        self._room = _Region(WRITABLE.handle, WRITABLE.offset, _ROOM)
        self.expose(readable, read=True)
        self.expose(self._room, write=True)

    def place(self, segment: RdmaSegment, data: bytes) -> None:
        """Carry out a Write to a writable segment."""
        where = within(segment, self._room)
        if where is not None:
            self._room.write(where, data)


@dataclass(slots=True)
class World:
    """One connection to a Responder.

    Attributes:
        role: what runs there: a Responder, or both directions of a server.
        forward: the Responder.
        endpoint: that of the role.
        posted: Receives that are posted.  least: so many there must be.
        deferred: calls that the program had kept after the last message.
        disconnected: why the connection is gone; empty while it stands.
        memory: the Requester's.
    """

    role: Responder | Duplex
    forward: Responder = field(init=False)
    endpoint: Endpoint = field(init=False)
    posted: int = field(init=False)
    least: int = field(init=False)
    deferred: int = 0
    disconnected: str = ""
    memory: RequesterMemory = field(default_factory=RequesterMemory)

    def __post_init__(self) -> None:
        """Connect.

        Raises:
            TypeError: the role has no Responder.
        """
        forward = self.role.forward if isinstance(self.role, Duplex) else self.role
        if not isinstance(forward, Responder):
            raise TypeError(forward)
        self.forward = forward
        self.endpoint = Endpoint(self.role)
        self.posted = self.least = len(self.role.initial_receives)
        self._apply(self.endpoint.handle(events.Connected(), 0.0), [])

    def deliver(self, message: bytes) -> list[Outcome]:
        """Send one message to the Responder; what it sends while it handles it.

        Raises:
            BrokenInvariant: an action breaks an invariant.
        """
        self.posted -= 1
        sent: list[Outcome] = []
        self._apply(self.endpoint.handle(events.MessageReceived(message), 0.0), sent)
        beyond = self.posted - self.least
        if beyond and not self.disconnected and not 0 <= beyond <= self.role.later_receives:
            raise BrokenInvariant(
                "receives-lost", f"{self.posted} Receives are posted after a message"
            )
        return sent

    def _apply(self, todo: list[actions.Action], sent: list[Outcome]) -> None:
        pending = deque(todo)
        while pending and not self.disconnected:
            match pending.popleft():
                case actions.PostReceive() as posted:
                    if not 0 < posted.length <= _LONGEST_RECEIVE:
                        raise BrokenInvariant(
                            "receive-size", f"a Receive of {posted.length} octets"
                        )
                    self.posted += 1
                case actions.Send(data=data):
                    sent.append(self._send(data))
                case actions.RdmaRead() as read:
                    pending += self._handle(self._read(read))
                case actions.RdmaWrite() as write:
                    failed = self._write(write)
                    if failed:
                        pending = deque(self._handle(failed))
                case actions.Disconnect(reason=reason):
                    self.disconnected = reason or "by the Responder"
                    self._handle(events.Disconnected(reason))
                case other:
                    raise BrokenInvariant("wrong-action", f"a Responder asked for {other}")

    def _handle(self, event: events.Event) -> list[actions.Action]:
        return self.endpoint.handle(event, 0.0)

    def _send(self, data: bytes) -> Outcome:
        if self.endpoint.state is State.CLOSED:
            raise BrokenInvariant("sent-after-end", f"{len(data)} octets")
        outcome = _outcome(data)
        if isinstance(outcome, Called) and isinstance(self.role, Duplex):
            return outcome
        if not isinstance(outcome, _ANSWERS):
            raise BrokenInvariant("garbage-sent", str(outcome))
        is_two = outcome.header.rdma_vers == v2.VERSION
        if len(data) > (THRESHOLD_TWO if is_two else self.forward.options.thresholds.reply):
            raise BrokenInvariant("overlong", f"{len(data)} octets inline")
        most = self.forward.options.receives
        credit = outcome.header.rdma_credit
        if not 1 <= credit <= most:
            raise BrokenInvariant(
                "bad-grant", f"{credit} credits granted, {most} Receives are posted"
            )
        return outcome

    def _read(self, read: actions.RdmaRead) -> events.Event:
        if read.length > self.forward.options.longest_call:
            raise BrokenInvariant("memory-unbounded", f"{read.length} octets are to be read")
        data = bytearray(read.length)
        for transfer in read.transfers:
            piece = self.memory.fetch(_segment(transfer))
            if piece is None:
                return events.WorkFailed(read.key, "remote access error")
            if transfer.start + transfer.length > read.length:
                raise BrokenInvariant("read-outside", f"{transfer} into {read.length} octets")
            data[transfer.start : transfer.start + transfer.length] = piece
        return events.ReadCompleted(read.key, bytes(data))

    def _write(self, write: actions.RdmaWrite) -> events.Event | None:
        for transfer in write.transfers:
            if transfer.start + transfer.length > len(write.data):
                raise BrokenInvariant("write-outside", f"{transfer} of {len(write.data)} octets")
            if not self.memory.is_writable(_segment(transfer)):
                return events.WorkFailed(write.key, "remote access error")
            piece = write.data[transfer.start : transfer.start + transfer.length]
            self.memory.place(_segment(transfer), piece)
        return None


@lru_cache(maxsize=8192)  # more than the corpus has answers, most of which come again
def _outcome(data: bytes) -> Outcome:
    return uncounted(lambda: as_called(read_outcome(data)))


def _segment(transfer: actions.Transfer) -> RdmaSegment:
    return RdmaSegment(transfer.handle, transfer.length, transfer.offset)
