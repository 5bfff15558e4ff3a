"""The suite in the lab when something breaks under it: records, verdicts, and a clear end."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.guest import Order
from conformance.in_lab import collect, lab_run
from conformance.runner import RECORDS, Selection
from reports.record import Verdict
from reports.summary import summarise
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reports.record import RunRecord
    from targets.lab.lab import LabRun

SMALL = Selection(section="3.4")
AFTER_FIVE = (
    f"until [ $(wc -l < {{folder}}/{RECORDS} 2>/dev/null || echo 0) -gt 5 ]; do sleep 0.2; done"
)


def asked(folder: Path) -> LabRun:
    order = Order("linux-server", "", str(folder), SMALL)
    return lab_run([order], find_profile("linux-server"))


def meanwhile(run: LabRun, folder: Path, deed: str) -> LabRun:
    """The same run with a deed done in the guest once five cases have been judged."""
    wait = AFTER_FIVE.format(folder=folder)
    script = f'({wait}; {deed}) & exec "$@"'
    command = ("bash", "-c", script, "bash", *run.setup.command)
    return replace(run, setup=replace(run.setup, command=command))


def test_a_server_that_is_stopped_in_mid_run_is_started_again_and_judged(
    tmp_path: Path, disagreements: Callable[[RunRecord, str], dict[str, str]]
) -> None:
    run = meanwhile(asked(tmp_path), tmp_path, "rpc.nfsd 0")
    record, problem = collect(run, tmp_path)
    assert problem == ""
    assert summarise(record).missing == ()
    undecided = [case for case in record.cases if case.verdict is Verdict.INCONC]
    assert all("grace period" in case.reason for case in undecided)
    # All but the case during which it died, and those in the grace period, are judged as ever.
    found = disagreements(record, "baseline.toml")
    assert len(found.keys() - {case.id for case in undecided}) <= 1
    assert record.cases[-1].id not in found
    assert summarise(record).counts[Verdict.ERROR] == 0


def test_a_device_that_vanishes_in_mid_run_leaves_verdicts(tmp_path: Path) -> None:
    run = meanwhile(asked(tmp_path), tmp_path, "ip link set dummy0 down")
    record, problem = collect(run, tmp_path)
    assert problem == ""
    assert summarise(record).missing == ()
    assert record.cases[0].verdict is Verdict.PASS
    assert record.cases[-1].verdict in (Verdict.INCONC, Verdict.ERROR)


def test_a_machine_that_is_killed_in_mid_run_leaves_verdicts(tmp_path: Path) -> None:
    folder, job = tmp_path / "results", tmp_path / "job"
    run = replace(asked(folder), job=job)
    killer = _Killer(job)
    record, problem = collect(run, folder, killer)  # type: ignore[arg-type]  # as much of it as is used
    assert 5 <= len(record.cases) < len(record.header.planned)
    assert "the virtual machine ended before the command did" in problem
    assert record.footer is None
    assert summarise(record).exit_status == 1


def test_a_server_that_is_down_from_the_start_is_started_and_judged(tmp_path: Path) -> None:
    """One that nobody can start is one sentence: tests/conformance/test_runner.py."""
    run = asked(tmp_path)
    command = ("sh", "-c", 'rpc.nfsd 0; exec "$@"', "sh", *run.setup.command)
    record, problem = collect(replace(run, setup=replace(run.setup, command=command)), tmp_path)
    assert problem == ""
    assert summarise(record).missing == ()
    assert summarise(record).counts[Verdict.ERROR] == 0
    assert summarise(record).counts[Verdict.PASS] > 30


class _Killer:
    """Takes the place of the progress display, and kills the machine after five cases."""

    def __init__(self, job: Path) -> None:
        self._job = job
        self._left = 5

    def begin(self, _case: str, _planned: int) -> None:
        """Nothing is shown."""

    def judged(self, _case: object) -> None:
        """Count, and kill."""
        self._left -= 1
        if not self._left:
            os.kill(int((self._job / "qemu.pid").read_text(encoding="ascii")), signal.SIGKILL)
