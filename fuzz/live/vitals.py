"""Whether a device that is fuzzed lives, and what its kernel has printed since anybody looked."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, Final

from fuzz.live.execution import LiveExecution
from targets.base import HasConsole
from targets.lab.console import Severity, find_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from conformance.explore.firing import Fired
    from conformance.tester.life_watch import LifeWatch, Living

__all__ = ["Vitals"]

_DEADLY: Final = (Severity.PANIC, Severity.OOPS)


class Vitals:
    """The signs of life of one device."""

    def __init__(self, life: LifeWatch, session: Callable[[], Living], settling: float) -> None:
        """Watch.

        Args:
            life: whether it lives.
            session: gives the device's.
            settling: seconds in which a kernel that dies says where, some lines later; 0 of a
                device in this process.
        """
        self._life = life
        self._session = session
        self._settling = settling
        self._printed = 0
        self._seems_alive = False  # nobody was told of its death
        self._late: LiveExecution | None = None

    def look(self) -> None:
        """See whether it died when nobody looked, of what was sent before; `take_late` tells."""
        if self._seems_alive and (died := self._life.death()):
            self._late = LiveExecution((), died, died, "", self.console())

    def take_late(self) -> LiveExecution | None:
        """What `look` has found, once; None if it was nothing."""
        late, self._late = self._late, None
        return late

    def begun(self) -> None:
        """The device is seen to live; what it has printed is known."""
        self._printed = len(self.console())
        self._seems_alive = True

    def settle(self) -> None:
        """Wait for what another thread of the device may say that is dying."""
        sleep(self._settling)

    def execution(
        self, outcomes: Iterable[Fired], problem: str, dangers: Collection[str]
    ) -> LiveExecution:
        """What a sequence did, and what the kernel says of it.

        Args:
            outcomes: of its messages.
            problem: why the device does not serve, if that is known; empty if not.
            dangers: see `LiveExecution`.
        """
        died = self._life.death()
        self._seems_alive = not died
        if died:
            self.settle()
        console = self.console()
        complaint = "" if died else _complaint(console[self._printed :])
        self._printed = len(console)
        return LiveExecution(
            tuple(outcomes),
            died or problem,
            died,
            complaint,
            console if died or complaint else "",
            frozenset(dangers),
        )

    def console(self) -> str:
        """What the device's machine has printed; empty if nobody can look."""
        session = self._session()
        printed = session.console() if isinstance(session, HasConsole) else ""
        return max(printed, self._life.console, key=len)  # the latter of one that is gone


def _complaint(printed: str) -> str:
    faults = (fault for fault in find_faults(printed.splitlines()) if fault.severity not in _DEADLY)
    return next((f"{fault.severity.value}: {fault.text}" for fault in faults), "")
