"""What comes home from the lab, with this process in place of the machine."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.suite import guest, in_lab
from conformance.suite.guest import GuestOrder
from conformance.suite.in_lab import collect, collect_all, lab_run
from conformance.suite.interruption import Interrupted
from conformance.suite.runner import RECORDS
from conformance.suite.selection import Selection
from reports.record import FORMAT_VERSION, CaseRecord, RunHeader, Verdict
from reports.stream import RunWriter
from reports.summary import exit_status
from targets.base import TargetError
from targets.lab.errors import LabError
from targets.lab.lab import Ending, LabResult, LabRun
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SOME = Selection(section="3.3.1", role="responder")


@pytest.fixture
def machine(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Ending], None]:
    """Has orders executed right here, and tells that the machine ended in this way."""

    def install(ending: Ending) -> None:
        def run(request: LabRun, on_line: Callable[[str], None]) -> LabResult:
            status = guest.main(request.setup.command[3:])
            for line in capsys.readouterr().out.splitlines():
                on_line(line)
            return LabResult(ending, status if ending is Ending.EXITED else None, 1.0)

        monkeypatch.setattr(in_lab, "run_in_lab", run)

    return install


def run_of(*orders: GuestOrder) -> LabRun:
    return lab_run(orders, find_profile("reference"))


@pytest.mark.parametrize("name", ["linux-server", "linux-client"])
def test_what_is_outside_of_the_lab_is_refused_before_a_boot(name: str) -> None:
    elsewhere = msgspec.structs.replace(find_profile(name), lab=None)

    with pytest.raises(LabError, match=f"{name} has no place in the lab"):
        lab_run((), elsewhere)


def test_the_folders_of_many_orders_are_shared_as_the_one_that_holds_them(tmp_path: Path) -> None:
    orders = [GuestOrder("reference", "", str(tmp_path / str(number)), SOME) for number in range(8)]

    assert run_of(*orders).writable == (tmp_path,)
    assert run_of(orders[0]).writable == (tmp_path / "0",)


@pytest.mark.long
def test_a_run_comes_home_with_its_captures(
    machine: Callable[[Ending], None], tmp_path: Path
) -> None:
    machine(Ending.EXITED)

    record, problem = collect(run_of(GuestOrder("reference", "", str(tmp_path), SOME)), tmp_path)

    assert problem == ""
    assert {case.verdict for case in record.cases} == {Verdict.PASS}
    assert all(any(name.endswith(".pcapng") for name in case.evidence) for case in record.cases)


@pytest.mark.long
def test_several_orders_come_home_from_one_machine(
    machine: Callable[[Ending], None], tmp_path: Path
) -> None:
    machine(Ending.EXITED)
    server, client = tmp_path / "server", tmp_path / "client"
    orders = (
        GuestOrder("reference", "", str(server), SOME),
        GuestOrder("reference-client", "", str(client), Selection(section="6.2")),
    )

    run = run_of(*orders)
    found = collect_all(run, (server, client))

    assert run.writable == (tmp_path,)
    assert [record.header.target for record, _ in found] == ["reference", "reference-client"]
    assert [problem for _, problem in found] == ["", ""]


@pytest.mark.long
def test_a_machine_that_died_leaves_what_it_had_written(
    machine: Callable[[Ending], None], tmp_path: Path
) -> None:
    machine(Ending.DIED)

    record, problem = collect(run_of(GuestOrder("reference", "", str(tmp_path), SOME)), tmp_path)

    assert record.cases
    assert problem.startswith("the virtual machine ended before the command did after 1 s")
    assert problem.endswith(f"{len(record.cases)} cases had been judged")


def test_a_machine_that_is_ended_from_outside_leaves_what_it_had_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_run: LabRun, _on_line: Callable[[str], None]) -> LabResult:
        header = RunHeader(FORMAT_VERSION, "mine", "mine", "verbs", ("a/1/b", "a/1/c"), (), "")
        with RunWriter(tmp_path / RECORDS, header) as writer:
            writer.add(CaseRecord("a/1/b", "B", Verdict.PASS))
        raise Interrupted("SIGTERM")

    monkeypatch.setattr(in_lab, "run_in_lab", interrupted)

    record, problem = collect(run_of(), tmp_path)

    assert (record.cases[0].verdict, problem) == (Verdict.PASS, "")
    assert record.footer is not None
    assert exit_status(record) == 128 + signal.SIGTERM


def test_a_machine_that_is_ended_before_its_first_case_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_run: LabRun, _on_line: Callable[[str], None]) -> LabResult:
        raise Interrupted("SIGTERM")

    monkeypatch.setattr(in_lab, "run_in_lab", interrupted)

    with pytest.raises(Interrupted):
        collect(run_of(), tmp_path)


def test_what_could_not_be_run_is_an_error_that_says_why(
    machine: Callable[[Ending], None], tmp_path: Path
) -> None:
    machine(Ending.EXITED)

    with pytest.raises(TargetError, match=r"^no target `no-such`"):
        collect(run_of(GuestOrder("no-such", "", str(tmp_path), SOME)), tmp_path)


def test_a_machine_may_work_for_long_but_not_be_silent_for_long() -> None:
    run = run_of()

    assert run.silence_s < run.deadline_s / 10
