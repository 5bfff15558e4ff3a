"""Sleeping in real time: until a descriptor is ready, a moment comes, or another thread calls.

What all links of real time share.  poll(2) does the sleeping.  An attached step has its turn at
the start of each sleep of its thread, which is then over within a slice; a step that sleeps itself
is not called again meanwhile.

Two ends may live in one thread, each with a link of its own (tests do that).  So a step has a turn
at whichever link its thread sleeps, as in virtual time, and what comes at its own link ends that
sleep.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import select
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Clock

__all__ = ["DescriptorWait"]

_SLICE: Final = 0.002  # seconds; how long others in this process may wait for their turn
_LONGEST: Final = 60.0
"""Seconds of one sleep; poll(2) counts milliseconds in 32 bits, and a moment may be infinite."""

_MOST_PLANNED: Final = 8192
"""Actions planned and not yet run; whoever plans more has them run early, oldest first."""


class _Thread(threading.local):
    """What has steps attached in the thread, first come first."""

    def __init__(self) -> None:
        self.waiting: list[DescriptorWait] = []


_thread = _Thread()


class DescriptorWait:
    """Sleeps for a link, and does what was planned for a moment."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._descriptors: dict[int, int] = {}
        self._poll = select.poll()
        self._lock = threading.Lock()
        self._alarm = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._poll.register(self._alarm, select.POLLIN)
        self._closed = False
        self._steps: list[tuple[object, int, Callable[[], None]]] = []
        self._active: list[Callable[[], None]] = []
        self._planned: list[tuple[float, int, Callable[[], None]]] = []
        self._planned_ever = 0

    def watch(self, descriptor: int, *, writing: bool = False) -> None:
        """Wake up when `descriptor` can be read, or, if `writing`, be written to."""
        self._descriptors[descriptor] = select.POLLOUT if writing else select.POLLIN
        self._poll.register(descriptor, self._descriptors[descriptor])

    def forget(self, descriptor: int) -> None:
        """Wake up for the descriptor no longer."""
        del self._descriptors[descriptor]
        self._poll.unregister(descriptor)

    def sleep(self, until: float) -> None:
        """Give turns, then sleep; return at `until`, or earlier."""
        gave_turns = _give_turns_to_all()
        left = 0.0 if self.run_due() else until - self._clock.now()
        if self._planned:
            left = min(left, self._planned[0][0] - self._clock.now())
        longest = _SLICE if gave_turns else _LONGEST
        if self._closed:
            return
        for descriptor, _ in self._together().poll(1000 * max(0.0, min(left, longest))):
            if descriptor == self._alarm:
                self._silence()
        self.run_due()

    def wake(self) -> None:
        """Have the present sleep, or the next one, return at once; from any thread."""
        with self._lock:
            if not self._closed:
                os.eventfd_write(self._alarm, 1)

    def at(self, moment: float, action: Callable[[], None]) -> None:
        """Run `action` at `moment`, after what is planned for the same."""
        if len(self._planned) >= _MOST_PLANNED:
            heapq.heappop(self._planned)[2]()
        self._planned_ever += 1
        heapq.heappush(self._planned, (moment, self._planned_ever, action))

    def run_due(self) -> bool:
        """Run what is due; whether there was anything."""
        if not self._planned:
            return False
        now = self._clock.now()
        ran = 0
        # An action may plan another for the same moment; that one has to wait.
        most = len(self._planned)
        while ran < most and self._planned and self._planned[0][0] <= now:
            ran += 1
            heapq.heappop(self._planned)[2]()
        return ran > 0

    def attach(self, owner: object, step: Callable[[], None]) -> None:
        """Give `step` a turn whenever this thread sleeps."""
        self._steps.append((owner, threading.get_ident(), step))
        if self not in _thread.waiting:
            _thread.waiting.append(self)

    def detach(self, owner: object) -> None:
        """Forget the steps of `owner`."""
        self._steps = [entry for entry in self._steps if entry[0] is not owner]

    def close(self) -> None:
        """Free the descriptor and forget the steps; what is planned is never run."""
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._alarm)
                self._planned.clear()
                self._descriptors.clear()
                self._steps = []

    def _silence(self) -> None:
        """Take the alarm back, if no other thread has."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._alarm)

    def _together(self) -> select.poll:
        """What to wait for: own descriptors, and those of links whose steps have turns here."""
        others = [each for each in _thread.waiting if each is not self]
        if not others:
            return self._poll
        poll = select.poll()
        poll.register(self._alarm, select.POLLIN)
        for each in (self, *others):
            for descriptor, events in each._descriptors.items():  # noqa: SLF001 (of this class)
                poll.register(descriptor, events)
        return poll

    def give_turns(self) -> bool:
        """Call the steps that were attached by this thread once; whether there are any."""
        thread = threading.get_ident()
        found = False
        for _, owner_thread, step in tuple(self._steps):
            if owner_thread != thread or step in self._active:
                continue
            found = True
            self._active.append(step)
            try:
                step()
            finally:
                self._active.remove(step)
        return found

    @property
    def has_steps(self) -> bool:
        """Whether somebody has attached one and not detached it."""
        return bool(self._steps)


def _give_turns_to_all() -> bool:
    """Call all steps of this thread once; whether there are any."""
    if not _thread.waiting:
        return False
    _thread.waiting = [each for each in _thread.waiting if each.has_steps]
    # Each of them, whatever the others say.
    return any([each.give_turns() for each in _thread.waiting])  # noqa: C419
