"""A trace as a `.pcapng` that Wireshark opens and dissects.

If the fabric saw frames, the capture has these, by `reports.capture.wire_frames`.  Otherwise each
event becomes the RoCEv2 frames of `reports.capture.roce`, those of a connection's begin and end the
frames of `reports.capture.setup_frames`, with a comment that says what it is; events that have no
packet on the wire (registering, posting a Receive) are not in such a capture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pcapng
from pcapng import blocks

from reports.capture import roce
from reports.capture.comments import CONNECTION_EVENTS, connection_comment, event_comment
from reports.capture.setup_frames import SetupFrames
from reports.capture.wire_frames import wire_frames
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["write_pcapng"]

_TESTER: Final = "192.0.2.1"
_DEVICE: Final = "192.0.2.2"
_FIRST_PORT: Final = 0xC000
_PORTS: Final = 0x4000
_ETHERNET: Final = 1
_PASSED: Final = "Ethernet frames as they were sent and received"
_MADE: Final = "RoCEv2 frames made from a trace of verbs-level events"


def write_pcapng(
    trace: Trace, path: Path, describe: Callable[[bytes], str] = lambda message: ""
) -> int:
    """Write the trace to `path`; return the number of frames.

    Times are those of the wall clock, in microseconds, if the trace knows them; else the fabric's.

    Args:
        trace: of one case.
        path: the file to write.
        describe: makes the comment of a Send from its message; for messages that Wireshark has no
            dissector for.
    """
    section = blocks.SectionHeader(options={"shb_userappl": "rpcrdma-conformance"})
    interface = section.new_member(
        blocks.InterfaceDescription,
        link_type=_ETHERNET,
        options={
            "if_name": "wire" if trace.frames else "trace",
            "if_description": _PASSED if trace.frames else _MADE,
        },
    )
    frames = wire_frames(trace, describe) if trace.frames else _made_frames(trace, describe)
    epoch = trace.epoch or 0.0
    count = 0
    with path.open("wb") as stream:
        writer = pcapng.FileWriter(stream, section)
        for time, comment, frame in frames:
            microseconds = round((epoch + time) * 1e6)
            packet = section.new_member(
                blocks.EnhancedPacket,
                interface_id=interface.interface_id,
                timestamp_high=microseconds >> 32,
                timestamp_low=microseconds & 0xFFFFFFFF,
                packet_data=frame,
                packet_len=len(frame),
                options={"opt_comment": comment} if comment else {},
            )
            writer.write_block(packet)
            count += 1
    return count


def _made_frames(
    trace: Trace, describe: Callable[[bytes], str]
) -> Iterator[tuple[float, str, bytes]]:
    """Time, comment and octets of the frames that are made of the events."""
    flows = _Flows()
    setup = SetupFrames(flows.of)
    pending: list[str] = []
    for event in trace.events:
        if event.kind in CONNECTION_EVENTS:
            pending.append(connection_comment(event))
            frames = setup.of(event)
        else:
            frames = list(_event_frames(event, flows))
            pending += [event_comment(event, describe)] if frames else []
        for frame in frames:
            yield event.time, "\n".join(pending), frame
            pending.clear()


def _event_frames(event: TraceEvent, flows: _Flows) -> Iterator[bytes]:
    flow = flows.of(event.connection, event.side)
    handle, offset = event.handle or 0, event.offset or 0
    match event.kind:
        case EventKind.SEND:
            yield from roce.send(flow, event.data, event.handle)
        case EventKind.RDMA_WRITE:
            yield from roce.write(flow, handle, offset, event.data)
        case EventKind.RDMA_READ:
            response = flows.of(event.connection, event.side.other)
            yield from roce.read(flow, response, handle, offset, event.length, event.data)
        case _:
            pass  # no packet on the wire


class _Flows:
    """Both directions of each connection of a trace."""

    def __init__(self) -> None:
        self._flows: dict[tuple[int, Side], roce.Flow] = {}

    def of(self, connection: int, side: Side) -> roce.Flow:
        """The direction of a connection that a side sends in."""
        flow = self._flows.get((connection, side))
        if flow is None:
            local = side is Side.LOCAL
            flow = roce.Flow(
                source=_TESTER if local else _DEVICE,
                destination=_DEVICE if local else _TESTER,
                port=_FIRST_PORT + connection % _PORTS,
                queue_pair=(0x20000 if local else 0x10000) + connection,
            )
            self._flows[connection, side] = flow
        return flow
