"""Frames as they passed: none left out or changed, each event's comment where it began."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reports.capture.wire_frames import wire_frames
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent, WireFrame
from rpcrdma.roce.packet.bth import Aeth, BthOpcode, Packet, Reth, encode
from rpcrdma.roce.packet.datagram import seal, to_frame

TARGET = Reth(0x1000, 7, 600)
MESSAGE = bytes(range(200)) * 3


def frame(opcode: BthOpcode, psn: int, payload: bytes = b"", *, reth: Reth | None = None) -> bytes:
    packet = Packet(opcode, 0x11, psn, payload, reth=reth)
    datagram = seal("192.0.2.1", "192.0.2.2", 0xC001, encode(packet))
    return to_frame(datagram, bytes(6), bytes(6))


def event(kind: EventKind, data: bytes = b"", time: float = 0.0, **fields: int) -> TraceEvent:
    return TraceEvent(time, 1, Side.LOCAL, kind, data, **fields)


def said(events: list[TraceEvent], *frames: bytes) -> list[str]:
    trace = Trace(events, frames=[WireFrame(float(n), octets) for n, octets in enumerate(frames)])
    found = list(wire_frames(trace, lambda message: ""))
    assert [(time, octets) for time, _, octets in found] == [
        (float(number), octets) for number, octets in enumerate(frames)
    ]
    return [comment for _, comment, _ in found]


def test_a_message_in_packets_has_its_comment_at_the_first() -> None:
    comments = said(
        [event(EventKind.SEND, MESSAGE)],
        frame(BthOpcode.SEND_FIRST, 1, MESSAGE[:256]),
        frame(BthOpcode.SEND_MIDDLE, 2, MESSAGE[256:512]),
        frame(BthOpcode.SEND_LAST, 3, MESSAGE[512:]),
    )

    assert comments == ["tester: Send of 600 octets", "", ""]


def test_a_packet_that_is_sent_again_has_no_comment() -> None:
    """Not even if the same message is sent once more, afterwards."""
    comments = said(
        [event(EventKind.SEND, b"abcd"), event(EventKind.SEND, b"abcd")],
        frame(BthOpcode.SEND_ONLY, 1, b"abcd"),
        frame(BthOpcode.SEND_ONLY, 1, b"abcd"),
        frame(BthOpcode.SEND_ONLY, 2, b"abcd"),
    )

    assert comments == ["tester: Send of 4 octets", "", "tester: Send of 4 octets"]


def test_an_operation_on_memory_is_known_by_its_target() -> None:
    write = event(EventKind.RDMA_WRITE, MESSAGE, handle=7, offset=0x1000, length=600)
    read = event(EventKind.RDMA_READ, b"", handle=7, offset=0x1000, length=600)

    comments = said(
        [write, read],
        frame(BthOpcode.READ_REQUEST, 5, reth=TARGET),
        frame(BthOpcode.WRITE_ONLY, 6, MESSAGE, reth=Reth(0x1000, 8, 600)),
        frame(BthOpcode.WRITE_ONLY, 7, MESSAGE, reth=TARGET),
    )

    assert comments == [
        "tester: RDMA Read of 600 octets, handle 0x00000007",
        "",
        "tester: RDMA Write of 600 octets, handle 0x00000007",
    ]


def test_a_connection_event_is_said_at_its_time_or_with_the_last_frame() -> None:
    comments = said(
        [
            event(EventKind.CONNECT, time=0.5),
            event(EventKind.SEND, b"abcd", time=0.6),
            event(EventKind.REGISTER, time=0.7),
            event(EventKind.DISCONNECT, time=9.0),
        ],
        frame(BthOpcode.ACKNOWLEDGE, 1),
        frame(BthOpcode.SEND_ONLY, 1, b"abcd"),
        b"no frame",
    )

    assert comments == [
        "",
        "connection 1: connect by tester\ntester: Send of 4 octets",
        "connection 1: disconnect by tester",
    ]


def test_acknowledgements_and_responses_begin_nothing() -> None:
    response = Packet(BthOpcode.READ_RESPONSE_ONLY, 0x11, 1, b"abcd", aeth=Aeth(0, 0))
    octets = to_frame(seal("192.0.2.1", "192.0.2.2", 1, encode(response)), bytes(6), bytes(6))

    assert said([event(EventKind.SEND, b"abcd")], octets) == [""]


@given(st.lists(st.binary(max_size=70), min_size=1, max_size=3))
def test_any_octets_pass_without_a_comment(frames: list[bytes]) -> None:
    assert said([event(EventKind.SEND, b"abcd")], *frames) == [""] * len(frames)
