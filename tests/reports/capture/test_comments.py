"""What a capture says of an event."""

from __future__ import annotations

import pytest

from reports.capture.comments import connection_comment, event_comment
from rpcrdma.fabric.segments import Placement
from rpcrdma.fabric.trace import EventKind, Side, TraceEvent


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (
            TraceEvent(0.0, 1, Side.LOCAL, EventKind.SEND, b"abcd", length=4),
            "tester: Send of 4 octets\nABCD",
        ),
        (
            TraceEvent(0.0, 1, Side.PEER, EventKind.SEND, b"abcd", 7, detail="changed"),
            "device: Send of 4 octets, handle 0x00000007 (changed)\nABCD",
        ),
        (
            TraceEvent(
                0.0, 1, Side.PEER, EventKind.RDMA_WRITE, length=9, placed=(Placement(0x2000, 9),)
            ),
            "device: RDMA Write of 9 octets, into 9 octets at 0x2000",
        ),
    ],
)
def test_an_event_says_who_did_what(event: TraceEvent, said: str) -> None:
    assert event_comment(event, lambda message: message.decode().upper()) == said


def test_a_message_that_nobody_can_describe_has_one_line() -> None:
    event = TraceEvent(0.0, 1, Side.LOCAL, EventKind.SEND, b"abcd")

    assert event_comment(event, lambda _: "") == "tester: Send of 4 octets"


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (
            TraceEvent(0.0, 3, Side.PEER, EventKind.CONNECT, b"\1\2"),
            "connection 3: connect by device, private data 0102",
        ),
        (
            TraceEvent(0.0, 3, Side.LOCAL, EventKind.DISCONNECT, detail="flushed"),
            "connection 3: disconnect by tester (flushed)",
        ),
    ],
)
def test_a_connection_event_says_which_connection(event: TraceEvent, said: str) -> None:
    assert connection_comment(event) == said
