from __future__ import annotations

from typing import TYPE_CHECKING

import pcapng
from pcapng.blocks import EnhancedPacket

from reports.capture.pcapng import write_pcapng
from rpcrdma.fabric.segments import Placement
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent
from rpcrdma.wire.describe import capture_comment
from rpcrdma.wire.operations import UpdProp
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.properties import ReceiveBufferSize, property_values
from rpcrdma.wire.v2 import MessageType, Rdma2Header, encode_header

if TYPE_CHECKING:
    from pathlib import Path


def packets(path: Path) -> list[EnhancedPacket]:
    with path.open("rb") as stream:
        return [block for block in pcapng.FileScanner(stream) if isinstance(block, EnhancedPacket)]


def test_every_event_on_the_wire_becomes_a_frame_with_a_comment(tmp_path: Path) -> None:
    trace = Trace(
        [
            TraceEvent(0.0, 1, Side.LOCAL, EventKind.CONNECT, data=b"\x01"),
            TraceEvent(0.1, 1, Side.LOCAL, EventKind.POST_RECEIVE, length=1024),
            TraceEvent(0.2, 1, Side.LOCAL, EventKind.SEND, data=bytes(28), length=28),
            TraceEvent(0.3, 1, Side.PEER, EventKind.RDMA_WRITE, b"abcd", 7, 0x1000, 4),
            TraceEvent(0.4, 1, Side.PEER, EventKind.RDMA_READ, b"abcd", 7, 0x1000, 4),
        ]
    )
    path = tmp_path / "case.pcapng"
    assert write_pcapng(trace, path, lambda message: f"{len(message)} zeroes") == 5
    comments = [packet.options.get("opt_comment") for packet in packets(path)]
    assert comments == [
        "connection 1: connect by tester, private data 01",
        "tester: Send of 28 octets\n28 zeroes",
        "device: RDMA Write of 4 octets, handle 0x00000007",
        "device: RDMA Read of 4 octets, handle 0x00000007",
        None,
    ]
    assert packets(path)[1].timestamp_low == 200_000


def test_an_event_without_a_frame_is_said_with_the_next_frame(tmp_path: Path) -> None:
    """Who refuses a peer has no connection with it, and its request is not in the trace."""
    refused = TraceEvent(0.1, 0, Side.LOCAL, EventKind.REJECT)
    sent = TraceEvent(0.2, 1, Side.LOCAL, EventKind.SEND, data=b"abcd")

    assert write_pcapng(Trace([refused, sent]), tmp_path / "case.pcapng") == 1

    (packet,) = packets(tmp_path / "case.pcapng")
    assert packet.options.get("opt_comment") == (
        "connection 0: reject by tester\ntester: Send of 4 octets"
    )


def test_times_are_those_of_the_wall_clock(tmp_path: Path) -> None:
    """Whatever the fabric's clock says: captures of several cases can be merged in order."""
    events = [TraceEvent(t, 1, Side.LOCAL, EventKind.SEND, data=b"abcd") for t in (7.5, 8.0)]
    write_pcapng(Trace(events, epoch=1_764_000_000.25), tmp_path / "case.pcapng")

    times = [
        (one.timestamp_high << 32) + one.timestamp_low for one in packets(tmp_path / "case.pcapng")
    ]
    assert times == [1_764_000_007_750_000, 1_764_000_008_250_000]


def test_comment_of_a_scattered_message_says_what_landed_where(tmp_path: Path) -> None:
    placed = (Placement(None, 28), Placement(0x2000, 4))
    event = TraceEvent(0.0, 1, Side.PEER, EventKind.SEND, data=bytes(32), length=32, placed=placed)
    write_pcapng(Trace([event]), tmp_path / "case.pcapng", lambda _: "zeroes")

    (packet,) = packets(tmp_path / "case.pcapng")

    assert packet.options.get("opt_comment") == (
        "device: Send of 32 octets, into 28 octets, 4 octets at 0x2000\nzeroes"
    )


def test_frames_that_passed_are_written_as_they_are(tmp_path: Path) -> None:
    sent = bytes.fromhex("020000000002 020000000001 88b5") + bytes(50)
    trace = Trace([TraceEvent(0.5, 1, Side.LOCAL, EventKind.CONNECT)], epoch=0.0)
    trace.add_frame(0.5, sent)
    trace.add_frame(4295.25, sent[::-1])

    assert write_pcapng(trace, tmp_path / "case.pcapng") == 2

    first, second = packets(tmp_path / "case.pcapng")
    assert [first.packet_data, second.packet_data] == [sent, sent[::-1]]
    assert first.options.get("opt_comment") == "connection 1: connect by tester"
    assert "opt_comment" not in second.options
    assert (second.timestamp_high, second.timestamp_low) == divmod(4_295_250_000, 1 << 32)
    assert first.interface.options["if_name"] == "wire"


def test_connections_have_their_own_ports_and_queue_pairs(tmp_path: Path) -> None:
    trace = Trace(
        [TraceEvent(0.0, number, Side.LOCAL, EventKind.SEND, b"abcd") for number in (1, 2)]
    )
    write_pcapng(trace, tmp_path / "case.pcapng")
    first, second = (packet.packet_data for packet in packets(tmp_path / "case.pcapng"))
    assert first[34:36] != second[34:36]
    assert first[47:50] != second[47:50]


def test_version_two_packet_carries_its_decoded_header(tmp_path: Path) -> None:
    """Wireshark has no dissector for it: the comment of the packet says what it holds."""
    from scapy.contrib.roce import BTH
    from scapy.utils import PcapNgReader

    grow = UpdProp(property_values(ReceiveBufferSize(8192)))
    message = encode_header(Rdma2Header(7, 2, 32, encode_option(MessageType.CALL, grow)))
    path = tmp_path / "case.pcapng"
    write_pcapng(
        Trace([TraceEvent(0.0, 1, Side.LOCAL, EventKind.SEND, message)]), path, capture_comment
    )

    (packet,) = packets(path)
    comment = packet.options.get("opt_comment")
    with PcapNgReader(str(path)) as reader:
        frame = reader.read_packet()

    assert comment == f"tester: Send of 44 octets\n{capture_comment(message)}"
    assert "RDMA2_OPTIONAL, CALL, ROPT_UPDPROP, PROP_RBSIZ 8192" in comment
    assert "    40              octets: 8192" in comment.splitlines()
    assert frame.comments == [comment.encode()]
    assert bytes(frame[BTH].payload).startswith(message)
