"""How long is waited, and how often asked."""

from __future__ import annotations

import pytest

from rpcrdma.roce.cm.waiting import (
    MOST_RETRIES,
    RESPONSE_CODE,
    SERVICE_CODE,
    CmTimer,
    response_seconds,
    service_seconds,
    time_wait_seconds,
)


def test_what_we_ask_for_is_short_enough_to_hide_a_loss() -> None:
    """And long enough altogether for a peer that is slow."""
    assert response_seconds(RESPONSE_CODE) == pytest.approx(0.268, abs=0.001)
    assert response_seconds(RESPONSE_CODE) * (MOST_RETRIES + 1) == pytest.approx(4.3, abs=0.1)
    assert service_seconds(SERVICE_CODE) == pytest.approx(4.3, abs=0.1)


@pytest.mark.parametrize("code", range(32))
def test_what_a_peer_asks_for_has_bounds(code: int) -> None:
    """Code 0 is 4 us, code 31 is 2.4 hours."""
    assert 0.016 < response_seconds(code) < 8.6
    assert service_seconds(code) < 69
    assert 0.032 < time_wait_seconds(code) < 8.6


def test_a_timer_tries_as_often_as_it_may() -> None:
    timer = CmTimer(interval=2.0, retries=2)
    timer.start(10.0)

    assert timer.deadline == 12.0
    assert timer.try_again(12.0)
    assert timer.try_again(14.5)
    assert timer.deadline == 16.5
    assert not timer.try_again(16.5)
    timer.start(20.0)
    assert timer.try_again(22.0)


def test_a_timer_that_runs_once_tries_nothing() -> None:
    timer = CmTimer(interval=2.0, retries=2)
    timer.start(10.0)
    timer.start_once(11.0, 5.0)

    assert timer.deadline == 16.0
    assert not timer.try_again(16.0)
    timer.stop()
    assert timer.deadline is None


def test_a_wait_that_is_prolonged_keeps_its_tries() -> None:
    """The time that the peer asks for comes on top of the ordinary one."""
    timer = CmTimer(interval=2.0, retries=1)
    timer.start(10.0)
    timer.prolong(11.0, 30.0)

    assert timer.deadline == 43.0
    assert timer.try_again(43.0)
    assert not timer.try_again(45.0)
