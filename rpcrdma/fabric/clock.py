"""Clocks: virtual time for loopback, the machine's monotonic time for devices.

Everything above a fabric takes its time from the fabric's clock, so that a run on loopback needs no
real time at all and is the same run every time.
"""

from __future__ import annotations

import time

__all__ = ["RealClock", "VirtualClock"]


class VirtualClock:
    """Time that moves only when it is told to; starts at 0 seconds."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Seconds since the network was made."""
        return self._now

    def advance_to(self, moment: float) -> None:
        """Move on to `moment`; an earlier one is ignored, since time never runs backwards."""
        if moment > self._now:
            self._now = moment


class RealClock:
    """The machine's monotonic clock."""

    now = staticmethod(time.monotonic)
    """Seconds since an arbitrary start; the very function, as it is asked for every message."""
