"""Runs sequences at a Responder that runs elsewhere, judged as `rpcrdma explore` judges.

Each message is answered, by its own answer or by that of a good call behind it, before the next is
sent.  Connections serve for some sequences, after which a good call must be served and new ones are
made; a device that has died or serves nobody is started again before the next sequence.

Most of a campaign's time would go into waiting for answers that never come.  So it waits much
shorter than the profile says, and what fails is tried again with all the patience there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import sleep
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.explore.caution import caution
from conformance.explore.firing import Battery, in_process
from conformance.tester.case import Deviation
from fuzz.executor import Execution
from fuzz.live.fresh_xids import with_fresh_xids
from reports.record import Verdict
from targets.base import HasConsole
from targets.lab.console import Severity, find_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.explore.firing import Fired
    from conformance.oracle.memory import ExposedMemory
    from conformance.tester.client.harness import Harness
    from rpcrdma.ulp.bindings import UpperLayer
    from targets.profile import Profile

__all__ = ["LiveExecution", "LiveExecutor"]

_DEADLY: Final = (Severity.PANIC, Severity.OOPS)

_HASTY_DEADLINE_S: Final = 0.25
_HASTY_GRACE_S: Final = 0.02
"""A call is answered within a millisecond in a guest under TCG."""


@dataclass(frozen=True, slots=True)
class LiveExecution(Execution["Fired"]):
    """What a sequence did to a device that runs elsewhere.

    Attributes:
        died: how the device was found dead; empty if it lives.
        complaint: what its kernel has complained of, and survived; empty if nothing.
        console: what its machine had printed, if it died or complained.
        dangers: what is known to do harm in messages that were sent, by classes of
            `conformance.explore.danger`.
    """

    died: str = ""
    complaint: str = ""
    console: str = ""
    dangers: frozenset[str] = frozenset()

    @property
    def failed(self) -> tuple[Fired, ...]:
        """The messages whose answers the oracle does not allow."""
        return tuple(fired for fired in self.outcomes if fired.verdict is Verdict.FAIL)

    @property
    def kept_back(self) -> int:
        """How many messages were not sent, since they may do harm."""
        return sum(fired.verdict is Verdict.NA for fired in self.outcomes)


class LiveExecutor:
    """Runs sequences (see `fuzz.executor.Executor`), not each from the same state.

    Attributes:
        avoided: classes of messages that are kept back though the user lets them be sent: each has
            brought the device down, and would do so again and again.
    """

    def __init__(self, harness: Harness, *, destructive: bool, every: int = 16) -> None:
        """Take a device that has been started.

        Args:
            harness: of the device.
            destructive: send also what may bring a device down that is not in this process.
            every: after so many sequences a good call must be served, and connections are new.
        """
        self.avoided: set[str] = set()
        self._harness = harness
        self._destructive = destructive
        self._known = None if in_process(harness) else caution()
        self._every = every
        extra = harness.profile.extra
        hasty = msgspec.structs.replace(
            extra,
            deadline=min(extra.deadline, _HASTY_DEADLINE_S),
            grace=min(extra.grace, _HASTY_GRACE_S),
        )
        self._hasty = msgspec.structs.replace(harness.profile, extra=hasty)
        self._battery: Battery | None = None
        self._ran = 0
        self._printed = 0
        self._dangers: set[str] = set()
        self._settling = 0.0 if in_process(harness) else harness.profile.grace
        self._is_patient = False
        self._seems_alive = False  # nobody was told of its death
        self._late: LiveExecution | None = None

    def prepare(self) -> Battery:
        """The connections; where there are none the device is seen to serve, and they are made.

        Raises:
            Inconclusive: it serves nobody, not even after having been started again.
        """
        if self._battery is None:
            self._battery = self._open(self._hasty)
        return self._battery

    def renew(self) -> None:
        """Have the next sequence begin on a new connection."""
        self._battery = None
        self._harness.end()

    def run(self, sequence: Sequence[bytes]) -> LiveExecution:
        """Send the messages, each under an XID that none before had.

        Raises:
            Inconclusive: the device serves nobody, not even after having been started again.
        """
        battery = self.prepare()
        if self._late is not None:
            # It died when nobody looked, of what was sent before.
            late, self._late = self._late, None
            return late
        self._dangers.clear()
        self._ran += 1
        outcomes: list[Fired] = []
        problem = ""
        try:
            for message in with_fresh_xids(sequence, self._harness.xids):
                outcomes.append(battery.fire(message))
                if problem := self._harness.life.death():
                    break
            if not problem and self._ran >= self._every:
                problem = battery.dead()
            if not problem and self._is_patient:
                # Another thread of the device may have served the call while one was dying.
                sleep(self._settling)
        except Deviation as error:
            problem = self._harness.life.death() or error.reason
        return self._execution(outcomes, problem)

    def run_alone(self, sequence: Sequence[bytes], *, patient: bool = True) -> LiveExecution:
        """Send the messages on connections of their own, and see that a good call is served.

        Args:
            sequence: the messages.
            patient: wait as long for answers as the profile says.

        Raises:
            Inconclusive: the device serves nobody, not even after having been started again.
        """
        self.renew()
        self._battery = self._open(self._harness.profile if patient else self._hasty)
        self._ran = self._every  # so that a good call is made at its end
        self._is_patient = patient
        try:
            return self.run(sequence)
        finally:
            self._is_patient = False

    def _open(self, patience: Profile) -> Battery:
        if self._seems_alive and (died := self._harness.life.death()):
            self._late = LiveExecution((), died, died, "", self._console())
        # Not `begin`, which would use XIDs again: a device may remember Calls.
        self._harness.go_on()
        battery = Battery(self._harness, self._danger_of, patience)
        self._ran = 0
        self._printed = len(self._console())
        self._seems_alive = True
        return battery

    def _execution(self, outcomes: list[Fired], problem: str) -> LiveExecution:
        died = self._harness.life.death()
        problem = died or problem
        self._seems_alive = not died
        if died:
            sleep(self._settling)  # a kernel that dies says where, some lines later
        console = self._console()
        complaint = "" if died else _complaint(console[self._printed :])
        self._printed = len(console)
        if problem or self._ran >= self._every:
            self.renew()
        return LiveExecution(
            tuple(outcomes),
            problem,
            died,
            complaint,
            console if died or complaint else "",
            frozenset(self._dangers),
        )

    def _danger_of(self, message: bytes, memory: ExposedMemory, layer: UpperLayer) -> str:
        """Why a message is kept back; notes what it may do if it is sent."""
        danger = "" if self._known is None else self._known(message, memory, layer)
        if not danger or not self._destructive or danger in self.avoided:
            return danger
        self._dangers.add(danger)
        return ""

    def _console(self) -> str:
        session = self._harness.session
        printed = session.console() if isinstance(session, HasConsole) else ""
        return max(printed, self._harness.life.console, key=len)  # the latter of one that is gone


def _complaint(printed: str) -> str:
    faults = (fault for fault in find_faults(printed.splitlines()) if fault.severity not in _DEADLY)
    return next((f"{fault.severity.value}: {fault.text}" for fault in faults), "")
