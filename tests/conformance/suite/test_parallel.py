"""The suite in several processes: the verdicts of one, whatever becomes of the processes."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from conformance.suite import parallel
from conformance.suite.parallel import certify_parallel, check_workers
from conformance.suite.plugin import SuiteError
from conformance.suite.runner import RECORDS, Selection, certify
from reports.record import CaseRecord, RunRecord, Verdict
from reports.stream import read_run
from targets.base import TargetError
from targets.registry import find_target

if TYPE_CHECKING:
    from pathlib import Path

SOME = Selection(section="3.4.5")

HEAD = """
import os, signal, time
import pytest
from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build

@pytest.mark.parametrize("number", range(6))
@requirement("rfc8166.3.3.1.grant-is-never-zero")
def test_one(peer, number):
    '''NULL is served.'''
    call = build.null_call(peer)
    peer.send(call)
    verify.served(peer, call)
"""

CASES = tuple(f"rfc8166/4.5/one[{number}]" for number in range(6))


def scenarios(folder: Path, body: str = "") -> Path:
    place = folder / "scenarios" / "rfc8166" / "responder"
    place.mkdir(parents=True)
    file = place / "test_4_5_title.py"
    file.write_text(HEAD + textwrap.indent(body, "    "))
    return folder / "scenarios"


def run(tmp_path: Path, body: str = "", selection: Selection | None = None) -> RunRecord:
    """Six cases in two processes; `body` is what each does at its end."""
    return certify_parallel(
        find_target("reference"),
        selection or Selection(),
        tmp_path / "out",
        workers=2,
        scenarios_folder=scenarios(tmp_path, body),
    )


def verdicts(record: RunRecord) -> list[Verdict]:
    return [case.verdict for case in record.cases]


def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    begun: list[str] = []
    judged: list[CaseRecord] = []
    target = find_target("mutant:appends-read-chunks")
    alone = certify(target, SOME, tmp_path / "alone")

    record = certify_parallel(
        target,
        SOME,
        tmp_path / "two",
        workers=2,
        on_begin=lambda case, _planned: begun.append(case),
        on_case=lambda case, _planned: judged.append(case),
    )

    assert [(case.id, case.verdict, case.reason) for case in record.cases] == [
        (case.id, case.verdict, case.reason) for case in alone.cases
    ]
    assert record.header.planned == alone.header.planned
    assert record.footer is not None
    assert record.footer.complete
    assert sorted(begun) == sorted(case.id for case in judged) == sorted(record.header.planned)
    assert record == read_run(tmp_path / "two" / RECORDS)
    assert all(
        (tmp_path / "two" / file).exists() for case in record.cases for file in case.evidence
    )
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == ["evidence", RECORDS]


def test_a_process_that_dies_costs_its_case_and_the_rest_still_runs(tmp_path: Path) -> None:
    record = run(tmp_path, "if number in (2, 4): os.kill(os.getpid(), signal.SIGKILL)")

    assert verdicts(record) == [Verdict.ERROR if n in (2, 4) else Verdict.PASS for n in range(6)]
    assert [case.id for case in record.cases] == list(record.header.planned) == list(CASES)
    assert record.cases[2].reason == (
        "The process that judged this case ended before its verdict: killed by SIGKILL."
    )
    assert record.cases[2].citations[0].id == "rfc8166.3.3.1.grant-is-never-zero"
    assert record.cases[2].rerun == "rpcrdma certify reference --case 'rfc8166/4.5/one[2]'"


def test_a_process_that_ends_by_itself_is_no_better(tmp_path: Path) -> None:
    record = run(tmp_path, "if number == 5: os._exit(3)")

    assert verdicts(record) == [Verdict.PASS] * 5 + [Verdict.ERROR]
    assert "exit status 3" in record.cases[-1].reason


def test_processes_that_hang_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_SILENCE", 2.0)

    record = run(tmp_path, "if number == 5: signal.pause()")

    assert verdicts(record) == [Verdict.PASS] * 5 + [Verdict.ERROR]


def test_a_run_that_is_interrupted_keeps_what_it_had(tmp_path: Path) -> None:
    seen: list[CaseRecord] = []

    def interrupt(case: CaseRecord, _planned: int) -> None:
        seen.append(case)
        if len(seen) == 2:
            raise KeyboardInterrupt

    record = certify_parallel(
        find_target("reference"),
        Selection(),
        tmp_path / "out",
        workers=2,
        on_case=interrupt,
        scenarios_folder=scenarios(tmp_path),
    )

    assert [case.id for case in record.cases] == sorted(case.id for case in seen)
    assert record.footer is not None
    assert (record.footer.complete, record.footer.reason) == (False, "interrupted")


def test_more_processes_than_cases_are_not_started(tmp_path: Path) -> None:
    record = run(tmp_path, selection=Selection(cases=CASES[:1]))

    assert verdicts(record) == [Verdict.PASS]


def test_a_device_that_does_not_come_up_is_said_so(tmp_path: Path) -> None:
    class Broken:
        name = "broken"
        profile = find_target("reference").profile

        def start(self) -> None:
            raise TargetError("no device here")

    with pytest.raises(TargetError, match="no device here"):
        certify_parallel(Broken(), SOME, tmp_path, workers=2)


def test_nothing_selected_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="no case is selected"):
        certify_parallel(find_target("reference"), Selection(section="99"), tmp_path, workers=2)


def test_a_target_that_takes_one_tester_only_is_refused() -> None:
    check_workers(find_target("linux-server"), 1)
    check_workers(find_target("reference"), 2)
    with pytest.raises(TargetError, match="does not claim `concurrent_testers`"):
        check_workers(find_target("linux-server"), 2)
