"""The suite in the lab: the same verdicts as without a device, and records whatever breaks."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.guest import Order
from conformance.in_lab import collect, lab_run
from conformance.runner import RECORDS, Selection, certify, collect_cases
from reports.baseline import check_baseline, kernel_of, load_baseline
from reports.record import Verdict
from reports.summary import summarise
from targets.registry import find_any_target, find_profile

if TYPE_CHECKING:
    from reports.record import RunRecord
    from targets.lab.lab import LabRun

LINUX_6_1 = Path(__file__).parents[2] / "reports" / "linux-6.1" / "baseline.toml"
SMALL = Selection(section="3.4")
OF_TWO = (
    "v2/5.2/requester-goes-on-in-version-one",
    "xcharext/3.2/client-takes-replies-of-either-kind-in-any-order",
)
AFTER_FIVE = (
    f"until [ $(wc -l < {{folder}}/{RECORDS} 2>/dev/null || echo 0) -gt 5 ]; do sleep 0.2; done"
)


def asked(target: str, folder: Path, selection: Selection, fabric: str = "") -> LabRun:
    return lab_run(Order(target, fabric, str(folder), selection), find_profile(target))


def meanwhile(run: LabRun, folder: Path, deed: str) -> LabRun:
    """The same run with a deed done in the guest once five cases have been judged."""
    wait = AFTER_FIVE.format(folder=folder)
    script = f'({wait}; {deed}) & exec "$@"'
    command = ("bash", "-c", script, "bash", *run.setup.command)
    return replace(run, setup=replace(run.setup, command=command))


def verdicts(record: RunRecord) -> list[tuple[str, Verdict]]:
    return [(case.id, case.verdict) for case in record.cases]


def disagreements(record: RunRecord) -> dict[str, str]:
    """Where a run differs from what is published of Linux 6.1."""
    exists = {case.id for case in collect_cases()}
    check = check_baseline(record, load_baseline(LINUX_6_1), LINUX_6_1, exists)
    return {problem.case: problem.sentence for problem in check.problems}


def test_the_kernels_server_is_judged_to_the_end(tmp_path: Path) -> None:
    record, problem = collect(asked("linux-server", tmp_path, Selection()), tmp_path)
    assert problem == ""
    assert summarise(record).missing == ()
    counts = summarise(record).counts
    assert counts[Verdict.ERROR] == 0
    assert [case.reason for case in record.cases if case.verdict is Verdict.INCONC] == []
    assert all((tmp_path / name).exists() for case in record.cases for name in case.evidence)
    if kernel_of(record).startswith("6.1."):
        assert disagreements(record) == {}


@pytest.mark.parametrize(
    ("name", "selection"),
    # Version Two at a server is looked at in test_version_two.py.  A client connects anew for every
    # case: all of them would take the lane three minutes.
    [
        ("reference", Selection(document="rfc8166,bidir")),
        ("reference-client", Selection(document="rfc8166", section="4")),
        ("reference-client", Selection(cases=OF_TWO)),
    ],
    ids=["server", "client", "client-of-version-two"],
)
def test_the_reference_gets_the_same_verdicts_over_verbs_as_on_loopback(
    tmp_path: Path, name: str, selection: Selection
) -> None:
    loopback = certify(find_any_target(name), selection, tmp_path / "loopback")
    folder = tmp_path / "verbs"
    verbs, problem = collect(asked(name, folder, selection, "verbs"), folder)
    assert problem == ""
    assert verbs.header.fabric == "verbs rxe0"
    assert verdicts(verbs) == verdicts(loopback)


def test_a_server_that_is_stopped_in_mid_run_is_started_again_and_judged(tmp_path: Path) -> None:
    run = meanwhile(asked("linux-server", tmp_path, SMALL), tmp_path, "rpc.nfsd 0")
    record, problem = collect(run, tmp_path)
    assert problem == ""
    assert summarise(record).missing == ()
    undecided = [case for case in record.cases if case.verdict is Verdict.INCONC]
    assert all("grace period" in case.reason for case in undecided)
    # All but the case during which it died, and those in the grace period, are judged as ever.
    if kernel_of(record).startswith("6.1."):
        known = {case.id for case in undecided}
        assert len(disagreements(record).keys() - known) <= 1
        assert record.cases[-1].id not in disagreements(record)
    assert summarise(record).counts[Verdict.ERROR] == 0


def test_a_device_that_vanishes_in_mid_run_leaves_verdicts(tmp_path: Path) -> None:
    run = meanwhile(asked("linux-server", tmp_path, SMALL), tmp_path, "ip link set dummy0 down")
    record, problem = collect(run, tmp_path)
    assert problem == ""
    assert summarise(record).missing == ()
    assert record.cases[0].verdict is Verdict.PASS
    assert record.cases[-1].verdict in (Verdict.INCONC, Verdict.ERROR)


def test_a_machine_that_is_killed_in_mid_run_leaves_verdicts(tmp_path: Path) -> None:
    folder, job = tmp_path / "results", tmp_path / "job"
    run = replace(asked("linux-server", folder, SMALL), job=job)
    killer = _Killer(job)
    record, problem = collect(run, folder, killer)  # type: ignore[arg-type]  # as much of it as is used
    assert 5 <= len(record.cases) < len(record.header.planned)
    assert "the virtual machine ended before the command did" in problem
    assert record.footer is None
    assert summarise(record).exit_status == 1


def test_a_server_that_is_down_from_the_start_is_started_and_judged(tmp_path: Path) -> None:
    """One that nobody can start is one sentence: tests/conformance/test_runner.py."""
    run = asked("linux-server", tmp_path, SMALL)
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
