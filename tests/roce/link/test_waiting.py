"""Sleeping in real time: what ends a sleep, whose turn it is, and what is planned."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from rpcrdma.fabric.clock import RealClock, VirtualClock
from rpcrdma.roce.link.waiting import DescriptorWait
from tests.roce.link.links import DEADLINE

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def waiting() -> Iterator[DescriptorWait]:
    made = DescriptorWait(RealClock())
    yield made
    made.close()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def later() -> float:
    return RealClock.now() + DEADLINE


def test_a_descriptor_that_can_be_read_ends_the_sleep(
    waiting: DescriptorWait, pipe: tuple[int, int]
) -> None:
    until = later()
    waiting.watch(pipe[0])
    os.write(pipe[1], b"x")
    waiting.sleep(until)

    assert RealClock.now() < until


def test_a_descriptor_that_can_be_written_ends_the_sleep(
    waiting: DescriptorWait, pipe: tuple[int, int]
) -> None:
    until = later()
    waiting.watch(pipe[1], writing=True)
    waiting.sleep(until)

    assert RealClock.now() < until


def test_a_forgotten_descriptor_ends_no_sleep(
    waiting: DescriptorWait, pipe: tuple[int, int]
) -> None:
    waiting.watch(pipe[0])
    waiting.forget(pipe[0])
    os.write(pipe[1], b"x")
    until = RealClock.now() + 0.02
    waiting.sleep(until)

    assert RealClock.now() >= until


def test_another_thread_ends_the_sleep(waiting: DescriptorWait) -> None:
    until = later()
    thread = threading.Thread(target=waiting.wake)
    thread.start()
    waiting.sleep(until)
    thread.join()

    assert RealClock.now() < until


def test_a_wake_is_good_for_one_sleep(waiting: DescriptorWait) -> None:
    waiting.wake()
    waiting.wake()
    waiting.sleep(later())
    until = RealClock.now() + 0.02
    waiting.sleep(until)

    assert RealClock.now() >= until


def test_an_infinite_sleep_can_be_ended(waiting: DescriptorWait) -> None:
    waiting.wake()
    waiting.sleep(float("inf"))


def test_a_sleep_with_steps_ends_after_a_slice(waiting: DescriptorWait) -> None:
    """What a step has changed shows to the sleeper at once."""
    until = later()
    waiting.attach(waiting, lambda: None)
    waiting.sleep(until)

    assert RealClock.now() < until


def test_a_step_has_its_turn_in_its_own_thread_alone(waiting: DescriptorWait) -> None:
    turns: list[int] = []
    waiting.attach(waiting, lambda: turns.append(1))
    thread = threading.Thread(target=waiting.sleep, args=(0.0,))
    thread.start()
    thread.join()

    assert turns == []


def test_a_step_has_its_turn_at_every_link_of_its_thread(waiting: DescriptorWait) -> None:
    """Two ends in one thread: one sleeps, and the other has to answer."""
    other = DescriptorWait(RealClock())
    turns: list[int] = []
    waiting.attach(waiting, lambda: turns.append(1))
    other.sleep(later())
    other.close()

    assert turns == [1]


def test_what_comes_for_a_step_ends_the_sleep_at_another_link(
    waiting: DescriptorWait, pipe: tuple[int, int]
) -> None:
    """The slice is not waited for: a hundred answers in turn would take a hundred slices."""
    clock = VirtualClock()
    other = DescriptorWait(clock)
    waiting.watch(pipe[0])
    waiting.attach(waiting, lambda: None)
    polled = other._together().poll(0)
    os.write(pipe[1], b"x")

    assert polled == []
    assert [entry[0] for entry in other._together().poll(0)] == [pipe[0]]
    other.close()


@pytest.mark.parametrize("end", ["detach", "close"])
def test_a_step_that_is_gone_has_no_turn_elsewhere(waiting: DescriptorWait, end: str) -> None:
    other = DescriptorWait(RealClock())
    turns: list[int] = []
    other.attach(other, lambda: turns.append(1))
    if end == "detach":
        other.detach(other)
    other.close()
    waiting.sleep(0.0)

    assert turns == []


def test_an_alarm_is_for_its_own_sleeper(waiting: DescriptorWait) -> None:
    """Another one could not silence it, and would sleep no more."""
    other = DescriptorWait(RealClock())
    waiting.attach(waiting, lambda: None)
    waiting.wake()

    assert other._together().poll(0) == []
    other.close()


def test_a_step_that_sleeps_is_not_called_again_meanwhile(waiting: DescriptorWait) -> None:
    turns: list[str] = []

    def sleeper() -> None:
        turns.append("sleeper")
        waiting.sleep(0.0)

    waiting.attach(waiting, sleeper)
    waiting.attach(waiting, lambda: turns.append("other"))
    waiting.sleep(0.0)

    assert turns == ["sleeper", "other", "other"]


def test_a_step_that_fails_is_called_again(waiting: DescriptorWait) -> None:
    turns: list[int] = []

    def fail() -> None:
        turns.append(1)
        raise LookupError

    waiting.attach(waiting, fail)
    for _ in range(2):
        with pytest.raises(LookupError):
            waiting.sleep(0.0)

    assert len(turns) == 2


def test_what_is_due_runs_and_ends_the_sleep() -> None:
    clock = VirtualClock()
    waiting = DescriptorWait(clock)
    ran: list[float] = []
    waiting.at(1.0, lambda: ran.append(clock.now()))

    assert not waiting.run_due()
    clock.advance_to(1.0)
    waiting.sleep(float("inf"))
    assert ran == [1.0]
    waiting.close()


def test_what_plans_for_the_same_moment_waits_for_the_next_time() -> None:
    """So no action keeps the link to itself."""
    waiting = DescriptorWait(VirtualClock())
    ran: list[int] = []

    def again() -> None:
        ran.append(1)
        waiting.at(0.0, again)

    waiting.at(0.0, again)
    waiting.run_due()
    waiting.run_due()
    waiting.close()

    assert len(ran) == 2


def test_what_is_planned_is_bounded() -> None:
    """The oldest run early, and nothing is forgotten."""
    waiting = DescriptorWait(VirtualClock())
    ran: list[int] = []
    for number in range(8200):
        waiting.at(float(number), lambda number=number: ran.append(number))  # type: ignore[misc]
    waiting.close()

    assert ran == list(range(8))


def test_a_closed_one_sleeps_no_more() -> None:
    waiting = DescriptorWait(RealClock())
    waiting.close()
    waiting.close()
    waiting.wake()
    until = later()
    waiting.sleep(until)

    assert RealClock.now() < until


def test_a_step_may_close(waiting: DescriptorWait) -> None:
    waiting.attach(waiting, waiting.close)
    waiting.sleep(later())
