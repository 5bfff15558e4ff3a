"""What is called a loss, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.tester.wear import NOISE, Look, drift, losses, slowing, timed
from rpcrdma.fabric.clock import VirtualClock
from targets.usage import Resource, Usage

MEGA = 1_000_000


def looks(resource: Resource, *amounts: int, seconds: float = 0.001) -> list[Look]:
    """A look after every six items."""
    return [
        Look(6 * number, Usage(((resource, amount),)), (seconds,))
        for number, amount in enumerate(amounts)
    ]


def slowed(*fastest: float) -> list[Look]:
    return [Look(6 * number, None, (5.0, one)) for number, one in enumerate(fastest)]


def test_calls_are_timed_until_one_is_not_served() -> None:
    clock = VirtualClock()
    answers = iter(["", None, "", "nothing came"])

    def make() -> str | None:
        clock.advance_to(clock.now() + 0.5)
        return next(answers)

    assert timed(clock, 3, make) == (0.5, 0.5, 0.5)
    assert timed(clock, 3, make) == ()


@given(st.integers(1, 10**9), st.integers(0, 10**9))
def test_what_grows_by_the_same_with_each_item_drifts_by_that(each: int, begin: int) -> None:
    series = [(items, begin + each * items) for items in (0, 6, 12, 18, 24)]
    assert drift(series, 1.0) == each


@given(st.permutations([0, 1, 2, 3, 4]).filter(lambda order: order != [0, 1, 2, 3, 4]))
def test_what_falls_between_two_looks_does_not_drift(order: list[int]) -> None:
    assert drift([(n, 100.0 * at) for n, at in enumerate(order)], 0.0) is None


@pytest.mark.parametrize("step", range(1, 5))
def test_what_grows_once_does_not_drift(step: int) -> None:
    assert drift([(n, 1000.0 * (n >= step)) for n in range(5)], 1.0) is None


def test_what_grows_less_than_the_noise_does_not_drift() -> None:
    series = [(items, 3.0 * items) for items in (0, 6, 12, 18, 24)]
    assert drift(series, 3.0) == 3.0
    assert drift(series, 3.1) is None


def test_one_odd_look_does_not_spoil_the_slope() -> None:
    """A loss with a spike on it has the slope of the loss; a least-squares fit has not."""
    series = [(0, 0.0), (6, 60.0), (12, 120.0), (18, 300.0), (24, 360.0)]
    assert drift(series, 1.0) == pytest.approx(15, abs=2)


def test_two_looks_say_nothing() -> None:
    assert drift([(0, 0.0), (6, 600.0)], 1.0) is None


def test_a_loss_is_told_with_its_slope() -> None:
    lost = looks(Resource.PINNED, *(67 * MEGA * 6 * n for n in range(5)))

    (told,) = losses(lost, "connection")
    assert told == (
        "The device keeps 67 MB of pinned memory for each connection:"
        " it had 0 octets before 24 connections, and 1.61 GB after them."
    )


@pytest.mark.parametrize(
    ("amounts", "told"),
    [
        ((4, 10, 16, 22, 28), "keeps 1 queue pair for each error: it had 4 before 24 errors, and"),
        ((0, 9, 18, 27, 36), "keeps 1.5 queue pairs for each error"),
    ],
)
def test_what_is_counted_is_told_in_the_right_number(amounts: tuple[int, ...], told: str) -> None:
    assert told in losses(looks(Resource.QUEUE_PAIRS, *amounts), "error")[0]


@pytest.mark.parametrize("resource", Resource)
def test_noise_of_each_resource_is_not_told(resource: Resource) -> None:
    """A thread for three items is what a pool that grows has."""
    noise = int(NOISE.get(resource, 0.5) * 6) - 1
    assert losses(looks(resource, *(n * noise for n in range(5))), "error") == ()


def test_nothing_is_told_of_what_was_not_seen_each_time() -> None:
    lost = looks(Resource.THREADS, 0, 6, 12, 18, 24)
    assert losses(lost, "error") != ()
    assert losses([*lost[:2], Look(12, Usage(), ()), *lost[3:]], "error") == ()
    assert losses([*lost[:2], Look(12, None, ()), *lost[3:]], "error") == ()


def test_calls_that_take_twice_as_long_are_told() -> None:
    told = slowing(slowed(0.001, 0.0012, 0.0015, 0.0018, 0.0021), "lost call")
    assert told == (
        "A good call takes 2.1 times as long after 24 lost calls: 2.10 ms, and 1.00 ms before them."
    )


@pytest.mark.parametrize(
    "fastest",
    [
        (0.001, 0.001, 0.001, 0.001, 0.001),
        (0.001, 0.0012, 0.0015, 0.0018, 0.0019),
        (0.001, 0.004, 0.0039, 0.004, 0.005),
        (0.001, 0.001, 0.0011, 0.009, 0.0095),
        (0.0, 0.0, 0.0, 0.0, 0.1),
        (0.001, 0.004),
    ],
    ids=["virtual-time", "less", "busy-machine", "busy-from-then-on", "no-time", "two-looks"],
)
def test_other_times_are_not(fastest: tuple[float, ...]) -> None:
    assert slowing(slowed(*fastest), "error") == ""
