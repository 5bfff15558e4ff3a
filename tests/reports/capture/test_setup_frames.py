"""The messages of connection management that are made of a trace: who says what, and when."""

from __future__ import annotations

from reports.capture.roce import Flow
from reports.capture.setup_frames import SetupFrames
from rpcrdma.fabric.trace import EventKind, Side, TraceEvent
from rpcrdma.roce.packet.bth import decode
from rpcrdma.roce.packet.cm_messages import (
    CmMessage,
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectReply,
    DisconnectRequest,
    ReadyToUse,
    decode_cm,
)
from rpcrdma.roce.packet.cm_private_data import decode_private_data, port_of_service
from rpcrdma.roce.packet.datagram import from_frame

ADDRESSES = {Side.LOCAL: "192.0.2.1", Side.PEER: "192.0.2.2"}
QUEUE_PAIRS = {Side.LOCAL: 0x11, Side.PEER: 0x22}


def flow_of(connection: int, side: Side) -> Flow:
    return Flow(ADDRESSES[side], ADDRESSES[side.other], 0xC000, QUEUE_PAIRS[side.other])


def said(*events: TraceEvent) -> list[tuple[Side, CmMessage]]:
    """Sender and message of each frame."""
    frames = SetupFrames(flow_of)
    found = []
    for event in events:
        for frame in frames.of(event):
            datagram = from_frame(frame)
            assert datagram is not None
            assert datagram.intact
            (side,) = (one for one in Side if ADDRESSES[one] == datagram.source)
            found.append((side, decode_cm(decode(datagram.transport).payload)[0]))
    return found


def event(side: Side, kind: EventKind, data: bytes = b"", detail: str = "") -> TraceEvent:
    return TraceEvent(0.0, 1, side, kind, data, detail=detail)


def test_a_connection_is_asked_for_by_the_side_that_is_noted_first() -> None:
    """Request, reply and ready to use bring the queue pairs, the port and the private data."""
    for active in Side:
        (asking, request), (accepting, reply), (ready, last) = said(
            event(active, EventKind.CONNECT, b"ask", "there:4711"),
            event(active.other, EventKind.CONNECT, b"accept"),
        )

        assert (asking, accepting, ready) == (active, active.other, active)
        assert isinstance(request, ConnectRequest)
        assert isinstance(reply, ConnectReply)
        assert isinstance(last, ReadyToUse)
        assert request.queue_pair == QUEUE_PAIRS[active]
        assert reply.queue_pair == QUEUE_PAIRS[active.other]
        assert port_of_service(request.service_id) == 4711
        header, private = decode_private_data(request.private_data)
        assert (header.source, header.destination) == (ADDRESSES[active], ADDRESSES[active.other])
        assert (private.rstrip(b"\0"), reply.private_data.rstrip(b"\0")) == (b"ask", b"accept")
        assert (reply.remote_id, reply.local_id) == (request.local_id, last.remote_id)
        assert last.local_id == request.local_id != reply.local_id


def test_a_refusal_carries_its_private_data() -> None:
    _, (refusing, refusal) = said(
        event(Side.LOCAL, EventKind.CONNECT), event(Side.PEER, EventKind.REJECT, b"no")
    )

    assert refusing is Side.PEER
    assert isinstance(refusal, ConnectReject)
    assert (refusal.reason, refusal.private_data.rstrip(b"\0")) == (28, b"no")


def test_a_refusal_of_a_request_that_the_trace_has_not_is_no_frame() -> None:
    assert said(event(Side.LOCAL, EventKind.REJECT)) == []


def test_a_connection_ends_once() -> None:
    """By the side that is noted first, whatever the other side does then."""
    (asking, request), (answering, reply) = said(
        event(Side.PEER, EventKind.DISCONNECT), event(Side.LOCAL, EventKind.DISCONNECT)
    )

    assert (asking, answering) == (Side.PEER, Side.LOCAL)
    assert isinstance(request, DisconnectRequest)
    assert isinstance(reply, DisconnectReply)
    assert request.queue_pair == QUEUE_PAIRS[Side.LOCAL]


def test_where_the_peer_called_is_taken_for_the_port_of_nfs() -> None:
    ((_, request),) = said(event(Side.PEER, EventKind.CONNECT))

    assert isinstance(request, ConnectRequest)
    assert port_of_service(request.service_id) == 20049
