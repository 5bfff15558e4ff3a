"""Faults before a link: in virtual time, where each moment is known, and before a socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.roce.link.fault_choice import rules_of
from rpcrdma.roce.link.faults import FrameAct, FrameDirection, FrameFaults
from rpcrdma.roce.link.faulty_link import FaultyLink
from rpcrdma.roce.link.switch import DEFAULT_LATENCY
from rpcrdma.roce.packet.aeth import NakCode
from rpcrdma.roce.packet.bth import Aeth, BthOpcode, Packet, decode, encode
from rpcrdma.roce.packet.datagram import Datagram, from_frame, seal
from tests.roce.link.links import DEADLINE, QUEUE_PAIR, Pair, send_only, switch_pair, take

if TYPE_CHECKING:
    from rpcrdma.roce.link.base import Link


def psns(datagrams: list[Datagram]) -> list[int]:
    return [decode(datagram.transport).psn for datagram in datagrams]


def send(link: Link, remote: str, count: int) -> None:
    """Packets of which each has its number as PSN, from 1."""
    for psn in range(1, count + 1):
        link.send(send_only(link, remote, psn))


def until_idle(link: Link) -> list[Datagram]:
    """All that comes in a second of virtual time."""
    assert link.is_virtual
    came: list[Datagram] = []
    until = link.clock.now() + 1.0
    while link.clock.now() < until:
        link.sleep(until)
        came += link.receive()
    return came


@pytest.fixture(params=list(FrameDirection), ids=lambda each: each.value)
def direction(request: pytest.FixtureRequest) -> FrameDirection:
    """Which end is told to misbehave: the sender's or the receiver's."""
    chosen: FrameDirection = request.param
    return chosen


def through(direction: FrameDirection, faults: str, count: int) -> tuple[list[Datagram], Pair]:
    """What arrives of `count` packets, with faults at one end, and that end as `near`."""
    ends = switch_pair()
    text = faults.replace("HERE", direction.value)
    parsed = FrameFaults.parse(text)
    if direction is FrameDirection.SENT:
        near: Link = FaultyLink(ends.near, parsed)
        send(near, ends.there, count)
        return until_idle(ends.far), Pair(near, ends.far, ends.here, ends.there)
    far = FaultyLink(ends.far, parsed)
    send(ends.near, ends.there, count)
    return until_idle(far), Pair(far, ends.near, ends.there, ends.here)


def test_a_dropped_datagram_does_not_come(direction: FrameDirection) -> None:
    came, _ = through(direction, "HERE.ANY.2=drop", 3)

    assert psns(came) == [1, 3]


def test_a_duplicate_comes_twice(direction: FrameDirection) -> None:
    came, _ = through(direction, "HERE.ANY.2=duplicate", 3)

    assert psns(came) == [1, 2, 2, 3]


def test_a_reordered_one_comes_after_the_next(direction: FrameDirection) -> None:
    came, _ = through(direction, "HERE.ANY.1=reorder", 3)

    assert psns(came) == [2, 1, 3]


def test_two_reordered_ones_come_after_the_third(direction: FrameDirection) -> None:
    came, _ = through(direction, "HERE.ANY.1-2=reorder", 3)

    assert psns(came) == [3, 1, 2]


def test_a_reordered_one_that_nothing_overtakes_comes_later(direction: FrameDirection) -> None:
    """It is not lost."""
    came, _ = through(direction, "HERE.ANY.1=reorder", 1)

    assert psns(came) == [1]


def test_a_delayed_one_is_overtaken(direction: FrameDirection) -> None:
    came, _ = through(direction, "HERE.ANY.1=delay", 3)

    assert psns(came) == [2, 3, 1]


def test_a_corrupted_one_has_a_wrong_icrc(direction: FrameDirection) -> None:
    """Nothing else of it is wrong."""
    came, _ = through(direction, "HERE.ANY.2=corrupt", 3)

    assert [datagram.intact for datagram in came] == [True, False, True]
    assert psns(came) == [1, 2, 3]


def test_what_is_sent_damaged_has_another_octet(direction: FrameDirection) -> None:
    """Whoever does not look at ICRCs takes it; what comes damaged has another ICRC only."""
    ((damaged,), _), ((good,), _) = (
        through(direction, faults, 1) for faults in ("HERE.ANY.1=corrupt", "")
    )

    other = damaged.transport != good.transport, damaged.payload[-4:] != good.payload[-4:]

    assert other == ((True, False) if direction is FrameDirection.SENT else (False, True))


@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_a_delay_is_kept_to_the_moment(end: str) -> None:
    """In virtual time, whoever sleeps: nobody else has to do anything at that moment."""
    ends = switch_pair()
    faults = FrameFaults.parse("delay=1,seconds=0.25")
    near: Link = FaultyLink(ends.near, faults) if end == "sender" else ends.near
    far: Link = FaultyLink(ends.far, faults) if end == "receiver" else ends.far
    near.send(send_only(near, ends.there))
    came = take(far)

    assert len(came) == 1
    assert far.clock.now() == pytest.approx(0.25 + DEFAULT_LATENCY)


def test_the_other_direction_is_spared() -> None:
    ends = switch_pair()
    near = FaultyLink(ends.near, FrameFaults.parse("sent.loss=1"))
    send(ends.far, ends.here, 3)

    assert psns(until_idle(near)) == [1, 2, 3]


def test_all_is_written_down(direction: FrameDirection) -> None:
    _, ends = through(direction, "HERE.ANY.2=drop,HERE.ANY.3=duplicate", 3)
    assert isinstance(ends.near, FaultyLink)

    assert [(met.direction, met.number, met.psn, met.acts) for met in ends.near.log] == [
        (direction, 2, 2, (FrameAct.DROP,)),
        (direction, 3, 3, (FrameAct.DUPLICATE,)),
    ]
    assert ends.near.tally == {FrameAct.DROP: 1, FrameAct.DUPLICATE: 1}


def test_the_log_is_bounded() -> None:
    ends = switch_pair()
    near = FaultyLink(ends.near, FrameFaults.parse("loss=1"))
    datagram = send_only(near, ends.there)
    for _ in range(10_050):
        near.send(datagram)

    assert len(near.log) == 10_000
    assert near.log[-1].number == 10_050
    assert near.tally[FrameAct.DROP] == 10_050


@pytest.mark.parametrize("act", ["delay", "reorder"])
def test_what_is_held_is_bounded(act: str) -> None:
    """More passes at once."""
    ends = switch_pair()
    near = FaultyLink(ends.near, FrameFaults.parse(f"{act}=1,seconds=60"))
    datagram = send_only(near, ends.there)
    for _ in range(4096):
        near.send(datagram)
    assert ends.near.counts.sent == 0
    near.send(datagram)

    assert ends.near.counts.sent > 0


FAULTS = "seed=5,loss=0.1,duplicate=0.1,reorder=0.1,delay=0.1,corrupt=0.1"


def frames(faults: FrameFaults) -> tuple[list[tuple[float, bytes]], FaultyLink]:
    """What the far end sees of an exchange under faults, with times."""
    ends = switch_pair()
    near = FaultyLink(ends.near, faults)
    seen: list[tuple[float, bytes]] = []
    ends.far.tap = lambda moment, frame: seen.append((moment, frame))

    def answer() -> None:
        for datagram in ends.far.receive():
            ends.far.send(send_only(ends.far, ends.here, psns([datagram])[0]))

    ends.far.attach(ends, answer)
    for psn in range(1, 101):
        near.send(send_only(near, ends.there, psn))
        near.sleep(near.clock.now() + 1e-4)
        near.receive()
    until_idle(near)
    return seen, near


def test_the_same_faults_give_the_same_run() -> None:
    first, link = frames(FrameFaults.parse(FAULTS))
    again, _ = frames(FrameFaults.parse(FAULTS))

    assert first == again
    assert set(link.tally) == set(FrameAct)


def test_another_seed_gives_another_run() -> None:
    other = FAULTS.replace("seed=5", "seed=6")

    assert frames(FrameFaults.parse(FAULTS))[0] != frames(FrameFaults.parse(other))[0]


def test_the_log_of_a_run_gives_it_again_by_rules() -> None:
    """Without chance; so whoever looks for a cause can leave rules out."""
    first, link = frames(FrameFaults.parse(FAULTS))
    again, _ = frames(FrameFaults(rules=rules_of(link.log)))

    assert first == again


def test_faults_may_be_exchanged_and_count_anew() -> None:
    ends = switch_pair()
    near = FaultyLink(ends.near)
    send(near, ends.there, 2)
    near.inject(FrameFaults.parse("sent.ANY.1=drop"))
    send(near, ends.there, 2)

    assert psns(until_idle(ends.far)) == [1, 2, 2]


def test_a_healed_link_loses_nothing_and_keeps_its_log() -> None:
    ends = switch_pair()
    near = FaultyLink(ends.near, FrameFaults.parse("sent.ANY.1=delay,sent.ANY.2-=drop"))
    send(near, ends.there, 3)
    near.heal()
    send(near, ends.there, 3)

    assert sorted(psns(until_idle(ends.far))) == [1, 1, 2, 3]
    assert len(near.log) == 3


def test_the_name_says_what_the_faults_are() -> None:
    ends = switch_pair()
    near = FaultyLink(ends.near, FrameFaults.parse("seed=7,loss=0.5"))

    assert near.name == "roce switch with faults seed=7,loss=0.5"
    assert FaultyLink(ends.far).name == "roce switch"


def test_the_tap_shows_what_was_carried() -> None:
    ends = switch_pair()
    near = FaultyLink(ends.near, FrameFaults.parse("sent.ANY.1=drop,sent.ANY.2=duplicate"))
    shown: list[bytes] = []
    near.tap = lambda _, frame: shown.append(frame)
    send(near, ends.there, 3)

    seen = [datagram for frame in shown if (datagram := from_frame(frame)) is not None]
    assert psns(seen) == [2, 2, 3]


@pytest.mark.parametrize("act", ["drop", "corrupt", "delay", "reorder"])
def test_what_is_taken_patiently_is_owed(direction: FrameDirection, act: str) -> None:
    """Until it comes after all; a corrupted one does not count as having come."""
    ends = switch_pair()
    faulty = FaultyLink(ends.near if direction is FrameDirection.SENT else ends.far)
    near, far = (faulty, ends.far) if direction is FrameDirection.SENT else (ends.near, faulty)
    faults = FrameFaults.parse(f"{direction.value}.ANY.1={act},seconds=0.25")
    faulty.owed.join(QUEUE_PAIR, QUEUE_PAIR)
    faulty.inject(faults, patiently=True)
    near.send(send_only(near, ends.there, 5))
    near.sleep(near.clock.now() + 0.01)
    far.receive()
    owed, before = bool(faulty.owed), faulty.patience.now()
    until_idle(far)
    gone_on = faulty.patience.now() > before + 0.1
    near.send(send_only(near, ends.there, 5))
    until_idle(far)

    assert (owed, gone_on) == (True, act in ("delay", "reorder"))
    assert not faulty.owed


@pytest.mark.parametrize("patiently", [True, False])
def test_what_nobody_would_say_again_is_not_taken_patiently(patiently: bool) -> None:
    ends = switch_pair()
    near = FaultyLink(ends.near)
    near.inject(FrameFaults.parse("loss=1"), patiently=patiently)
    nak = Packet(BthOpcode.ACKNOWLEDGE, 17, 3, aeth=Aeth(NakCode.REMOTE_ACCESS_ERROR, 0))
    near.send(seal(ends.here, ends.there, near.port, encode(nak)))

    assert psns(until_idle(ends.far)) == ([3] if patiently else [])
    assert len(near.log) == (0 if patiently else 1)


@pytest.mark.parametrize("faults", ["ANY.1=drop", "ANY.1=duplicate"])
def test_nothing_else_is_owed(direction: FrameDirection, faults: str) -> None:
    """Not what was lost for a case to judge, and not what came twice."""
    _, ends = through(direction, f"HERE.{faults}", 1)
    assert isinstance(ends.near, FaultyLink)
    assert not ends.near.owed

    ends.near.owed.join(QUEUE_PAIR, QUEUE_PAIR)
    ends.near.inject(FrameFaults.parse("sent.ANY.1=duplicate"), patiently=True)
    ends.near.send(send_only(ends.near, ends.there, 5))

    assert not ends.near.owed


def test_what_is_owed_stays_owed_when_the_link_is_healed() -> None:
    ends = switch_pair()
    near = FaultyLink(ends.near)
    near.owed.join(QUEUE_PAIR, QUEUE_PAIR)
    near.inject(FrameFaults.parse("loss=1"), patiently=True)
    send(near, ends.there, 2)
    near.heal()
    assert near.owed

    send(near, ends.there, 2)

    assert not near.owed


def test_closing_loses_what_is_held() -> None:
    ends = switch_pair()
    near = FaultyLink(ends.near, FrameFaults.parse("sent.ANY.1=reorder,sent.ANY.2=delay"))
    send(near, ends.there, 2)
    near.close()

    assert until_idle(ends.far) == []
    assert near.receive() == []


@pytest.mark.parametrize("act", ["delay", "reorder"])
def test_in_real_time_what_is_held_comes_by_itself(wired: Pair, act: str) -> None:
    """Out of the sender's own sleep: nothing else needs to be sent."""
    near = FaultyLink(wired.near, FrameFaults.parse(f"sent.ANY.1={act},seconds=0.002"))
    near.send(send_only(near, wired.there, 5))
    came = take(wired.far, 1, near)

    assert psns(came) == [5]


@pytest.mark.parametrize("act", ["delay", "reorder"])
def test_in_real_time_what_is_held_on_its_way_in_comes(wired: Pair, act: str) -> None:
    far = FaultyLink(wired.far, FrameFaults.parse(f"received.ANY.1={act},seconds=0.002"))
    wired.near.send(wired.datagram(psn=5))
    until = far.clock.now() + DEADLINE
    came = take(far)

    assert psns(came) == [5]
    assert far.clock.now() < until


def test_a_corrupted_one_over_a_socket_is_known_where_it_was_done(wired: Pair) -> None:
    """The socket could not tell."""
    far = FaultyLink(wired.far, FrameFaults.parse("corrupt=1"))
    wired.near.send(wired.datagram())

    assert take(far)[0].intact is False
