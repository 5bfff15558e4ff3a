"""The contract of every link: what a device relies on, whatever carries its datagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import DeviceUnavailable, FabricError
from rpcrdma.roce.link.path_mtu import PATH_MTUS
from rpcrdma.roce.packet.datagram import from_frame, seal
from tests.roce.link.links import DEADLINE, take

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.roce.packet.datagram import Datagram
    from tests.roce.link.links import Pair


def answering(pair: Pair) -> Callable[[], None]:
    """A step with which the far end answers whatever comes."""

    def answer() -> None:
        for datagram in pair.far.receive():
            pair.far.send(seal(pair.there, pair.here, pair.far.port, datagram.transport))

    return answer


def content(datagrams: list[Datagram]) -> list[tuple[str, str, int, bytes]]:
    return [(entry.source, entry.destination, entry.port, entry.payload) for entry in datagrams]


def test_a_datagram_arrives_as_it_was_sent(pair: Pair) -> None:
    sent = pair.datagram()
    pair.near.send(sent)

    assert content(take(pair.far)) == content([sent])
    assert (pair.near.counts.sent, pair.far.counts.received) == (1, 1)


def test_datagrams_arrive_in_order(pair: Pair) -> None:
    sent = [pair.datagram(psn) for psn in range(20)]
    for datagram in sent:
        pair.near.send(datagram)

    assert content(take(pair.far, 20, pair.near)) == content(sent)


@pytest.mark.parametrize("octets", [0, 1, 4096])
def test_payloads_of_every_size_arrive(pair: Pair, octets: int) -> None:
    sent = pair.datagram(payload=bytes(octets))
    pair.near.send(sent)

    assert content(take(pair.far)) == content([sent])


def test_both_directions_carry(pair: Pair) -> None:
    pair.near.send(pair.datagram())
    take(pair.far)
    answer = seal(pair.there, pair.here, pair.far.port, pair.datagram(psn=9).transport)
    pair.far.send(answer)

    assert content(take(pair.near)) == content([answer])


def test_no_datagram_is_an_empty_list(pair: Pair) -> None:
    assert pair.near.receive() == []


def test_a_datagram_to_nobody_is_lost(pair: Pair) -> None:
    """Whether the host says so or not, nothing is raised."""
    for destination in ("10.9.0.77", "240.0.0.1", "fd00::77"):
        lost = pair.datagram()
        pair.near.send(seal(pair.here, pair.there, pair.near.port, lost.transport))
        pair.near.send(type(lost)(pair.here, destination, pair.near.port, lost.payload))

    assert len(take(pair.far, 3)) == 3


def test_a_datagram_of_another_source_is_refused(pair: Pair) -> None:
    """Its ICRC would be wrong where it arrives, and nobody would see why."""
    with pytest.raises(FabricError, match=r"10\.9\.0\.99"):
        pair.near.send(seal("10.9.0.99", pair.there, pair.near.port, bytes(12)))


def test_a_datagram_of_another_port_is_refused(pair: Pair) -> None:
    with pytest.raises(FabricError, match="port 7"):
        pair.near.send(seal(pair.here, pair.there, 7, bytes(12)))


def test_the_address_towards_the_peer_is_the_own_one(pair: Pair) -> None:
    assert pair.near.local_address(pair.there) == pair.here


def test_the_other_version_of_ip_is_no_way(pair: Pair) -> None:
    with pytest.raises(DeviceUnavailable, match="IPv4"):
        pair.near.local_address("fd00::1")


def test_a_name_is_no_address(pair: Pair) -> None:
    with pytest.raises(DeviceUnavailable, match="'server' is no IP address"):
        pair.near.local_address("server")


def test_the_path_mtu_is_one_of_five(pair: Pair) -> None:
    assert pair.near.path_mtu(pair.there) in PATH_MTUS


def test_sleep_comes_to_its_end(pair: Pair) -> None:
    """Also if nothing happens: whoever sleeps again and again gets to the moment."""
    until = pair.near.clock.now() + 0.02
    while pair.near.clock.now() < until:
        pair.near.sleep(until)

    assert pair.near.clock.now() >= until


def test_a_moment_that_has_passed_gives_turns(pair: Pair) -> None:
    turns: list[int] = []
    pair.near.attach(pair, lambda: turns.append(1))
    pair.near.sleep(pair.near.clock.now() - 5)

    assert turns


def test_a_step_answers_inside_the_sleep_of_its_peer(pair: Pair) -> None:
    pair.far.attach(pair, answering(pair))
    sent = pair.datagram(psn=5)
    pair.near.send(sent)

    assert content(take(pair.near)) == content(
        [seal(pair.there, pair.here, pair.far.port, sent.transport)]
    )


def test_a_detached_step_has_no_turn(pair: Pair) -> None:
    turns: list[int] = []
    pair.near.attach(pair, lambda: turns.append(1))
    pair.near.detach(pair)
    pair.near.sleep(pair.near.clock.now())

    assert turns == []


def test_a_step_that_takes_what_came_ends_the_sleep(pair: Pair) -> None:
    """It may have changed what the sleeper waits for; the sleeper has to look again."""
    taken: list[Datagram] = []
    pair.far.attach(pair, lambda: taken.extend(pair.far.receive()))
    pair.near.send(pair.datagram())
    until = pair.far.clock.now() + DEADLINE
    while not taken and pair.far.clock.now() < until:
        pair.far.sleep(until)

    assert len(taken) == 1
    assert pair.far.clock.now() < until


def test_wake_ends_the_sleep_that_is_under_way(pair: Pair) -> None:
    """A step that has changed something itself says so."""
    pair.near.attach(pair, pair.near.wake)
    until = pair.near.clock.now() + DEADLINE
    pair.near.sleep(until)

    assert pair.near.clock.now() < until


def test_what_is_planned_runs_at_its_moment_and_in_order(pair: Pair) -> None:
    ran: list[str] = []
    now = pair.near.clock.now()
    pair.near.at(now + 0.004, lambda: ran.append("last"))
    pair.near.at(now + 0.002, lambda: ran.append("first"))
    pair.near.at(now + 0.004, lambda: ran.append("really last"))
    while len(ran) < 3 and pair.near.clock.now() < now + DEADLINE:
        pair.near.sleep(now + DEADLINE)

    assert ran == ["first", "last", "really last"]
    assert pair.near.clock.now() >= now + 0.004


def test_everybody_has_a_turn_at_the_moment_asked_for(pair: Pair) -> None:
    turns: list[float] = []
    moment = pair.near.clock.now() + 0.004
    pair.near.attach(pair, lambda: turns.append(pair.near.clock.now()))
    for _ in range(3):
        pair.near.wake_at(moment)
    while not turns or turns[-1] < moment:  # a busy machine may let much time pass in one sleep
        pair.near.sleep(moment + 0.01)

    assert any(moment <= turn < moment + 0.01 for turn in turns) or not pair.near.is_virtual


def test_the_tap_shows_frames_of_both_directions(pair: Pair) -> None:
    frames: list[bytes] = []
    pair.near.tap = lambda _, frame: frames.append(frame)
    pair.near.send(pair.datagram(psn=1))
    take(pair.far)
    answer = seal(pair.there, pair.here, pair.far.port, pair.datagram(psn=2).transport)
    pair.far.send(answer)
    take(pair.near)
    shown = [datagram for frame in frames if (datagram := from_frame(frame)) is not None]

    assert content(shown) == content([pair.datagram(psn=1), answer])
    assert all(datagram.intact for datagram in shown)


def test_the_tap_has_the_time_of_the_links_clock(pair: Pair) -> None:
    moments: list[float] = []
    pair.near.tap = lambda moment, _: moments.append(moment)
    before = pair.near.clock.now()
    pair.near.send(pair.datagram())

    assert moments
    assert all(before <= moment <= pair.near.clock.now() for moment in moments)


def test_closing_twice_is_allowed(pair: Pair) -> None:
    pair.near.close()
    pair.near.close()


def test_a_closed_link_loses_everything_and_does_not_hang(pair: Pair) -> None:
    datagram = pair.datagram()
    pair.near.close()
    pair.near.send(datagram)
    pair.near.wake()
    pair.near.sleep(pair.near.clock.now() + 0.001)

    assert pair.near.receive() == []
    assert pair.near.counts.sent == 0


def test_links_have_a_name_for_reports(pair: Pair) -> None:
    assert pair.near.name.startswith("roce ")
