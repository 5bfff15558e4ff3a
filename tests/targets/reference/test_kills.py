"""A device that is killed at any moment costs no case its verdict, and is never passed over."""

from __future__ import annotations

import os
import random
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from conformance.suite.runner import certify
from conformance.suite.selection import Selection
from reports.record import Verdict
from reports.summary import deaths, exit_status
from targets.reference.server import ProcessSession, ReferenceTarget
from targets.registry import find_profile

if TYPE_CHECKING:
    from pathlib import Path

    from reports.record import RunRecord

pytestmark = pytest.mark.long

SEED = 17
KILLS = int(os.environ.get("RPCRDMA_KILLS", "3"))
"""Each takes five seconds, the time for a connection; the variable asks for more of them."""

SELECTION = Selection(cases=("rfc8166/4.2.*", "rfc8166/4.5*"))


class Killer:
    """Kills the device's process in or before some cases, by chance."""

    def __init__(self, target: ReferenceTarget) -> None:
        self.chance = random.Random(SEED)
        self.kills = 0
        self._cases = 0
        self._chosen: frozenset[int] = frozenset()
        self._sessions: list[ProcessSession] = []
        self._target = target
        self._start = target.start

    def start(self) -> ProcessSession:
        """The target's session, which is remembered."""
        session = self._start()
        assert isinstance(session, ProcessSession)
        self._sessions.append(session)
        return session

    def begun(self, _case: str, planned: int) -> None:
        """A case begins: now and then the device is killed, at once or a little later."""
        if not self._cases:
            self._chosen = frozenset(self.chance.sample(range(2, planned, 3), KILLS))
        self._cases += 1
        if self._cases in self._chosen:
            if self.chance.random() < 0.5:
                self._kill()
            else:
                threading.Timer(self.chance.uniform(0.0, 0.02), self._kill).start()

    def _kill(self) -> None:
        process = self._sessions[-1].process
        if process.poll() is None:
            self.kills += 1
            os.kill(process.pid, signal.SIGKILL)


def run(tmp_path: Path) -> tuple[RunRecord, int]:
    target = ReferenceTarget(find_profile("reference"), "roce")
    killer = Killer(target)
    target.start = killer.start  # type: ignore[method-assign]
    record = certify(target, SELECTION, tmp_path, on_begin=killer.begun, captures=False)
    return record, killer.kills


def test_a_device_that_is_killed_at_random_moments_is_judged_to_the_end(tmp_path: Path) -> None:
    record, kills = run(tmp_path)

    assert kills == KILLS
    told = deaths(record.cases)
    assert [case.died for case in told] == ["the process was ended by SIGKILL"] * kills
    assert all("was ended by SIGKILL" in case.reason + "".join(case.notes) for case in told)
    assert exit_status(record) == 1
    # Each case has a verdict: nothing but the deaths is held against anybody.
    judged = {case.id for case in record.cases}
    assert set(record.header.planned) <= judged
    others = {case.verdict for case in record.cases if not case.died}
    assert others <= {Verdict.PASS, Verdict.NA}
    assert not any(case.lost for case in record.cases)
