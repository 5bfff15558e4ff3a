"""How a tester that serves waits: look at everything once, again and again, until a deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.tester.server.line import Line
    from conformance.tester.server.reception import Reception
    from rpcrdma.fabric.base import Clock
    from rpcrdma.wire.transmission import Arrived

__all__ = ["Turns"]

_SLICE: Final = 0.005
"""Seconds of one look at the fabric: how long a message on another connection may go unseen."""


class Turns:
    """Gives the listener and each connection its turn.

    Args:
        clock: of the fabric.
        reception: where new connections come in.
        lines: the connections of the running case.
        take: is given each message, and each group that will never be one.
    """

    def __init__(
        self,
        clock: Clock,
        reception: Reception,
        lines: Callable[[], Sequence[Line]],
        take: Callable[[Line, Arrived], None],
    ) -> None:
        self._clock = clock
        self._reception = reception
        self._lines = lines
        self._take = take

    def once(self) -> None:
        """Look at everything once, for a moment."""
        self._reception.look()
        lines = self._lines()
        standing = [line for line in lines if line.connected]
        if not standing:
            self._reception.admit(_SLICE)
        for line in reversed(lines):
            rest = _SLICE if standing and line is standing[-1] else 0.0
            while (arrived := line.poll(rest)) is not None:
                self._take(line, arrived)
                rest = 0.0

    def until(self, is_over: Callable[[], bool], timeout: float) -> None:
        """Wait for something, for so many seconds at most."""
        end = self._clock.now() + timeout
        while not is_over() and self._clock.now() < end:
            self.once()

    def until_quiet(self, arrived: Callable[[], int], grace: float, timeout: float) -> None:
        """Wait until a number has not changed for a time.

        Args:
            arrived: counts.
            grace: seconds for which it must stay.
            timeout: seconds after which nobody waits any longer.
        """
        began = latest = self._clock.now()
        before = arrived()
        while self._clock.now() < min(latest + grace, began + timeout):
            self.once()
            if arrived() != before:
                before, latest = arrived(), self._clock.now()
