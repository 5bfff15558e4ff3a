"""The frames of a trace as they passed, each with what the events say of it.

An event belongs to the first frame that begins its operation: a Send's by the first octets of its
message, a Read's and a Write's by its target.  A frame that was sent again, or lost on the way and
so no event at the other side, has no comment.  Connection events belong to no one frame; they are
said with the first frame at their time or later.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Final, TypeAlias

from reports.capture.comments import CONNECTION_EVENTS, connection_comment, event_comment
from rpcrdma.errors import BadFrame
from rpcrdma.fabric.trace import EventKind, Trace, TraceEvent
from rpcrdma.roce.packet.bth import OPERATIONS, PacketPosition, Reth, TransportOperation, decode
from rpcrdma.roce.packet.datagram import from_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpcrdma.roce.packet.bth import Packet

__all__ = ["wire_frames"]

_HEAD: Final = 256
"""Octets by which a message is known: the first packet has as many whatever the path MTU, unless
the message ends before."""

_FIRST: Final = (PacketPosition.FIRST, PacketPosition.ONLY)

_Mark: TypeAlias = tuple[EventKind, bytes | Reth]
"""What an event and its first frame have in common."""

_Place: TypeAlias = tuple[str, int, int]
"""Sender, queue pair and PSN: what a packet that is sent again has in common with the first."""


def wire_frames(
    trace: Trace, describe: Callable[[bytes], str]
) -> Iterator[tuple[float, str, bytes]]:
    """Time, comment and octets of each frame, in order.

    Args:
        trace: of one case, with frames.
        describe: makes the comment of a Send from its message.
    """
    comments = _connection_comments(trace)
    marked: dict[_Mark, deque[TraceEvent]] = defaultdict(deque)
    for event in trace.events:
        if mark := _mark_of_event(event):
            marked[mark].append(event)
    seen: set[_Place] = set()
    for number, frame in enumerate(trace.frames):
        said = comments.get(number, [])
        if (begun := _begun_by(frame.octets)) and begun[0] not in seen:
            place, mark = begun
            seen.add(place)
            if waiting := marked.get(mark):
                said = [*said, event_comment(waiting.popleft(), describe)]
        yield frame.time, "\n".join(said), frame.octets


def _connection_comments(trace: Trace) -> dict[int, list[str]]:
    """Number of a frame -> what to say of connections there."""
    times = [frame.time for frame in trace.frames]
    comments: dict[int, list[str]] = defaultdict(list)
    for event in trace.events:
        if event.kind in CONNECTION_EVENTS:
            number = min(bisect_left(times, event.time), len(times) - 1)
            comments[number].append(connection_comment(event))
    return comments


def _mark_of_event(event: TraceEvent) -> _Mark | None:
    match event.kind:
        case EventKind.SEND:
            return event.kind, event.data[:_HEAD]
        case EventKind.RDMA_WRITE | EventKind.RDMA_READ:
            length = event.length or len(event.data)
            return event.kind, Reth(event.offset or 0, event.handle or 0, length)
        case _:
            return None


def _begun_by(octets: bytes) -> tuple[_Place, _Mark] | None:
    """Where a frame stands and the mark of the event that begins with it; None if none does."""
    try:
        datagram = from_frame(octets)
        if datagram is None:
            return None
        packet = decode(datagram.transport)
    except BadFrame:
        return None
    mark = _mark_of_packet(packet)
    return ((datagram.source, packet.destination, packet.psn), mark) if mark else None


def _mark_of_packet(packet: Packet) -> _Mark | None:
    meaning = OPERATIONS[packet.opcode]
    if meaning.position not in _FIRST:
        return None
    match meaning.operation:
        case TransportOperation.SEND:
            return EventKind.SEND, packet.payload[:_HEAD]
        case TransportOperation.WRITE if packet.reth is not None:
            return EventKind.RDMA_WRITE, packet.reth
        case TransportOperation.READ_REQUEST if packet.reth is not None:
            return EventKind.RDMA_READ, packet.reth
        case _:
            return None
