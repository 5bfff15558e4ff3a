"""The suite in several processes: the verdicts of one, whatever becomes of the processes."""

from __future__ import annotations

import os
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.suite import parallel
from conformance.suite.parallel import certify_parallel, check_workers
from conformance.suite.plugin import SuiteError
from conformance.suite.runner import RECORDS, certify
from conformance.suite.selection import Selection
from reports.record import CaseRecord, RunRecord, Verdict
from reports.stream import read_run
from targets.base import TargetError
from targets.lab.place import RunPlace
from targets.network import NetworkTarget
from targets.reference.server import ReferenceTarget
from targets.registry import find_any_target, find_profile, find_target

if TYPE_CHECKING:
    from pathlib import Path

    from targets.base import Session
    from targets.profile import Profile

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


@pytest.mark.long
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
    assert (record.footer.complete, record.footer.reason) == (False, "interrupted by SIGINT")


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


SHARED = '''
import signal
from pathlib import Path
import pytest
from conformance.catalogue.cite import requirement
from conformance.tester.case import Deviation
from targets.shared import DeviceLost

ARRIVED = Path(__file__).with_name("arrived")

@pytest.mark.parametrize("number", range(6))
@requirement("rfc8166.3.3.1.grant-is-never-zero")
def test_one(peer, target, number):
    """Is judged otherwise while others use the device."""
    if type(target).__name__ == "Beside":
        if number in (0, 2, 3):
            raise Deviation("Beside others it fails.", expected=(), actual="")
        if number == 4:
            ARRIVED.read_text()  # waits until somebody writes
            raise DeviceLost
        if number == 5:
            ARRIVED.write_text("here")
            signal.pause()

@pytest.mark.destructive
@requirement("rfc8166.3.3.1.grant-is-never-zero")
def test_two(peer, target):
    """Is judged alone."""
    assert type(target).__name__ == "Shared"
'''


@dataclass
class Beside:
    """The reference for one of several testers; notes when its connections are closed."""

    profile: Profile
    closed: Path
    name: str = "reference"

    def start(self) -> Session:
        session = ReferenceTarget(self.profile).start()
        close = session.close

        def noted() -> None:
            close()
            self.closed.touch()

        setattr(session, "close", noted)  # noqa: B010  # mypy would not let a method be replaced
        return session


class Shared(ReferenceTarget):
    """The reference, as if it were there once; for good, or until it is lost."""

    def __init__(self, folder: Path, *, comes_back: bool) -> None:
        super().__init__(find_profile("reference"))
        self._folder = folder
        self._comes_back = comes_back

    def start(self) -> Session:
        if not self._comes_back:
            raise TargetError("its machine has ended")
        return super().start()

    def beside(self, tester: int) -> Beside:
        return Beside(self.profile, self._folder / f"closed-{tester}")


def run_shared(tmp_path: Path, *, comes_back: bool) -> RunRecord:
    """Two processes at one device, which the first loses by its third case."""
    place = scenarios(tmp_path)
    folder = place / "rfc8166" / "responder"
    (folder / "test_4_5_title.py").write_text(SHARED)
    os.mkfifo(folder / "arrived")
    return certify_parallel(
        Shared(tmp_path, comes_back=comes_back),
        Selection(destructive=True),
        tmp_path / "out",
        workers=2,
        scenarios_folder=place,
    )


def test_a_shared_device_that_is_lost_is_judged_on_by_one_alone(tmp_path: Path) -> None:
    """What failed just before may be due to any case; earlier failures stand."""
    record = run_shared(tmp_path, comes_back=True)

    cases = [case.id.rpartition("/")[2] for case in record.cases]
    assert cases == [*(f"one[{number}]" for number in range(6)), "two"]
    assert verdicts(record) == [Verdict.FAIL] + [Verdict.PASS] * 6
    assert record.footer is not None
    assert record.footer.complete
    assert (tmp_path / "closed-1").exists()
    assert (tmp_path / "closed-2").exists()


def test_a_shared_device_that_is_lost_for_good_leaves_what_it_may_have_died_of(
    tmp_path: Path,
) -> None:
    """Though it is not clear which of the cases that was."""
    record = run_shared(tmp_path, comes_back=False)

    found, error = Verdict.FAIL, Verdict.ERROR
    assert verdicts(record) == [found, Verdict.PASS, found, found, error, error, error]
    assert record.cases[0].reason == "Beside others it fails."
    assert record.cases[2].reason == (
        "Beside others it fails. Others were judged at the same time, and no process could judge"
        " it alone: its machine has ended."
    )
    assert record.cases[4].reason == "No process could judge this case: its machine has ended."


def test_a_target_that_takes_one_tester_only_is_refused() -> None:
    server, device = find_target("linux-server"), RunPlace.DEVICE_IN_GUEST
    check_workers(server, 1)
    check_workers(server, 2, device)
    check_workers(find_target("reference"), 2)
    with pytest.raises(TargetError, match="does not claim `concurrent_testers`"):
        check_workers(server, 2)
    with pytest.raises(TargetError, match="does not claim `concurrent_testers`"):
        check_workers(find_target("linux-server-nfs41"), 2, device)
    extra = msgspec.structs.replace(server.profile.extra, server=("my-server",))
    claims = msgspec.structs.replace(server.profile.claims, concurrent_testers=True)
    started = NetworkTarget(msgspec.structs.replace(server.profile, extra=extra, claims=claims))
    check_workers(started, 2, device)
    with pytest.raises(TargetError, match=r"is started by the process that tests it.*drop -n"):
        check_workers(started, 2)
    with pytest.raises(TargetError, match="its guest has one client"):
        check_workers(find_any_target("linux-client", ""), 2, device)
