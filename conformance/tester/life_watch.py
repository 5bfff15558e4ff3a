"""Whether a device lives: each death is told once, in one case, and never passed over.

A device that has died is started again, so nothing but its records would show that it ever did.  A
death is held against the case in which it was found, if that has had to do with the device.  What
is found before that belongs between two cases, and is told there; the case that comes then is
judged by the device that was started for it.

A device that lives and yet serves nobody is started again as well.  That is a *lapse*: evidence of
its own, for which the first case that it can follow from is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from conformance.tester.case import Deviation, Inconclusive
from targets.base import HasConsole, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LifeWatch", "Living"]


class Living(Protocol):
    """A session of either role."""

    def alive(self) -> str | None:
        """None while the device runs as far as can be told, else how it died."""
        ...


class LifeWatch:
    """Watches over one device.

    Attributes:
        who: what the device is called.
        console: what its machine had printed when it was found dead in the running case; else
            empty.
        lapse: what was wrong with the device, which lived, when it was started again for the
            running case; else empty.
        died: how the device died, if that is told in the running case; else empty.
        starts: how often the device has been started again.
        died_before: the same, where it was found dead before it had served in the running case.
    """

    def __init__(self, session: Callable[[], Living], who: str) -> None:
        """Watch.

        Args:
            session: gives the device's.
            who: what the device is called in sentences: `device`, `client`.
        """
        self.who = who
        self.console = ""
        self.lapse = ""
        self.died = ""
        self.died_before = ""
        self.starts = 0
        self._carried = ""
        self._session = session
        self._is_told = False
        self._has_served = False
        self._has_ever_served = False

    def begin(self) -> None:
        """A case begins."""
        self.console = self.lapse = self.died = ""
        self.died_before, self._carried = self._carried, ""
        self._has_served = False

    def carry(self) -> None:
        """What was found before the first case is told in that."""
        self._carried = self.died_before

    def served(self) -> None:
        """The device has served, or called, in the running case."""
        self._has_served = self._has_ever_served = True

    def started(self, problem: str, *, was_alive: bool) -> None:
        """The device has been started again.

        Args:
            problem: why.
            was_alive: whether it ran until then.
        """
        self.starts += 1
        self._is_told = False
        # What never served has not ceased to.
        if was_alive and self._has_ever_served and not self.lapse:
            self.lapse = problem

    def death(self) -> str:
        """How the device died, which is told herewith; empty if it lives."""
        session = self._session()
        died = session.alive() or ""
        if died and not self._is_told:
            self._is_told = True
            self.died = died
            self.console = session.console() if isinstance(session, HasConsole) else ""
        return died

    def check(self) -> None:
        """See that the device lives.

        Raises:
            Deviation: it does not.
        """
        if died := self.death():
            raise self._deviation(died)

    def check_untold(self) -> None:
        """See that the device lives, if nobody was told of its death before this.

        Raises:
            Deviation: it does not.
        """
        if not self._is_told:
            self.check()

    def untold(self) -> str:
        """How the device died, if nobody was told before this; empty if it lives.

        Raises:
            Deviation: it has served in this case.
        """
        died = "" if self._is_told else self.death()
        if died and self._has_served:
            raise self._deviation(died)
        if died:
            again = f"{self.died_before}; and again at its start: {died}"
            self.died, self.died_before = "", again if self.died_before else died
        return died

    def judged(self, found: BaseException | None) -> BaseException | None:
        """What ended the case, and that the device died in it.

        Args:
            found: what ended it, so far.
        """
        if self._is_told or not self._has_served:
            return found
        died = self.death()
        if not died or not isinstance(found, Deviation | Inconclusive | Unsupported | None):
            return found
        death = self._deviation(died)
        if not isinstance(found, Deviation):
            return death
        return Deviation(
            f"{found.reason} {death.reason}",
            expected=found.expected,
            actual=found.actual,
            breaks=found.breaks,
            unanswered=found.unanswered,
        )

    def _deviation(self, died: str) -> Deviation:
        return Deviation(
            f"The {self.who} died: {died}.",
            expected=(f"a living {self.who}",),
            actual=died,
            unanswered=True,
        )
