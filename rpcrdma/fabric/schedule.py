"""The event queue of a simulated network: virtual time, deliveries, and turns for everybody.

Single-threaded.  Whoever waits (`poll`, `connect`, `accept`) drives the queue: the next event is
run at its virtual time, then every attached step gets its turn, until the wait is over.  A device
under test in the same process therefore answers inside the tester's `poll`.

Events at the same moment run in the order in which they were planned, so a run depends on nothing
but the calls that were made.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.clock import VirtualClock

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Schedule"]

_TICK: Final = 1e-6
"""Seconds that the shortest outermost wait takes.  A caller that spins on `poll(0)` until a
deadline gets there, as it would in real time."""

_MOST_ROUNDS: Final = 1000
"""Turns given between two events; a step that is never content must not stop the world."""


class Schedule:
    """Events in virtual time, and the steps that get a turn between them."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._planned = 0
        self._steps: list[tuple[object, Callable[[], None]]] = []
        self._active: list[Callable[[], None]] = []
        self._activity = 0

    def after(self, delay: float, action: Callable[[], None]) -> None:
        """Run `action` in `delay` seconds."""
        self.at(self.clock.now() + delay, action)

    def at(self, moment: float, action: Callable[[], None]) -> None:
        """Run `action` at `moment`, after what is planned for the same moment."""
        self._planned += 1
        self._activity += 1
        heapq.heappush(self._events, (moment, self._planned, action))

    def attach(self, owner: object, step: Callable[[], None]) -> None:
        """Give `step` its turn after all that happens at one moment."""
        self._steps.append((owner, step))

    def detach(self, owner: object) -> None:
        """Forget the steps of `owner`."""
        self._steps = [entry for entry in self._steps if entry[0] is not owner]

    def note_activity(self) -> None:
        """Say that somebody took something up, so that another round of turns is worthwhile."""
        self._activity += 1

    def wait(self, is_over: Callable[[], bool], timeout: float) -> bool:
        """Let time pass until `is_over()` or for `timeout` seconds; returns `is_over()`.

        Inside a step, a wait of 0 seconds runs what is due and gives no turns; a longer one gives
        turns to the steps that are not waiting themselves.
        """
        outermost = not self._active
        gives_turns = outermost or timeout > 0
        deadline = self.clock.now() + (max(timeout, _TICK) if outermost else timeout)
        if gives_turns:
            self._give_turns()
        while not is_over():
            if not self._events or self._events[0][0] > deadline:
                self.clock.advance_to(deadline)
                if gives_turns:
                    self._give_turns()  # for those who act by the clock
                return is_over()
            self.clock.advance_to(self._events[0][0])
            self._run_due()
            if gives_turns:
                self._give_turns()
        return True

    def _run_due(self) -> None:
        """Run what is due, so that messages sent in a row find no Receive posted in between."""
        while self._events and self._events[0][0] <= self.clock.now():
            heapq.heappop(self._events)[2]()

    def _give_turns(self) -> None:
        """Call the steps until a whole round changes nothing."""
        for _ in range(_MOST_ROUNDS):
            before = self._activity
            for _, step in tuple(self._steps):
                if step in self._active:
                    continue
                self._active.append(step)
                try:
                    step()
                finally:
                    self._active.remove(step)
            if self._activity == before:
                return
