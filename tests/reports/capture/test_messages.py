"""The messages of a capture: whole, once, and on their connections."""

from __future__ import annotations

import sys
import tracemalloc
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.capture.messages import CapturedMessage, CaptureError, read_messages
from reports.capture.pcapng import write_pcapng
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent
from rpcrdma.roce.packet.bth import BthOpcode, Packet, encode
from rpcrdma.roce.packet.datagram import seal, to_frame

TESTER, DEVICE = "192.0.2.1", "192.0.2.2"
LONG = bytes(range(250)) * 20
"""More than one packet carries."""


def event(
    side: Side, kind: EventKind, data: bytes = b"", connection: int = 1, time: float = 0.0
) -> TraceEvent:
    return TraceEvent(time, connection, side, kind, data)


def read(trace: Trace, path: Path) -> list[CapturedMessage]:
    write_pcapng(trace, path)
    return list(read_messages(path))


def frame(psn: int, octets: bytes, opcode: BthOpcode = BthOpcode.SEND_ONLY) -> bytes:
    datagram = seal(TESTER, DEVICE, 0xC001, encode(Packet(opcode, 0x11, psn, octets)))
    return to_frame(datagram, bytes(6), bytes(6))


def passed(*frames: bytes) -> Trace:
    trace = Trace(epoch=0.0)
    for number, octets in enumerate(frames):
        trace.add_frame(float(number), octets)
    return trace


def test_a_message_says_who_sent_it_when_on_which_connection(tmp_path: Path) -> None:
    events = [
        event(Side.PEER, EventKind.CONNECT),
        event(Side.LOCAL, EventKind.CONNECT),
        event(Side.LOCAL, EventKind.CONNECT, connection=2),
        event(Side.PEER, EventKind.CONNECT, connection=2),
        event(Side.PEER, EventKind.SEND, LONG, time=0.5),
        event(Side.LOCAL, EventKind.SEND, b"abcd", connection=2, time=0.75),
        event(Side.PEER, EventKind.SEND, b"efgh", connection=2, time=1.0),
    ]

    assert read(Trace(events, epoch=1_764_000_000.0), tmp_path / "case.pcapng") == [
        CapturedMessage(7, 1_764_000_000.5, 1, "client", DEVICE, TESTER, LONG),
        CapturedMessage(9, 1_764_000_000.75, 2, "client", TESTER, DEVICE, b"abcd"),
        CapturedMessage(10, 1_764_000_001.0, 2, "server", DEVICE, TESTER, b"efgh"),
    ]


def test_a_queue_pair_that_is_connected_again_is_another_connection(tmp_path: Path) -> None:
    """As in captures of several cases that were merged."""
    case = [
        event(Side.LOCAL, EventKind.CONNECT),
        event(Side.PEER, EventKind.CONNECT),
        event(Side.LOCAL, EventKind.SEND, b"abcd"),
    ]
    write_pcapng(Trace(case), tmp_path / "case.pcapng")
    merged = tmp_path / "merged.pcapng"
    merged.write_bytes((tmp_path / "case.pcapng").read_bytes() * 2)

    assert [(one.connection, one.octets) for one in read_messages(merged)] == [
        (1, b"abcd"),
        (2, b"abcd"),
    ]


def test_each_direction_has_a_number_where_nobody_saw_the_connection_made(tmp_path: Path) -> None:
    events = [event(side, EventKind.SEND, b"abcd") for side in (Side.LOCAL, Side.PEER)]

    found = read(Trace(events), tmp_path / "case.pcapng")

    assert [(one.connection, one.sender, one.source) for one in found] == [
        (1, "", TESTER),
        (2, "", DEVICE),
    ]


def test_a_packet_counts_once_and_only_if_it_is_whole(tmp_path: Path) -> None:
    """Not if it is sent again, not with a wrong ICRC, not if it is of another protocol."""
    damaged = frame(2, b"efgh")[:-8] + b"????" + frame(2, b"efgh")[-4:]
    trace = passed(
        frame(0xFFFFFF, b"zero"),
        frame(0, b"abcd"),
        frame(0xFFFFFF, b"zero"),
        bytes(60),
        frame(0, b"abcd"),
        damaged,
        frame(1, b"efgh"),
    )

    found = read(trace, tmp_path / "case.pcapng")

    assert [(one.frame, one.octets) for one in found] == [(1, b"zero"), (2, b"abcd"), (7, b"efgh")]


def test_a_message_without_its_end_is_said_to_be_so(tmp_path: Path) -> None:
    """Whether a packet of it is missing, another message begins, or the capture ends."""
    first, middle, last = BthOpcode.SEND_FIRST, BthOpcode.SEND_MIDDLE, BthOpcode.SEND_LAST
    trace = passed(
        frame(1, b"a" * 256, first),
        frame(3, b"c" * 4, last),
        frame(4, b"d" * 256, first),
        frame(5, b"e" * 4),
        frame(6, b"f" * 256, first),
        frame(7, b"g" * 256, middle),
    )

    found = read(trace, tmp_path / "case.pcapng")

    assert [(one.octets[:1], len(one.octets), one.complete) for one in found] == [
        (b"a", 256, False),
        (b"d", 256, False),
        (b"e", 4, True),
        (b"f", 512, False),
    ]


@pytest.mark.parametrize(
    ("octets", "sentence"),
    [
        (b"", "is no pcapng file"),
        (b"\xd4\xc3\xb2\xa1 and so on", "`editcap -F pcapng` makes one of other captures"),
        (b"\x0a\x0d\x0d\x0a" + bytes(40), "is damaged or cut after octet"),
    ],
)
def test_what_is_no_capture_is_said_in_a_sentence(
    octets: bytes, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "case.pcapng").write_bytes(octets)

    with pytest.raises(CaptureError, match=sentence):
        list(read_messages(tmp_path / "case.pcapng"))


def test_a_capture_that_is_cut_anywhere_gives_what_is_before(tmp_path: Path) -> None:
    write_pcapng(passed(frame(0, b"abcd"), frame(1, b"efgh")), tmp_path / "case.pcapng")
    whole = (tmp_path / "case.pcapng").read_bytes()

    counts = set()
    for end in range(4, len(whole) - 1, 7):
        (tmp_path / "cut.pcapng").write_bytes(whole[:end])
        found: list[bytes] = []
        with suppress(CaptureError):
            found.extend(one.octets for one in read_messages(tmp_path / "cut.pcapng"))
        assert found == [b"abcd", b"efgh"][: len(found)]
        counts.add(len(found))
    assert counts == {0, 1}


@cache
def good_capture() -> bytes:
    """A connection with a message each way."""
    events = [event(side, EventKind.CONNECT) for side in Side]
    events += [event(Side.LOCAL, EventKind.SEND, LONG), event(Side.PEER, EventKind.SEND, b"abcd")]
    with TemporaryDirectory() as folder:
        write_pcapng(Trace(events), Path(folder) / "case.pcapng")
        return (Path(folder) / "case.pcapng").read_bytes()


WORDS = st.sampled_from([bytes(4), b"\xff" * 4, b"\0\0\0\1", b"\1\0\0\0", b"\4\0\2\0"])


@given(st.lists(st.tuples(st.integers(1, 300), WORDS), min_size=1, max_size=4))
def test_a_damaged_capture_gives_messages_or_a_sentence(changes: list[tuple[int, bytes]]) -> None:
    """Whatever its blocks say of their lengths, options and interfaces."""
    octets = bytearray(good_capture())
    for place, word in changes:
        octets[place * 4 : place * 4 + 4] = word
    with TemporaryDirectory() as folder:
        path = Path(folder) / "case.pcapng"
        path.write_bytes(octets)
        with suppress(CaptureError):
            list(read_messages(path))


@pytest.mark.parametrize(
    ("place", "octets"),
    [(16, (4).to_bytes(2, sys.byteorder)), (20, b"\xff\xff")],
    ids=["address of five octets", "name that is no text"],
)
def test_an_option_that_is_not_what_it_says_is_damage(
    place: int, octets: bytes, tmp_path: Path
) -> None:
    """An option of the interface, which no message depends on: its name, "trace"."""
    changed = bytearray(good_capture())
    place += int.from_bytes(changed[4:8], sys.byteorder)
    changed[place : place + 2] = octets
    (tmp_path / "case.pcapng").write_bytes(changed)

    with pytest.raises(CaptureError, match="is damaged or cut after octet"):
        list(read_messages(tmp_path / "case.pcapng"))


def test_a_block_that_says_to_be_longer_than_the_file_takes_no_memory(tmp_path: Path) -> None:
    head = b"".join(number.to_bytes(4, sys.byteorder) for number in (6, 0xFFFF_FFFC))
    (tmp_path / "case.pcapng").write_bytes(good_capture() + head + bytes(64))

    tracemalloc.start()
    try:
        with pytest.raises(CaptureError, match="is damaged or cut after octet"):
            list(read_messages(tmp_path / "case.pcapng"))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1 << 24


def test_frames_of_another_link_are_refused(tmp_path: Path) -> None:
    """Captures of the interface `any` have no Ethernet headers."""
    write_pcapng(passed(frame(0, b"abcd")), tmp_path / "case.pcapng")
    octets = bytearray((tmp_path / "case.pcapng").read_bytes())
    section = int.from_bytes(octets[4:8], sys.byteorder)
    at = section + 8
    octets[at : at + 2] = octets[at : at + 2].replace(b"\1", b"\x71")
    (tmp_path / "case.pcapng").write_bytes(octets)

    with pytest.raises(CaptureError, match="link type 113; only Ethernet"):
        list(read_messages(tmp_path / "case.pcapng"))
