"""Clocks."""

from __future__ import annotations

from rpcrdma.fabric.clock import RealClock, VirtualClock


def test_virtual_clock_starts_at_zero_and_stands_still() -> None:
    """Nothing but advancing moves it."""
    clock = VirtualClock()

    assert (clock.now(), clock.now()) == (0.0, 0.0)


def test_virtual_clock_never_goes_back() -> None:
    """An earlier moment is ignored."""
    clock = VirtualClock()
    clock.advance_to(2.5)
    clock.advance_to(1.0)

    assert clock.now() == 2.5


def test_real_clock_does_not_go_back() -> None:
    """Two readings are in order."""
    clock = RealClock()

    assert clock.now() <= clock.now()
