"""Runs sequences at a Responder that runs elsewhere, judged as `rpcrdma explore` judges.

Each message is answered, by its own answer or by that of a good call behind it, before the next is
sent.  Connections serve for some sequences, after which a good call must be served and new ones are
made; a device that has died or serves nobody is started again before the next sequence.  A sequence
that has steps beside its messages is played on connections of its own (`fuzz.live.server`).

Most of a campaign's time would go into waiting for answers that never come.  So it waits much
shorter than the profile says, and what fails is tried again with all the patience there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from conformance.explore.caution import caution
from conformance.explore.firing import Battery, in_process
from conformance.tester.case import Deviation
from fuzz.live.server.moves import take_step
from fuzz.live.server.playing import PlayedSequence
from fuzz.live.server.steps import has_steps, renamed
from fuzz.live.vitals import Vitals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.explore.firing import Fired
    from conformance.oracle.memory import ExposedMemory
    from conformance.tester.client.harness import Harness
    from fuzz.live.execution import LiveExecution
    from rpcrdma.ulp.bindings import UpperLayer
    from targets.profile import Profile

__all__ = ["LiveExecutor"]

_HASTY_DEADLINE_S: Final = 0.25
_HASTY_GRACE_S: Final = 0.02
"""A call is answered within a millisecond in a guest under TCG."""


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
        self._dangers: set[str] = set()
        settling = 0.0 if in_process(harness) else harness.profile.grace
        self._vitals = Vitals(harness.life, lambda: harness.session, settling)
        self._is_patient = False

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
        if (late := self._vitals.take_late()) is not None:
            return late
        self._dangers.clear()
        self._ran += 1
        outcomes: list[Fired] = []
        problem = ""
        try:
            for fired in self._each(battery, sequence):
                outcomes += fired
                if problem := self._harness.life.death():
                    break
            if not problem and self._ran >= self._every:
                problem = battery.dead()
            if not problem and self._is_patient:
                # Another thread of the device may have served the call while one was dying.
                self._vitals.settle()
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

    def _each(self, battery: Battery, sequence: Sequence[bytes]) -> Iterator[list[Fired]]:
        """What comes of each item of a sequence.

        Raises:
            Deviation: the device does not serve.
        """
        items = renamed(sequence, self._harness.xids)
        if not has_steps(items):
            for message in items:
                yield [battery.fire(message)]
            return
        patience = self._harness.profile if self._is_patient else self._hasty
        played = PlayedSequence(self._harness, patience, self)
        try:
            for item in items:
                yield played.play(item, take_step)
            yield played.finish()
        finally:
            played.close()

    def _open(self, patience: Profile) -> Battery:
        self._vitals.look()
        # Not `begin`, which would use XIDs again: a device may remember Calls.
        self._harness.go_on()
        battery = Battery(self._harness, self.about, patience)
        self._ran = 0
        self._vitals.begun()
        return battery

    def _execution(self, outcomes: list[Fired], problem: str) -> LiveExecution:
        execution = self._vitals.execution(outcomes, problem, self._dangers)
        if execution.unserved or self._ran >= self._every:
            self.renew()
        return execution

    # -- what is kept back (`fuzz.live.server.playing.Cautious`)

    def about(self, message: bytes, memory: ExposedMemory, layer: UpperLayer) -> str:
        """Why a message is kept back; empty if it is not, and what it may do is noted."""
        danger = "" if self._known is None else self._known(message, memory, layer)
        return danger if danger and self.refuses(danger) else ""

    def refuses(self, danger: str) -> bool:
        """Whether what may do such harm is left; if not, that it may is noted."""
        if self._known is None:
            return False
        if not self._destructive or danger in self.avoided:
            return True
        self._dangers.add(danger)
        return False
