"""How long cases and runs may last, whatever the device does.

Every wait in a case has a deadline by the fabric's clock.  That clock may stand: a device in this
process may never return from its turn, or send so much that no time passes.  So a case is ended by
the machine's clock, too, and a run judges no more cases once its time is over, or once several in a
row had to be ended.  What was not judged is inconclusive and says why.

A case is interrupted by a signal, which reaches only a process' main thread; a case elsewhere has
no such end.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from _pytest.outcomes import Failed  # `pytest.fail.Exception`, which mypy takes for no class

from conformance.tester.case import Flooded, Inconclusive
from targets.profile import timeout_factor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = ["OutOfTime", "RunLimits", "run_seconds"]

CASE_SECONDS: Final = 120.0
"""Of the machine's clock, scaled: several times what the slowest case takes."""

AGAIN_SECONDS: Final = 10.0
"""After which a case is interrupted again that went on all the same."""

MOST_IN_A_ROW: Final = 3
"""Cases that had to be ended; more of them say nothing new."""

_RUN_SECONDS: Final = 900.0
_SECONDS_A_CASE: Final = 1.5


class OutOfTime(Failed):
    """A case has lasted too long.

    No `Exception`, so that no device in this process catches it; and one that pytest knows, which
    leaves fixtures half made where another kind comes out of one.
    """


def run_seconds(cases: int) -> float:
    """Seconds in which a run of so many cases ends, unless it is told another time."""
    return (_RUN_SECONDS + _SECONDS_A_CASE * cases) * timeout_factor()


class RunLimits:
    """The limits of one run.

    Args:
        seconds: that the run may last; None: `run_seconds`.

    Attributes:
        refused: why no more cases are judged; empty as long as they are.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._end = float("inf")
        self._in_a_row = 0
        self._over = ""
        self.refused = ""

    def begin(self, cases: int) -> None:
        """The run begins, with so many cases."""
        seconds = run_seconds(cases) if self._seconds is None else self._seconds
        self._end = time.monotonic() + seconds
        self._over = f"the run's time is over ({seconds / 60:.0f} minutes; see --time-limit)"

    def check(self) -> None:
        """See that another case may be judged.

        Raises:
            Inconclusive: no more are.
        """
        if self._in_a_row >= MOST_IN_A_ROW:
            self.refused = f"given up: each of the last {MOST_IN_A_ROW} cases had to be ended"
        elif time.monotonic() >= self._end:
            self.refused = self._over
        if self.refused:
            raise Inconclusive(self.refused)

    @contextmanager
    def case(self) -> Iterator[None]:
        """Interrupt by `OutOfTime` what is done herein, once it has lasted too long."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGALRM, _interrupt)
        left = max(self._end - time.monotonic(), AGAIN_SECONDS)
        signal.setitimer(
            signal.ITIMER_REAL, min(CASE_SECONDS * timeout_factor(), left), AGAIN_SECONDS
        )
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)

    def ended(self, found: BaseException | None) -> BaseException | None:
        """What ended a case, in the words of a verdict.

        Args:
            found: what ended it.
        """
        if not isinstance(found, OutOfTime | Flooded):
            # Once cases are only refused, that stays so.
            if self._in_a_row < MOST_IN_A_ROW:
                self._in_a_row = 0
            return found
        self._in_a_row += 1
        return Inconclusive(str(found)) if isinstance(found, OutOfTime) else found


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTime(
        f"the case did not end within {CASE_SECONDS * timeout_factor():g} s of this machine's clock"
    )
