"""Cases and runs end, whatever the device does."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

import pytest

from conformance.suite import limits
from conformance.suite.limits import MOST_IN_A_ROW, OutOfTime, RunLimits, run_seconds
from conformance.suite.runner import judge
from conformance.suite.selection import Selection
from conformance.tester.case import Deviation, Flooded, Inconclusive
from reports.record import Verdict

if TYPE_CHECKING:
    from types import ModuleType

AT_ONCE = 0.02
"""Seconds: whatever lasts longer is interrupted."""


def endless() -> None:
    while True:
        pass


@pytest.fixture
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CASE_SECONDS", AT_ONCE)


@pytest.mark.usefixtures("_soon")
def test_a_case_that_does_not_end_is_interrupted() -> None:
    run = RunLimits()

    with pytest.raises(OutOfTime, match=r"did not end within 0\.02 s"), run.case():
        endless()


@pytest.mark.usefixtures("_soon")
def test_another_thread_is_left_alone() -> None:
    ended = []

    def judge_there() -> None:
        with RunLimits().case():
            ended.append(True)

    thread = threading.Thread(target=judge_there)
    thread.start()
    thread.join()

    assert ended == [True]


def test_what_is_interrupted_is_inconclusive() -> None:
    found = RunLimits().ended(OutOfTime("too long"))

    assert isinstance(found, Inconclusive)
    assert str(found) == "too long"


@pytest.mark.parametrize("found", [None, Deviation("wrong"), Inconclusive("nothing came")])
def test_whatever_else_ends_a_case_stays(found: BaseException | None) -> None:
    assert RunLimits().ended(found) is found


def test_several_in_a_row_end_the_run() -> None:
    run = RunLimits()
    for _ in range(MOST_IN_A_ROW - 1):
        run.ended(Flooded("too much"))
    run.ended(None)
    for _ in range(MOST_IN_A_ROW):
        run.check()
        run.ended(OutOfTime("too long"))

    with pytest.raises(Inconclusive, match="given up: each of the last 3 cases") as refused:
        run.check()
    run.ended(refused.value)
    with pytest.raises(Inconclusive):
        run.check()


def test_no_case_is_judged_after_the_time_of_the_run() -> None:
    run = RunLimits(1e-9)
    run.check()
    run.begin(7)

    with pytest.raises(Inconclusive, match=r"the run's time is over \(0 minutes; see --time-limit"):
        run.check()


def test_a_run_has_time_for_its_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = run_seconds(10), run_seconds(1000)
    monkeypatch.setenv("RPCRDMA_TIMEOUT_FACTOR", "2")

    assert few < many
    assert run_seconds(10) == 2 * few


def test_a_device_that_never_returns_costs_three_cases(mini: ModuleType) -> None:
    def stuck(_message: bytes) -> None:
        signal.setitimer(signal.ITIMER_REAL, AT_ONCE)  # two minutes have passed
        endless()

    behaviour = mini.AfterGood(1, stuck)
    selection = Selection(document="rfc8166", section="2.2.2")

    records = judge(mini.MiniatureTarget(behaviour), selection)

    assert {record.verdict for record in records} == {Verdict.INCONC}
    reasons = [record.reason for record in records]
    assert all("did not end within" in reason for reason in reasons[:MOST_IN_A_ROW])
    assert all(reason.startswith("given up") for reason in reasons[MOST_IN_A_ROW:])
