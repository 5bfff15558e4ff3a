"""Traces: what happened on a connection, event by event.

Every fabric reports each verbs-level event to the `Trace` it was given; nothing else writes to it.
A fabric that sees frames adds these, too.
A trace is plain data (`reports` turns it into text, JSON and pcapng), in the order in which the
events happened at the recording side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from time import time as wall_clock
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from rpcrdma.fabric.segments import Placement

__all__ = ["EventKind", "Side", "Trace", "TraceEvent", "WireFrame"]


class Side(Enum):
    """Who caused an event, seen from the recording process."""

    LOCAL = "local"
    PEER = "peer"

    @property
    def other(self) -> Side:
        """The side that this one talks to."""
        return Side.PEER if self is Side.LOCAL else Side.LOCAL


class EventKind(Enum):
    """What happened."""

    CONNECT = "connect"
    REJECT = "reject"
    DISCONNECT = "disconnect"
    SEND = "Send"
    RDMA_READ = "RDMA Read"
    RDMA_WRITE = "RDMA Write"
    REGISTER = "register"
    INVALIDATE = "invalidate"
    POST_RECEIVE = "post Receive"
    FAILURE = "failure"


class TraceEvent(msgspec.Struct, frozen=True, gc=False):
    """One event.

    A msgspec struct and not a dataclass: three are made for every message that is exchanged, and
    a dataclass made them the largest part of what a fabric costs.  It refers to nothing that could
    refer back, so the garbage collector need not go through all of a long trace again and again.

    Attributes:
        time: seconds of the fabric's clock.
        connection: number of the connection within the trace, from 1; 0 if there is none yet.
        side: who caused it.  A Send of side PEER is a message that was received here.
        kind: what happened.
        data: the message (Send), what was read or written (where this side can see it), or the
            private data (connect, reject).
        handle: R_key concerned (RDMA Read/Write, register, invalidate, Send With Invalidate).
        offset: address concerned, likewise.
        length: octets concerned, also where `data` is not visible.
        detail: a few words: completion status, access rights, why.
        placed: the segments of a posted Receive, or what of a received message landed in each;
            empty for a Receive of one segment of the fabric's own memory without an alignment.
    """

    time: float
    connection: int
    side: Side
    kind: EventKind
    data: bytes = b""
    handle: int | None = None
    offset: int | None = None
    length: int = 0
    detail: str = ""
    placed: tuple[Placement, ...] = ()


class WireFrame(msgspec.Struct, frozen=True, gc=False):
    """One Ethernet frame, sent or received.

    Attributes:
        time: seconds of the fabric's clock.
        octets: without the frame check sequence.
    """

    time: float
    octets: bytes


@dataclass(slots=True)
class Trace:
    """Collects events; one per case.

    Attributes:
        events: what happened, in order.
        connections: how many were numbered.
        keep: False where nobody will read it: a process that serves for long must not collect for
            ever.
        frames: of a fabric that sees them, in the order in which they passed; no others do.
        epoch: what this machine's clock said, in seconds since 1970 (UTC), when the fabric's clock
            stood at 0: as seen at the first event or frame that was added.  None before that, and
            of events that were made and not recorded.
    """

    events: list[TraceEvent] = field(default_factory=list)
    connections: int = 0
    keep: bool = True
    frames: list[WireFrame] = field(default_factory=list)
    epoch: float | None = field(default=None, compare=False)

    def open_connection(self) -> int:
        """Number a new connection."""
        self.connections += 1
        return self.connections

    def add(self, event: TraceEvent) -> None:
        """Append one event, if events are kept."""
        if self.keep:
            if self.epoch is None:
                self.epoch = wall_clock() - event.time
            self.events.append(event)

    def add_frame(self, time: float, octets: bytes) -> None:
        """Append one frame, if they are kept."""
        if self.keep:
            if self.epoch is None:
                self.epoch = wall_clock() - time
            self.frames.append(WireFrame(time, octets))
