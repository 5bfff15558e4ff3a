"""The surroundings of a fuzzed Responder: a Requester's memory and the wire, without a fabric.

The Responder is sans-I/O, so its actions can be carried out here, in order and at once; each is
checked when it is asked for.  The Requester's memory is one region that can be read and one that
can be written, at fixed handles, so that an input (and a mutation of it) can name them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import Answered, ErrChunk, ErrVers, read_outcome
from fuzz.finding import Finding
from rpcrdma.endpoint.core import actions, events
from rpcrdma.endpoint.core.connection import Endpoint, State
from rpcrdma.wire import RdmaSegment, any_overlap

if TYPE_CHECKING:
    from conformance.oracle.outcome import Outcome
    from rpcrdma.endpoint.responder.responder import Responder
    from rpcrdma.wire import WriteChunk

__all__ = ["READABLE", "WRITABLE", "Memory", "World"]

REGION: Final = 65536
"""Octets of each region."""

READABLE: Final = RdmaSegment(0x0000_1111, REGION, 0x0000_7F00_0000_0000)
WRITABLE: Final = RdmaSegment(0x0000_2222, REGION, 0x0000_7F11_0000_0000)

_LONGEST_RECEIVE: Final = 1 << 20


class Memory:
    """The Requester's memory as the device can reach it (an `ExposedMemory`)."""

    def __init__(self) -> None:
        self._written = bytearray(REGION)

    def fetch(self, segment: RdmaSegment) -> bytes | None:
        """Zeroes, where there is readable memory."""
        return bytes(segment.length) if _inside(segment, READABLE) else None

    def is_writable(self, segment: RdmaSegment) -> bool:
        """Whether a Write to the whole segment would succeed."""
        return _inside(segment, WRITABLE)

    def place(self, segment: RdmaSegment, data: bytes) -> None:
        """Carry out a Write to a writable segment."""
        start = segment.offset - WRITABLE.offset
        self._written[start : start + len(data)] = data

    def contents(self, chunk: WriteChunk) -> bytes | None:
        """What the segments of a returned chunk hold; None if they overlap, and nobody can say."""
        if any_overlap(chunk.target):
            return None
        starts = ((segment.offset - WRITABLE.offset, segment.length) for segment in chunk.target)
        return b"".join(
            bytes(self._written[start : start + size]) for start, size in starts if size
        )


@dataclass(slots=True)
class World:
    """One connection to a Responder.

    Attributes:
        endpoint: the Responder's.
        posted: Receives that are posted.
        disconnected: why the connection is gone; empty while it stands.
        memory: the Requester's.
    """

    role: Responder
    endpoint: Endpoint = field(init=False)
    posted: int = field(init=False)
    disconnected: str = ""
    memory: Memory = field(default_factory=Memory)

    def __post_init__(self) -> None:
        """Connect."""
        self.endpoint = Endpoint(self.role)
        self.posted = len(self.role.initial_receives)
        self._apply(self.endpoint.handle(events.Connected(), 0.0), [])

    def deliver(self, message: bytes) -> list[Outcome]:
        """Send one message to the Responder; what it sends while it handles it.

        Raises:
            Finding: an action breaks an invariant.
        """
        self.posted -= 1
        sent: list[Outcome] = []
        self._apply(self.endpoint.handle(events.MessageReceived(message), 0.0), sent)
        if not self.disconnected and self.posted != len(self.role.initial_receives):
            raise Finding("receives-lost", f"{self.posted} Receives are posted after a message")
        return sent

    def _apply(self, todo: list[actions.Action], sent: list[Outcome]) -> None:
        pending = list(todo)
        while pending and not self.disconnected:
            match pending.pop(0):
                case actions.PostReceive() as posted:
                    if not 0 < posted.length <= _LONGEST_RECEIVE:
                        raise Finding("receive-size", f"a Receive of {posted.length} octets")
                    self.posted += 1
                case actions.Send(data=data):
                    sent.append(self._send(data))
                case actions.RdmaRead() as read:
                    pending += self._handle(self._read(read))
                case actions.RdmaWrite() as write:
                    failed = self._write(write)
                    if failed:
                        pending = self._handle(failed)
                case actions.Disconnect(reason=reason):
                    self.disconnected = reason or "by the Responder"
                    self._handle(events.Disconnected(reason))
                case other:
                    raise Finding("wrong-action", f"a Responder asked for {other}")

    def _handle(self, event: events.Event) -> list[actions.Action]:
        return self.endpoint.handle(event, 0.0)

    def _send(self, data: bytes) -> Outcome:
        if self.endpoint.state is State.CLOSED:
            raise Finding("sent-after-end", f"{len(data)} octets")
        if len(data) > self.role.options.thresholds.reply:
            raise Finding("overlong", f"{len(data)} octets inline")
        outcome = read_outcome(data)
        if not isinstance(outcome, Answered | ErrVers | ErrChunk):
            raise Finding("garbage-sent", str(outcome))
        most = self.role.options.receives
        credit = outcome.header.rdma_credit
        if not 1 <= credit <= most:
            raise Finding("bad-grant", f"{credit} credits granted, {most} Receives are posted")
        return outcome

    def _read(self, read: actions.RdmaRead) -> events.Event:
        if read.length > self.role.options.longest_call:
            raise Finding("memory-unbounded", f"{read.length} octets are to be read")
        data = bytearray(read.length)
        for transfer in read.transfers:
            piece = self.memory.fetch(_segment(transfer))
            if piece is None:
                return events.WorkFailed(read.key, "remote access error")
            if transfer.start + transfer.length > read.length:
                raise Finding("read-outside", f"{transfer} into {read.length} octets")
            data[transfer.start : transfer.start + transfer.length] = piece
        return events.ReadCompleted(read.key, bytes(data))

    def _write(self, write: actions.RdmaWrite) -> events.Event | None:
        for transfer in write.transfers:
            if transfer.start + transfer.length > len(write.data):
                raise Finding("write-outside", f"{transfer} of {len(write.data)} octets")
            if not self.memory.is_writable(_segment(transfer)):
                return events.WorkFailed(write.key, "remote access error")
            piece = write.data[transfer.start : transfer.start + transfer.length]
            self.memory.place(_segment(transfer), piece)
        return None


def _segment(transfer: actions.Transfer) -> RdmaSegment:
    return RdmaSegment(transfer.handle, transfer.length, transfer.offset)


def _inside(segment: RdmaSegment, region: RdmaSegment) -> bool:
    if segment.length == 0:
        return True
    end = segment.offset + segment.length
    return (
        segment.handle == region.handle
        and region.offset <= segment.offset
        and end <= region.offset + region.length
    )
