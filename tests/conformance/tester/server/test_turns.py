"""A tester that serves looks until what it waits for is there, and never longer than it may."""

from __future__ import annotations

import pytest

from conformance.tester.server.turns import Turns


class World:
    """Clock and listener in one: time passes only while connections are awaited."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.looks = 0

    def now(self) -> float:
        return self.seconds

    def look(self) -> None:
        self.looks += 1

    def admit(self, seconds: float) -> None:
        self.seconds += seconds

    def turns(self) -> Turns:
        return Turns(self, self, lambda: (), lambda line, message: None)  # type: ignore[arg-type]


def test_waiting_ends_with_what_is_waited_for() -> None:
    world = World()

    world.turns().until(lambda: world.looks == 3, timeout=10)

    assert world.looks == 3
    assert world.seconds < 1


def test_what_is_there_is_not_waited_for() -> None:
    world = World()

    world.turns().until(lambda: True, timeout=10)

    assert world.looks == 0


def test_waiting_ends_with_its_time() -> None:
    world = World()

    world.turns().until(lambda: False, timeout=1)

    assert world.seconds == pytest.approx(1, abs=0.01)


def test_it_is_quiet_when_nothing_has_come_for_the_time() -> None:
    """The time begins again with whatever comes."""
    world = World()

    world.turns().until_quiet(lambda: min(int(world.seconds), 3), grace=1.5, timeout=100)

    assert world.seconds == pytest.approx(4.5, abs=0.02)


def test_it_is_not_waited_for_ever_for_quiet() -> None:
    world = World()

    world.turns().until_quiet(lambda: world.looks, grace=1, timeout=5)

    assert world.seconds == pytest.approx(5, abs=0.01)
