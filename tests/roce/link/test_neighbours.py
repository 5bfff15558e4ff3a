"""ARP, without a network."""

from __future__ import annotations

import pytest

from rpcrdma.roce.link.neighbours import Neighbours
from rpcrdma.roce.packet.arp import ArpOperation, ArpPacket, arp_from_frame
from rpcrdma.roce.packet.datagram import Datagram, from_frame, seal
from rpcrdma.roce.packet.ethernet import BROADCAST

STATION, PEER = b"\x02\x00\x0a\x09\x00\x02", b"\x52\x54\x00\x00\x00\x01"
HERE, THERE = "10.9.0.2", "10.9.0.1"


@pytest.fixture
def neighbours() -> Neighbours:
    """One that has announced itself."""
    made = Neighbours(STATION, HERE)
    made.take_frames()
    return made


def datagram(remote: str = THERE) -> Datagram:
    return seal(HERE, remote, 49152, bytes(12))


def said(frame: bytes) -> ArpPacket:
    packet = arp_from_frame(frame)
    assert packet is not None
    return packet


def reply(sender: str = THERE, station: bytes = PEER) -> ArpPacket:
    return ArpPacket(ArpOperation.REPLY, station, sender, STATION, HERE)


def request(sender: str = THERE, target: str = HERE, station: bytes = PEER) -> ArpPacket:
    return ArpPacket(ArpOperation.REQUEST, station, sender, bytes(6), target)


def test_the_own_address_is_announced_first() -> None:
    """To everybody, so that an old entry of a tester before this one is put right."""
    [frame] = Neighbours(STATION, HERE).take_frames()

    assert frame[:6] == BROADCAST
    assert said(frame) == ArpPacket(ArpOperation.REQUEST, STATION, HERE, bytes(6), HERE)


def test_a_datagram_to_an_unknown_station_waits_for_an_answer(neighbours: Neighbours) -> None:
    assert neighbours.send(datagram(), 0.0) is None
    [question] = neighbours.take_frames()
    assert said(question) == request(HERE, THERE, STATION)

    neighbours.hear(reply())
    [frame] = neighbours.take_frames()
    assert (frame[:6], frame[6:12]) == (PEER, STATION)
    assert from_frame(frame) == Datagram(HERE, THERE, 49152, datagram().payload, intact=True)


def test_a_known_station_is_not_asked_for_again(neighbours: Neighbours) -> None:
    neighbours.send(datagram(), 0.0)
    neighbours.hear(reply())
    neighbours.take_frames()
    frame = neighbours.send(datagram(), 1.0)

    assert frame is not None
    assert frame[:6] == PEER
    assert neighbours.take_frames() == []
    assert neighbours.deadline() is None


def test_what_waits_is_sent_in_order(neighbours: Neighbours) -> None:
    sent = [seal(HERE, THERE, 49152, bytes([number]) * 12) for number in range(5)]
    for each in sent:
        neighbours.send(each, 0.0)
    assert len(neighbours.take_frames()) == 1
    neighbours.hear(reply())

    came = [from_frame(frame) for frame in neighbours.take_frames()]
    assert [each.payload for each in came if each is not None] == [each.payload for each in sent]


def test_a_question_without_answer_is_asked_again_ten_times(neighbours: Neighbours) -> None:
    neighbours.send(datagram(), 0.0)
    questions, now = len(neighbours.take_frames()), 0.0
    while (deadline := neighbours.deadline()) is not None:
        assert deadline > now
        now = deadline
        neighbours.tick(now)
        questions += len(neighbours.take_frames())

    assert questions == 10
    assert now == pytest.approx(2.0)
    assert neighbours.given_up == 1


def test_a_tick_before_its_time_asks_nothing(neighbours: Neighbours) -> None:
    neighbours.send(datagram(), 0.0)
    neighbours.take_frames()
    neighbours.tick(0.1)

    assert neighbours.take_frames() == []


def test_after_all_was_given_up_the_next_datagram_asks_anew(neighbours: Neighbours) -> None:
    neighbours.send(datagram(), 0.0)
    for second in range(20):
        neighbours.tick(float(second))
    neighbours.take_frames()
    neighbours.send(datagram(), 30.0)
    neighbours.hear(reply())

    assert len(neighbours.take_frames()) == 2  # the question, and the one datagram


def test_what_waits_for_a_station_is_bounded(neighbours: Neighbours) -> None:
    for _ in range(70):
        neighbours.send(datagram(), 0.0)

    assert neighbours.given_up == 70 - 64


def test_the_addresses_asked_for_are_bounded(neighbours: Neighbours) -> None:
    for number in range(20):
        neighbours.send(datagram(f"10.9.1.{number}"), 0.0)

    assert len(neighbours.take_frames()) == 16
    assert neighbours.given_up == 4


def test_a_question_for_our_address_is_answered(neighbours: Neighbours) -> None:
    neighbours.hear(request())
    [frame] = neighbours.take_frames()

    assert frame[:6] == PEER
    assert said(frame) == ArpPacket(ArpOperation.REPLY, STATION, HERE, PEER, THERE)


def test_who_asks_for_us_is_known_from_then_on(neighbours: Neighbours) -> None:
    neighbours.hear(request())

    assert neighbours.send(datagram(), 0.0) is not None


def test_a_question_for_another_address_is_not_answered(neighbours: Neighbours) -> None:
    neighbours.hear(request(target="10.9.0.3"))

    assert neighbours.take_frames() == []
    assert neighbours.send(datagram(), 0.0) is None


def test_an_announcement_of_whom_we_ask_for_is_an_answer(neighbours: Neighbours) -> None:
    """A guest that comes up says so to everybody."""
    neighbours.send(datagram(), 0.0)
    neighbours.take_frames()
    neighbours.hear(request(target=THERE))

    assert len(neighbours.take_frames()) == 1


def test_a_known_peer_may_move_to_another_station(neighbours: Neighbours) -> None:
    moved = b"\x52\x54\x00\x00\x00\x02"
    neighbours.hear(request())
    neighbours.hear(request(target=THERE, station=moved))
    frame = neighbours.send(datagram(), 0.0)

    assert frame is not None
    assert frame[:6] == moved


def test_a_group_is_nobodys_station(neighbours: Neighbours) -> None:
    neighbours.hear(request(station=BROADCAST))

    assert neighbours.send(datagram(), 0.0) is None


def test_nobody_else_has_our_address(neighbours: Neighbours) -> None:
    neighbours.hear(request(sender=HERE))

    assert neighbours.take_frames() == []


def test_the_stations_known_are_bounded(neighbours: Neighbours) -> None:
    """Those that spoke first are forgotten first."""
    for number in range(300):
        neighbours.hear(request(sender=f"10.9.{2 + number // 250}.{number % 250}"))

    assert len(neighbours._known) == 256
    assert neighbours.send(datagram("10.9.2.0"), 0.0) is None
    assert neighbours.send(datagram("10.9.3.49"), 0.0) is not None
