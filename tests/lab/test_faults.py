"""The suite in the lab when something breaks under it: records, verdicts, and a clear end."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.suite.guest import GuestOrder
from conformance.suite.in_lab import collect, collect_all, lab_run
from conformance.suite.runner import RECORDS
from conformance.suite.section_end import added_ids
from conformance.suite.selection import Selection
from reports.record import Verdict
from reports.summary import CUT_SHORT, summarise
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reports.record import RunRecord

SMALL = Selection(section="4.2.4")
STOPPING = "stopping"
"""The lines of the records, of which one is the header, when the server began to end and had."""

SCRIPT = f"""
lines() {{ wc -l < $1/{RECORDS} 2>/dev/null || echo 0; }}
after_five() {{ until [ $(lines $1) -gt 5 ]; do sleep 0.2; done; }}
judge() {{ python -m conformance.suite.guest "$1"; }}
rpc.nfsd 0
judge "$1"
(after_five $4; lines $4 > $4/{STOPPING}; rpc.nfsd 0; lines $4 >> $4/{STOPPING}) & judge "$2"
(after_five $5; ip link set dummy0 down) & judge "$3"
"""
"""Is given three orders, and the folders of the last two."""


def ordered(folder: Path) -> GuestOrder:
    return GuestOrder("linux-server", "", str(folder), SMALL)


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, GuestOrder]:
    """What befalls the server in each of three runs; in the last the device goes for good."""
    names = ("down", "stopped", "vanished")
    return {name: ordered(tmp_path_factory.mktemp(name)) for name in names}


@pytest.fixture(scope="module")
def runs(orders: Mapping[str, GuestOrder]) -> Mapping[str, tuple[RunRecord, str]]:
    """All of them in one machine."""
    folders = [Path(order.folder) for order in orders.values()]
    run = lab_run(tuple(orders.values()), find_profile("linux-server"))
    texts = run.setup.command[-len(folders) :]
    command = ("bash", "-c", SCRIPT, "bash", *texts, *map(str, folders[1:]))
    run = replace(run, setup=replace(run.setup, command=command))
    return dict(zip(orders, collect_all(run, folders), strict=True))


def test_a_server_that_is_down_from_the_start_is_started_and_judged(
    runs: Mapping[str, tuple[RunRecord, str]],
) -> None:
    """One that nobody can start is one sentence: tests/conformance/suite/test_runner.py."""
    record, problem = runs["down"]
    assert problem == ""
    assert summarise(record).missing == ()
    assert summarise(record).counts[Verdict.ERROR] == 0
    assert summarise(record).counts[Verdict.PASS] > 20


def test_a_server_that_is_stopped_in_mid_run_is_started_again_and_judged(
    orders: Mapping[str, GuestOrder],
    runs: Mapping[str, tuple[RunRecord, str]],
    disagreements: Callable[[RunRecord, str], dict[str, str]],
) -> None:
    record, problem = runs["stopped"]
    assert problem == ""
    assert summarise(record).missing == ()
    assert summarise(record).counts[Verdict.ERROR] == 0
    # While its threads end, one after the other, it answers NULL, and breaks connections.
    marks = (Path(orders["stopped"].folder) / STOPPING).read_text(encoding="ascii").split()
    began, ended = (int(lines) - 1 for lines in marks)
    meanwhile = {case.id for case in record.cases[began : ended + 1]}
    assert record.cases[-1].id not in meanwhile
    # The stop falls into a case, or between two: then it is the record of what is between them.
    between = added_ids(record.cases[began].id)[1]
    assert disagreements(record, "baseline.toml").keys() <= meanwhile | {between}


def test_a_device_that_vanishes_in_mid_run_leaves_verdicts(
    runs: Mapping[str, tuple[RunRecord, str]],
) -> None:
    record, problem = runs["vanished"]
    assert problem == ""
    assert summarise(record).missing == ()
    assert record.cases[0].verdict is Verdict.PASS
    assert record.cases[-1].verdict in (Verdict.INCONC, Verdict.ERROR)


def test_a_machine_that_is_killed_in_mid_run_leaves_verdicts(tmp_path: Path) -> None:
    folder, job = tmp_path / "results", tmp_path / "job"
    run = replace(lab_run([ordered(folder)], find_profile("linux-server")), job=job)
    killer = _Killer(job)
    record, problem = collect(run, folder, killer)  # type: ignore[arg-type]  # as much of it as is used
    assert 5 <= len(record.cases) < len(record.header.planned)
    assert "the virtual machine ended before the command did" in problem
    assert record.footer is None
    assert summarise(record).exit_status == CUT_SHORT


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
