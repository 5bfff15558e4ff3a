"""Wireshark takes the exchanges of our captures for what they are: Calls, Replies and their data.

For that it must see how the connection is made: only then does it know that two queue pairs talk to
each other.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

from reports.capture.pcapng import write_pcapng
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent
from rpcrdma.ulp import nfs3, rpc
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, WriteChunk, encode_header
from rpcrdma.wire import _generated_nfs3 as wire

if TYPE_CHECKING:
    from pathlib import Path

XID = 0x0A0B0C0D
DATA = b"sixteen octets.." * 300
"""More than a packet carries."""

CHUNK = WriteChunk((RdmaSegment(7, len(DATA), 0x1000),))

ANSWERED_IN, ANSWER_TO = "rpc.reqframe", "rpc.repframe"
"""Number of the Reply's frame in a Call, and of the Call's in a Reply; the names are its own."""

FIELDS = (ANSWERED_IN, ANSWER_TO, "nfs.procedure_v3", "nfs.data")


def message(payload: bytes) -> bytes:
    return encode_header(TransportHeader(XID, 1, 8, RdmaMsg((), (CHUNK,), None))) + payload


def event(time: float, side: Side, kind: EventKind, data: bytes = b"") -> TraceEvent:
    return TraceEvent(time, 1, side, kind, data, length=len(data))


def reading() -> list[TraceEvent]:
    """A READ of NFSv3 whose data go by a Write chunk."""
    call = message(nfs3.call(XID, nfs3.read(b"file", 0, len(DATA))))
    results = wire.encode_read_result(wire.ReadDone(None, len(DATA), eof=True, data=DATA))
    reply = message(rpc.accepted(XID, results[: -len(DATA)]))
    return [
        event(0.0, Side.LOCAL, EventKind.CONNECT),
        event(0.1, Side.PEER, EventKind.CONNECT),
        event(0.2, Side.LOCAL, EventKind.SEND, call),
        TraceEvent(0.3, 1, Side.PEER, EventKind.RDMA_WRITE, DATA, 7, 0x1000, len(DATA)),
        event(0.4, Side.PEER, EventKind.SEND, reply),
        event(0.5, Side.LOCAL, EventKind.DISCONNECT),
    ]


def dissect(events: list[TraceEvent], path: Path) -> list[dict[str, Any]]:
    """What tshark says of each frame: the fields that it found."""
    write_pcapng(Trace(events), path)
    wanted = [option for name in FIELDS for option in ("-e", name)]
    run = subprocess.run(
        ["tshark", "-2", "-n", "-r", str(path), "-T", "json", *wanted],
        capture_output=True,
        check=True,
        timeout=60,
    )
    return [packet["_source"]["layers"] for packet in json.loads(run.stdout)]


def test_tshark_pairs_a_reply_with_its_call_and_finds_the_data_of_its_chunk(
    tmp_path: Path,
) -> None:
    *setup, call, _, _, reply, _, _ = dissect(reading(), tmp_path / "case.pcapng")

    assert len(setup) == 3
    assert call[ANSWERED_IN] == ["7"]
    assert reply[ANSWER_TO] == ["4"]
    assert call["nfs.procedure_v3"] == reply["nfs.procedure_v3"] == ["6"]
    assert reply["nfs.data"] == [DATA.hex()]


def test_without_the_making_of_the_connection_tshark_pairs_nothing(tmp_path: Path) -> None:
    events = [one for one in reading() if one.kind is not EventKind.CONNECT]

    frames = dissect(events, tmp_path / "case.pcapng")

    assert [frame for frame in frames if ANSWERED_IN in frame or ANSWER_TO in frame] == []
    assert [frame for frame in frames if "nfs.data" in frame] == []
