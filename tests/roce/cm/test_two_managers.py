"""Two managers over a wire that loses, doubles and delays: both ends agree, or both give up.

The wire decides by a list of fates, one for each message; when that is at its end, all arrives.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from rpcrdma.roce.cm import CmHandshake, CmNoticeKind, CmState, ConnectionManager
from rpcrdma.roce.cm.registry import MOST_HALF_OPEN, MOST_TIME_WAITS
from rpcrdma.roce.cm.states import OVER
from tests.roce.cm.conftest import ACTIVE, MOST_TURNS, PASSIVE, PORT, offer

if TYPE_CHECKING:
    from collections.abc import Callable

LATENCY = 0.001
FOR_EVER = 3600.0
ENDS = {CmNoticeKind.REJECTED, CmNoticeKind.DISCONNECTED, CmNoticeKind.UNREACHABLE}

LOST = st.just(())
"""A fate is the delays, in seconds, of the copies that arrive."""
ARRIVES = st.just((0.0,))
TWICE = st.tuples(st.just(0.0), st.floats(0, 1.0))
LATE = st.tuples(st.floats(0, 1.0))
FATES = st.lists(LOST | ARRIVES | TWICE | LATE, max_size=12)
"""Fewer than a message has tries."""


@dataclass
class Application:
    """What a side does about the notices, some time after them."""

    manager: ConnectionManager
    hesitates: float
    accepts: bool = True
    handshakes: list[CmHandshake] = field(default_factory=list)
    told: dict[CmHandshake, list[CmNoticeKind]] = field(default_factory=dict)

    def plans(self, now: float) -> list[tuple[float, Callable[[float], None]]]:
        """What it will do about what it has been told by now."""
        planned: list[tuple[float, Callable[[float], None]]] = []
        for notice in self.manager.take_events():
            self.told.setdefault(notice.handshake, []).append(notice.kind)
            if notice.kind is CmNoticeKind.REQUEST:
                self.handshakes.append(notice.handshake)
                planned.append((now + self.hesitates, self._decide(notice.handshake)))
            elif notice.kind is CmNoticeKind.REPLY:
                handshake = notice.handshake
                planned.append((now + self.hesitates, lambda _, one=handshake: one.ready()))
        return planned

    def _decide(self, handshake: CmHandshake) -> Callable[[float], None]:
        answer = offer(0x200 + len(self.handshakes))
        if self.accepts:
            return lambda now: handshake.accept(answer, now)
        return lambda _: handshake.reject()


class BadWire:
    """Two managers and their applications in virtual time."""

    def __init__(self, fates: list[tuple[float, ...]], active: float, passive: float) -> None:
        self.now = 0.0
        self.fates = fates[::-1]
        self.active = Application(ConnectionManager(0xA, random.Random(1)), active)
        self.passive = Application(ConnectionManager(0xB, random.Random(2)), passive)
        self.passive.manager.listen(PORT)
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._count = 0

    @property
    def sides(self) -> tuple[Application, Application]:
        return self.active, self.passive

    def connect(self) -> CmHandshake:
        handshake = self.active.manager.connect(ACTIVE, PASSIVE, PORT, offer(0x11), self.now)
        self.active.handshakes.append(handshake)
        return handshake

    def run(self, seconds: float = FOR_EVER) -> None:
        """Until nothing is left to wait for, which has to be soon."""
        until = self.now + seconds
        for _ in range(MOST_TURNS):
            self._send()
            moments = [side.manager.deadline() for side in self.sides]
            moments += [self._events[0][0]] if self._events else []
            due = [moment for moment in moments if moment is not None]
            if not due or min(due) > until:
                self.now = until if seconds < FOR_EVER else self.now
                return
            self.now = max(self.now, min(due))
            while self._events and self._events[0][0] <= self.now:
                heapq.heappop(self._events)[2](self.now)
            for side in self.sides:
                side.manager.tick(self.now)
        raise AssertionError("this has no end")

    def _send(self) -> None:
        for side in self.sides:
            for moment, plan in side.plans(self.now):
                self._at(moment, plan)
        for side, other in (self.sides, self.sides[::-1]):
            for local, remote, mad in side.manager.take_messages():
                for delay in self.fates.pop() if self.fates else (0.0,):
                    self._at(
                        self.now + LATENCY + delay,
                        lambda now, where=(local, remote, mad), to=other: to.manager.receive(
                            *where, now
                        ),
                    )

    def _at(self, moment: float, event: Callable[[float], None]) -> None:
        self._count += 1
        heapq.heappush(self._events, (moment, self._count, event))

    def connections(self) -> int:
        return sum(len(side.manager._registry) for side in self.sides)

    def check(self) -> None:
        """What each side was told of a connection makes a story."""
        for side in self.sides:
            for told in side.told.values():
                assert [kind in ENDS for kind in told] == [False] * (len(told) - 1) + [
                    told[-1] in ENDS
                ]
                assert len(set(told)) == len(told)


HESITATIONS = st.sampled_from([0.0, 0.0005, 0.3, 3.0, 20.0])


@given(FATES, HESITATIONS, HESITATIONS)
def test_both_ends_agree_on_a_connection_and_on_its_end(
    fates: list[tuple[float, ...]], active: float, passive: float
) -> None:
    """As long as fewer messages are lost than each has tries."""
    wire = BadWire(fates[::2], active, passive)
    here = wire.connect()
    wire.run()
    [there] = [one for one in wire.passive.handshakes if one.state is CmState.ESTABLISHED]
    assert here.state is CmState.ESTABLISHED
    assert (here.peer_id, there.peer_id) == (there.own_id, here.own_id)
    assert wire.now < 100

    wire.fates = fates[1::2]
    [here, there][len(fates) % 2].disconnect(wire.now)
    start = wire.now
    wire.run()

    assert wire.active.told[here][-1] is wire.passive.told[there][-1] is CmNoticeKind.DISCONNECTED
    assert wire.now < start + 50
    assert wire.connections() == 0
    wire.check()


@given(FATES, HESITATIONS)
def test_both_ends_agree_on_a_refusal_or_the_request_ends_by_itself(
    fates: list[tuple[float, ...]], passive: float
) -> None:
    """The loss of a rejection makes the request come again."""
    wire = BadWire(fates, 0.0, passive)
    wire.passive.accepts = False
    here = wire.connect()
    wire.run()

    assert wire.active.told[here] in ([CmNoticeKind.REJECTED], [CmNoticeKind.UNREACHABLE])
    assert wire.connections() == 0
    wire.check()


@given(st.integers(0, 2**32), st.floats(0.2, 1.0), st.floats(0, 30), HESITATIONS, HESITATIONS)
def test_whatever_is_lost_all_waits_end(
    seed: int, loss: float, patience: float, active: float, passive: float
) -> None:
    """Both are connected, or none is, or one is and learns of it when it says something."""
    chance = random.Random(seed)
    fates: list[tuple[float, ...]] = [
        () if chance.random() < loss else (chance.random(),) for _ in range(400)
    ]
    wire = BadWire(fates, active, passive)
    here = wire.connect()
    wire.run(patience)
    if chance.random() < 0.5:
        here.disconnect(wire.now)
    wire.run()

    assert wire.now < 1500
    for side in wire.sides:
        assert {one.state for one in side.handshakes} <= OVER | {CmState.ESTABLISHED}
    wire.fates = []
    for side in wire.sides:
        for one in side.handshakes:
            one.disconnect(wire.now)
    wire.run()
    assert wire.connections() == 0
    wire.check()


OCTETS = st.binary(max_size=300) | st.binary(min_size=256, max_size=256)


@given(st.lists(OCTETS, max_size=20))
def test_arbitrary_octets_are_counted_and_cost_nothing(datagrams: list[bytes]) -> None:
    manager = ConnectionManager(0xB, random.Random(2))
    manager.listen(PORT)
    for octets in datagrams:
        manager.receive(ACTIVE, PASSIVE, octets, 0.0)

    assert manager.malformed + manager.strays + len(manager._registry) == len(datagrams)


@st.composite
def damaged_messages(draw: st.DrawFn) -> list[tuple[int, bytes]]:
    """Places and octets to be written over a message of a real exchange."""
    return draw(st.lists(st.tuples(st.integers(0, 255), st.binary(min_size=1, max_size=8))))


@given(
    st.lists(st.tuples(st.integers(0, 30), damaged_messages(), st.floats(0, 5)), max_size=60),
    st.integers(0, 2),
)
def test_damaged_messages_neither_raise_nor_pile_up(
    damages: list[tuple[int, list[tuple[int, bytes]], float]], twin: int
) -> None:
    """Messages of an exchange in any order, changed anywhere, at both ends and at any time."""
    wire = BadWire([], 0.0, 0.5)
    recorded: list[tuple[str, str, bytes]] = []
    here = wire.connect()
    for side in wire.sides:
        _record(side.manager, recorded)
    wire.run()
    if twin:
        here.disconnect(wire.now)
        wire.run(1.0)
    for number, changes, seconds in damages:
        local, remote, mad = recorded[number % len(recorded)]
        octets = bytearray(mad)
        for place, patch in changes:
            octets[place : place + len(patch)] = patch
        for side in wire.sides:
            side.manager.receive(local, remote, bytes(octets[:256]), wire.now)
        wire.run(seconds)

    assert all(len(side.manager._registry) <= len(damages) + 1 for side in wire.sides)
    for side in wire.sides:
        for one in {here, *side.handshakes, *side.told}:
            one.abandon()
    wire.run()
    assert wire.connections() == 0


def _record(manager: ConnectionManager, recorded: list[tuple[str, str, bytes]]) -> None:
    """Keep what the manager says from now on."""
    take = manager.take_messages

    def taken() -> list[tuple[str, str, bytes]]:
        messages = take()
        recorded.extend(messages)
        return messages

    manager.take_messages = taken  # type: ignore[method-assign]


@settings(max_examples=5)  # each is 1500 connections
@given(st.integers(0, 2**32))
def test_a_flood_of_requests_stays_within_bounds(seed: int) -> None:
    """Nobody fetches anything: requests, rejections and replies wait up to their bounds."""
    chance = random.Random(seed)
    flooder = ConnectionManager(0xA, chance)
    victim = ConnectionManager(0xB, chance)
    victim.listen(PORT)
    for number in range(1500):
        handshake = flooder.connect(ACTIVE, PASSIVE, PORT, offer(number), 0.0)
        if chance.random() < 0.5:
            handshake.abandon()
    for local, remote, mad in flooder.take_messages():
        victim.receive(local, remote, mad, 0.0)

    assert len(victim._registry) <= MOST_HALF_OPEN + MOST_TIME_WAITS
    assert len(victim.take_messages()) <= 1024
    assert len(victim.take_events()) <= MOST_HALF_OPEN
