"""Progress by a thread."""

from __future__ import annotations

import threading

from rpcrdma.fabric.clock import VirtualClock
from rpcrdma.roce.heartbeat import BEAT, Heartbeat


class Busy:
    """A device whose owner's last progress was at a moment of the clock."""

    def __init__(self, now: float, progressed: float) -> None:
        self.link = self
        self.clock = VirtualClock()
        self.clock.advance_to(now)
        self.progressed = progressed
        self.beaten = threading.Event()

    def progress_for_owner(self) -> None:
        self.beaten.set()


def test_link_is_read_while_its_owner_is_busy() -> None:
    """Nothing has been done for a beat."""
    device = Busy(now=1.0, progressed=1.0 - BEAT)
    heartbeat = Heartbeat(device)  # type: ignore[arg-type]  # all that it uses

    assert device.beaten.wait(30.0)
    heartbeat.stop()
    heartbeat.stop()


def test_owner_that_makes_progress_is_left_alone() -> None:
    """The thread looks at the clock, several times, and does nothing."""
    device = Busy(now=1.0, progressed=1.0)
    looks = threading.Semaphore(0)
    device.clock.now = lambda: looks.release() or 1.0  # type: ignore[method-assign]
    heartbeat = Heartbeat(device)  # type: ignore[arg-type]

    for _ in range(3):
        assert looks.acquire(timeout=30.0)
    heartbeat.stop()

    assert not device.beaten.is_set()
