"""Signals end a run as Ctrl-C does, and the records say which one it was."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from conformance.suite.interruption import Interrupted, signals_interrupt
from conformance.suite.runner import RECORDS, certify
from conformance.suite.selection import Selection
from reports.stream import read_run
from reports.summary import CUT_SHORT, exit_status
from targets.shared import DeviceLost
from tests.conformance import miniatures as mini
from tests.conformance.suite.written import CASES, scenario

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reports.record import RunRecord


def run(tmp_path: Path, after_a_case: Callable[[], None], limit: float | None = None) -> RunRecord:
    """What is on disk of a run of three cases."""
    scenarios = tmp_path / "scenarios"
    scenarios.mkdir()
    certify(
        mini.MiniatureTarget(mini.good),
        Selection(),
        tmp_path / "out",
        time_limit=limit,
        on_case=lambda _record, _planned: after_a_case(),
        scenarios_folder=scenario(scenarios, CASES),
    )
    return read_run(tmp_path / "out" / RECORDS)


def raising(error: BaseException) -> Callable[[], None]:
    def end() -> None:
        raise error

    return end


@pytest.mark.parametrize(
    ("error", "reason", "status"),
    [
        (KeyboardInterrupt(), "interrupted by SIGINT", 130),
        (Interrupted("SIGTERM"), "interrupted by SIGTERM", 143),
        (DeviceLost(), "interrupted", CUT_SHORT),
    ],
)
def test_records_say_what_ended_a_run(
    tmp_path: Path, error: BaseException, reason: str, status: int
) -> None:
    record = run(tmp_path, raising(error))

    assert record.footer is not None
    assert (len(record.cases), record.footer.complete) == (1, False)
    assert (record.footer.reason, exit_status(record)) == (reason, status)


def test_a_run_whose_time_is_over_is_cut_short(tmp_path: Path) -> None:
    record = run(tmp_path, lambda: None, limit=1e-9)

    assert record.footer is not None
    assert "the run's time is over" in record.footer.reason
    assert exit_status(record) == CUT_SHORT


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_interrupts_once_so_that_reports_are_written(number: signal.Signals) -> None:
    outer = signal.signal(number, signal.SIG_DFL)  # under `nohup` one of them is ignored
    try:
        with signals_interrupt():
            with pytest.raises(Interrupted) as raised:
                os.kill(os.getpid(), number)
            os.kill(os.getpid(), number)
        assert raised.value.name == number.name
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, outer)


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals_interrupt():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
