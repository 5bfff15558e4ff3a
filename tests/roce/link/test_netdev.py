"""Frames to a guest: a socket of the test's own plays QEMU, and the test the guest."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import DeviceUnavailable
from rpcrdma.roce.link.frame_socket import FrameSocket
from rpcrdma.roce.link.netdev import NetdevLink
from rpcrdma.roce.packet.arp import (
    ArpOperation,
    ArpPacket,
    arp_answer,
    arp_from_frame,
    arp_question,
)
from rpcrdma.roce.packet.datagram import Datagram, from_frame, seal, to_frame
from rpcrdma.roce.packet.ethernet import BROADCAST
from tests.roce.link.links import DEADLINE, send_only, take

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STATION, GUEST = b"\x02\x00\x0a\x09\x00\x02", b"\x52\x54\x00\x00\x00\x01"
HERE, THERE = "10.9.0.2", "10.9.0.1"


@pytest.fixture
def guest(folder: Path) -> Iterator[FrameSocket]:
    """The other end of the sockets, which sees and makes frames."""
    made = FrameSocket(folder / "qemu", folder / "tester")
    yield made
    made.close()


@pytest.fixture
def link(folder: Path, guest: FrameSocket) -> Iterator[NetdevLink]:
    """One that has announced itself to the guest."""
    made = NetdevLink(folder / "tester", folder / "qemu", HERE)
    assert len(guest.receive()) == 1
    yield made
    made.close()


def introduce(link: NetdevLink, guest: FrameSocket) -> None:
    """Have the guest be known to the link."""
    guest.send(arp_question(GUEST, THERE, HERE))
    link.receive()
    guest.receive()


def incoming(transport: bytes = bytes(12)) -> Datagram:
    return seal(THERE, HERE, 50000, transport)


def until(link: NetdevLink, happened: Callable[[], bool]) -> None:
    """Let the link go on until something has happened."""
    end = link.clock.now() + DEADLINE
    while not happened():
        assert link.clock.now() < end
        link.sleep(end)
        link.receive()


def test_the_link_announces_itself(folder: Path, guest: FrameSocket) -> None:
    NetdevLink(folder / "tester", folder / "qemu", HERE).close()
    [frame] = guest.receive()

    assert frame == arp_question(STATION, HERE, HERE)


def test_a_datagram_asks_for_the_station_first(link: NetdevLink, guest: FrameSocket) -> None:
    sent = send_only(link, THERE)
    link.send(sent)
    [question] = guest.receive()
    asked = arp_from_frame(question)
    assert asked == ArpPacket(ArpOperation.REQUEST, STATION, HERE, bytes(6), THERE)
    assert link.counts.sent == 0

    guest.send(arp_answer(asked, GUEST))
    link.receive()
    assert guest.receive() == [to_frame(sent, STATION, GUEST)]
    assert link.counts.sent == 1


def test_a_question_is_repeated_until_it_is_answered(link: NetdevLink, guest: FrameSocket) -> None:
    link.send(send_only(link, THERE))
    questions: list[bytes] = []

    def asked_twice() -> bool:
        questions.extend(guest.receive())
        return len(questions) > 1

    until(link, asked_twice)
    assert questions[0] == questions[1]


def test_a_question_for_our_address_is_answered(link: NetdevLink, guest: FrameSocket) -> None:
    guest.send(arp_question(GUEST, THERE, HERE))

    assert link.receive() == []
    [frame] = guest.receive()
    assert arp_from_frame(frame) == ArpPacket(ArpOperation.REPLY, STATION, HERE, GUEST, THERE)


def test_a_received_datagram_has_a_verdict_on_its_icrc(
    link: NetdevLink, guest: FrameSocket
) -> None:
    """Unlike a socket, frames show what the ICRC covers."""
    good = incoming()
    bad = Datagram(good.source, good.destination, good.port, bytes([1]) + good.payload[1:])
    for each in (good, bad):
        guest.send(to_frame(each, GUEST, STATION))

    assert [each.intact for each in take(link, 2)] == [True, False]


@pytest.mark.parametrize(
    ("what", "frame"),
    [
        ("for another station", to_frame(incoming(), GUEST, b"\x02\x00\x00\x00\x00\x09")),
        ("for everybody", to_frame(incoming(), GUEST, BROADCAST)),
        ("for a group", to_frame(incoming(), GUEST, b"\x01\x00\x5e\x00\x00\x01")),
        ("for another address", to_frame(seal(THERE, "10.9.0.3", 5, bytes(12)), GUEST, STATION)),
        ("of another version", to_frame(seal("fd00::1", "fd00::2", 5, bytes(12)), GUEST, STATION)),
        ("of another protocol", STATION + GUEST + b"\x88\xcc" + bytes(46)),
    ],
)
def test_what_is_not_for_us_is_dropped_and_counted(
    link: NetdevLink, guest: FrameSocket, what: str, frame: bytes
) -> None:
    guest.send(frame)
    guest.send(to_frame(incoming(), GUEST, STATION))

    assert len(take(link)) == 1, what
    assert (link.counts.foreign, link.counts.broken) == (1, 0), what


def other_port() -> bytes:
    frame = bytearray(to_frame(incoming(), GUEST, STATION))
    frame[36:38] = (53).to_bytes(2, "big")
    return bytes(frame)


def test_another_port_is_dropped_and_counted(link: NetdevLink, guest: FrameSocket) -> None:
    guest.send(other_port())

    assert link.receive() == []
    assert link.counts.foreign == 1


def fragment() -> bytes:
    """The first fragment of a datagram, with the checksum that it needs."""
    frame = bytearray(to_frame(incoming(), GUEST, STATION))
    frame[20:22], frame[24:26] = b"\x20\x00", b"\x00\x00"
    checksum = -int.from_bytes(frame[14:34], "big") % 0xFFFF
    frame[24:26] = checksum.to_bytes(2, "big")
    return bytes(frame)


@pytest.mark.parametrize(
    ("what", "frame"),
    [
        ("a fragment", fragment()),
        ("cut off in Ethernet", STATION + GUEST),
        ("cut off in IP", to_frame(incoming(), GUEST, STATION)[:30]),
        ("cut off in ARP", STATION + GUEST + b"\x08\x06" + bytes(8)),
        ("no octet", STATION[:0]),
    ],
)
def test_what_cannot_be_read_is_dropped_and_counted(
    link: NetdevLink, guest: FrameSocket, what: str, frame: bytes
) -> None:
    guest.send(frame)
    guest.send(to_frame(incoming(), GUEST, STATION))

    assert len(take(link)) == 1, what
    assert link.counts.broken + link.counts.foreign == 1, what
    assert link.counts.broken == (0 if what == "no octet" else 1)


def test_a_tagged_datagram_is_taken(link: NetdevLink, guest: FrameSocket) -> None:
    frame = to_frame(incoming(), GUEST, STATION)
    guest.send(frame[:12] + b"\x81\x00\x00\x07" + frame[12:])

    assert len(take(link)) == 1


def test_the_tap_shows_arp_and_what_is_broken(link: NetdevLink, guest: FrameSocket) -> None:
    """Whoever reads the capture sees why nothing came of it."""
    shown: list[bytes] = []
    link.tap = lambda _, frame: shown.append(frame)
    question, broken = arp_question(GUEST, THERE, HERE), fragment()
    foreign = to_frame(incoming(), GUEST, BROADCAST)
    for frame in (question, broken, foreign):
        guest.send(frame)
    link.receive()
    [answer] = guest.receive()

    assert shown == [question, broken, answer]


def test_a_datagram_that_qemu_is_not_there_for_is_lost(
    link: NetdevLink, guest: FrameSocket
) -> None:
    introduce(link, guest)
    guest.close()
    link.send(send_only(link, THERE))

    assert (link.counts.sent, link.counts.unsent) == (0, 1)


def test_a_burst_waits_for_the_guest(link: NetdevLink, guest: FrameSocket) -> None:
    """More than QEMU's socket holds; sleeping is enough to have all of it sent."""
    introduce(link, guest)
    for psn in range(100):
        link.send(send_only(link, THERE, psn))
    came: list[bytes] = []

    def all_there() -> bool:
        came.extend(guest.receive())
        return len(came) >= 100

    until(link, all_there)
    assert [frame[-15:] for frame in came] == [
        to_frame(send_only(link, THERE, psn), STATION, GUEST)[-15:] for psn in range(100)
    ]
    assert link.counts.unsent == 0


def test_what_is_for_an_address_that_does_not_answer_is_bounded(link: NetdevLink) -> None:
    for _ in range(100):
        link.send(send_only(link, "10.9.0.9"))

    assert link.counts.unsent == 100 - 64


def test_the_station_may_be_chosen(folder: Path, guest: FrameSocket) -> None:
    chosen = b"\x02\x00\x00\x00\x00\x05"
    NetdevLink(folder / "tester", folder / "qemu", HERE, station=chosen).close()

    assert guest.receive() == [arp_question(chosen, HERE, HERE)]


@pytest.mark.parametrize(("mtu", "expected"), [(4200, 4096), (1500, 1024)])
def test_the_path_mtu_is_that_of_the_guests_device(folder: Path, mtu: int, expected: int) -> None:
    link = NetdevLink(folder / "tester", folder / "qemu", HERE, mtu=mtu)

    assert link.path_mtu(THERE) == expected
    link.close()


@pytest.mark.parametrize("address", ["fd00::2", "guest"])
def test_an_address_must_be_one_of_ipv4(folder: Path, address: str) -> None:
    with pytest.raises(DeviceUnavailable, match=r"IPv4 alone|no IP address"):
        NetdevLink(folder / "tester", folder / "qemu", address)
    assert list(folder.iterdir()) == []


def test_what_arrives_is_what_a_frame_says(link: NetdevLink, guest: FrameSocket) -> None:
    frame = to_frame(incoming(), GUEST, STATION)
    guest.send(frame)

    assert take(link) == [from_frame(frame)]


@st.composite
def frames(draw: st.DrawFn) -> bytes:
    """Good frames, for us, of which something is changed, cut off or put before."""
    good = [to_frame(incoming(), GUEST, STATION), arp_question(GUEST, THERE, HERE), fragment()]
    frame = bytearray(draw(st.sampled_from(good)))
    for _ in range(draw(st.integers(0, 3))):
        frame[draw(st.integers(0, len(frame) - 1))] = draw(st.integers(0, 255))
    if draw(st.booleans()):
        frame[12:12] = b"\x81\x00" + draw(st.binary(min_size=2, max_size=2))
    return bytes(frame[: draw(st.integers(0, len(frame)))])


@given(st.lists(frames() | st.binary(max_size=80), max_size=5))
def test_no_frame_raises(sent: list[bytes]) -> None:
    """Nor makes the link send anything but answers to those who ask."""
    folder = Path(tempfile.mkdtemp(prefix="rq", dir="/tmp"))
    guest = FrameSocket(folder / "qemu", folder / "tester")
    link = NetdevLink(folder / "tester", folder / "qemu", HERE)
    guest.receive()
    for frame in sent:
        guest.send(frame)
    taken = link.receive()
    answers = [arp_from_frame(frame) for frame in guest.receive()]
    link.close()
    guest.close()
    shutil.rmtree(folder)

    assert all(each.destination == HERE for each in taken)
    assert all(answer is not None and answer.sender == HERE for answer in answers)
    assert len(taken) + len(answers) <= len(sent)
