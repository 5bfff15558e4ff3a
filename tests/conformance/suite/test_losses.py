"""A device that dies again and again, or does not come back, costs a bounded number of starts."""

from __future__ import annotations

import os
import random
import signal
import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from conformance.suite.case import Case
from conformance.suite.losses import MOST_SECTIONS, Losses
from conformance.suite.runner import certify
from conformance.suite.selection import Selection
from conformance.tester.case import NotServing
from reports.record import Verdict
from reports.summary import deaths, exit_status
from targets.reference.server import ProcessSession, ReferenceTarget
from targets.registry import find_profile

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.suite.rigs import Rig
    from reports.record import RunRecord

DEATH = "ended by SIGKILL"


@dataclass
class Device:
    """As much of a rig as matters, which is its own life."""

    died: str = ""
    died_before: str = ""
    trace: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(events=(1,)))
    profile: SimpleNamespace = field(
        default_factory=lambda: SimpleNamespace(extra=SimpleNamespace(deaths=2))
    )

    @property
    def life(self) -> Device:
        return self


def case(name: str) -> Case:
    return Case(f"rfc8166/{name}", "It.", ("one",), "responder", (), (), destructive=False)


def tried(losses: Losses, name: str, rig: Device, unserved: str = "") -> str:
    """Why the case was passed over; empty if it was tried."""
    why: NotServing | None = None
    try:
        losses.check(case(name))
    except NotServing as error:
        why = error
    given: Rig = rig  # type: ignore[assignment]
    losses.judged(case(name), given, why or (NotServing(unserved) if unserved else None))
    return str(why or "")


def test_a_device_that_dies_in_a_row_costs_the_rest_of_its_section_alone() -> None:
    losses = Losses()
    assert tried(losses, "1/a", Device(died=DEATH)) == ""
    assert tried(losses, "1/b", Device(died_before=DEATH)) == ""
    for name in ("1/c", "1/d"):
        assert tried(losses, name, Device()) == (
            "the rest of this section is passed over: the device died in 2 of its cases in a row,"
            f" at last so: {DEATH}"
        )
    assert tried(losses, "2/a", Device()) == ""


@pytest.mark.parametrize("second", ["1/c", "2/a"])
def test_deaths_that_are_not_in_a_row_cost_nothing(second: str) -> None:
    losses = Losses()
    tried(losses, "1/a", Device(died=DEATH))
    tried(losses, "1/b", Device())
    assert tried(losses, second, Device(died=DEATH)) == ""
    assert tried(losses, f"{second}-then", Device()) == ""


def test_a_device_that_does_not_come_back_is_tried_once_a_section_and_then_no_more() -> None:
    losses = Losses()
    for section in range(MOST_SECTIONS):
        assert tried(losses, f"{section}/a", Device(), "nobody is there") == ""
        where = "this section" if section + 1 < MOST_SECTIONS else "the run"
        told = f"the rest of {where} is passed over: nobody is there"
        assert tried(losses, f"{section}/b", Device()) == told
    assert tried(losses, "9/a", Device()) == told


def test_a_device_that_has_come_back_is_looked_for_as_long_as_ever() -> None:
    losses = Losses()
    for section in range(MOST_SECTIONS - 1):
        tried(losses, f"{section}/a", Device(), "nobody is there")
    assert tried(losses, "7/a", Device()) == ""
    assert tried(losses, "8/a", Device(), "nobody is there") == ""
    assert tried(losses, "9/a", Device()) == ""


SEED = 17
KILLS = int(os.environ.get("RPCRDMA_KILLS", "3"))
"""Each takes five seconds, the time for a connection; the variable asks for more of them."""

SECTIONS = ("rfc8166/4.2.*",) if KILLS < 10 else ("rfc8166/4.2.*", "rfc8166/4.5*")
"""Which have 34 cases in fifteen seconds, or 242 in fifty."""


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


def run_and_kill(tmp_path: Path) -> tuple[RunRecord, int]:
    target = ReferenceTarget(find_profile("reference"), "roce")
    killer = Killer(target)
    target.start = killer.start  # type: ignore[method-assign]
    record = certify(
        target, Selection(cases=SECTIONS), tmp_path, on_begin=killer.begun, captures=False
    )
    return record, killer.kills


@pytest.mark.long
def test_a_device_that_is_killed_at_random_moments_is_judged_to_the_end(tmp_path: Path) -> None:
    record, kills = run_and_kill(tmp_path)

    assert kills == KILLS, f"seed {SEED}"
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
