from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from conformance.suite.runner import certify, known_ids
from conformance.suite.section_end import added_ids, section_of
from conformance.suite.selection import Selection
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.client.harness import Harness
from reports.record import Verdict
from reports.summary import NOTHING_JUDGED, exit_status
from targets.base import TargetError
from tests.conformance.embedded import damage, embedded, files_of_servers
from tests.conformance.miniatures import MiniatureSession, MiniatureTarget, good
from tests.conformance.suite.written import CASES, NULL_CASE, scenario

if TYPE_CHECKING:
    from pathlib import Path

    from reports.record import CaseRecord, RunRecord
    from rpcrdma.ulp.file_store import FileStore

FILES = "files-stay-whole"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> FileStore:
    files.append(files_of_servers(monkeypatch))
    return files[-1]


def run(tmp_path: Path, sections: dict[str, str]) -> RunRecord:
    """Scenario files by section, run against an NFS server."""
    scenarios = tmp_path / "scenarios"
    scenarios.mkdir()
    for section, body in sections.items():
        scenario(scenarios, body, f"test_{section}_title.py")
    target = embedded(tmp_path, "nfs4")
    return certify(target, Selection(), tmp_path / "out", scenarios_folder=scenarios)


DAMAGING = (
    NULL_CASE.replace("test_it", "test_harm")
    + "    from tests.conformance.suite import test_section_end\n    test_section_end.harm()\n"
)

files: list[FileStore] = []


def harm() -> None:
    """What a case of `DAMAGING` has the device do to its files."""
    damage(files[-1], "size-1000", 20)


def test_damage_is_a_verdict_after_its_section_that_names_the_first_case(
    tmp_path: Path, store: FileStore
) -> None:
    harmless = NULL_CASE + NULL_CASE.replace("test_it", "test_other")
    record = run(tmp_path, {"3_2": harmless, "4_2": NULL_CASE + DAMAGING, "4_5": harmless})

    found = [case for case in record.cases if case.verdict is not Verdict.PASS]
    assert [case.id for case in found] == [f"rfc8166/4.2/{FILES}"]
    place = [case.id for case in record.cases].index(found[0].id)
    assert record.cases[place - 1].id == "rfc8166/4.2/harm"
    assert (found[0].verdict, found[0].violated) == (
        Verdict.FAIL,
        ("rfc8166.8.1.no-new-vulnerabilities",),
    )
    assert "size-1000 from octet 0 on: " in found[0].reason
    assert found[0].reason.endswith("The first case that this can follow from is rfc8166/4.2/it.")
    assert found[0].rerun.endswith("--document rfc8166 --section 4.2")
    assert dict(record.header.facts)["files"] == "compared after each section"
    assert all((tmp_path / "out" / name).exists() for name in found[0].evidence)


def test_a_device_is_started_again_after_damage_to_its_files(
    tmp_path: Path, store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bool] = []
    monkeypatch.setattr(Harness, "renew", lambda _, files_too: told.append(files_too))

    run(tmp_path, {"3_2": NULL_CASE, "4_2": DAMAGING, "4_5": NULL_CASE + CASES, "4_6": NULL_CASE})

    assert told == [True]


def test_a_run_without_damage_has_no_such_record(tmp_path: Path, store: FileStore) -> None:
    record = run(tmp_path, {"3_2": NULL_CASE, "4_5": NULL_CASE})
    assert [case.id for case in record.cases] == ["rfc8166/3.2/it", "rfc8166/4.5/it"]


def test_what_could_not_be_looked_at_belongs_to_the_next_look(
    tmp_path: Path, store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []

    def look(self: object) -> None:
        looks.append("look")
        if len(looks) == 1:
            raise Inconclusive("not now")
        raise Deviation("Damaged.")

    monkeypatch.setattr("conformance.tester.client.harness.Harness.look", look)
    record = run(tmp_path, {"3_2": NULL_CASE, "4_2": NULL_CASE})
    last = record.cases[-1]
    assert last.id == f"rfc8166/4.2/{FILES}"
    assert last.reason.endswith("is rfc8166/3.2/it.")


def test_files_that_cannot_be_seen_in_the_end_are_inconclusive(
    tmp_path: Path, store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(self: object) -> None:
        raise Inconclusive("no answer")

    monkeypatch.setattr("conformance.tester.client.harness.Harness.look", look)
    record = run(tmp_path, {"3_2": NULL_CASE, "4_2": NULL_CASE})
    assert [(case.id, case.verdict) for case in record.cases][-1] == (
        f"rfc8166/4.2/{FILES}",
        Verdict.INCONC,
    )
    assert len(record.cases) == 3


def test_a_baseline_may_list_it_for_every_section_that_has_cases() -> None:
    known = known_ids()
    assert set(added_ids("rfc8166/4.3.2/some-case")) <= known
    assert f"rfc8166/99/{FILES}" not in known
    assert "rfc8166/4.3.2/no-such-case" not in known


def test_the_section_of_a_case_has_its_document() -> None:
    assert section_of("rfc8166/4.3.2/some-case[x]") == "rfc8166/4.3.2"


def lapses(tmp_path: Path, well: int) -> RunRecord:
    """Three cases against a device that is mute after some messages, until it is started again."""
    heard: list[int] = []

    def behave(message: bytes) -> list[bytes]:
        heard.append(target.session.restarts)
        is_well = heard[-1] or len(heard) <= well
        return good(message) if is_well else []

    target = MiniatureTarget(behave)
    scenarios = tmp_path / "scenarios"
    scenarios.mkdir()
    scenario(scenarios, CASES)
    return certify(target, Selection(), tmp_path / "out", scenarios_folder=scenarios)


def test_a_device_that_must_be_started_again_between_cases_fails_once_in_the_section(
    tmp_path: Path,
) -> None:
    # The good call before the run, and of each case one before it, its own, and one after it.
    record = lapses(tmp_path, well=4)

    assert [(case.id, case.verdict) for case in record.cases] == [
        ("rfc8166/4.5/it", Verdict.PASS),
        ("rfc8166/4.5/then", Verdict.PASS),
        ("rfc8166/4.5/serves-from-case-to-case", Verdict.FAIL),
        ("rfc8166/4.5/z", Verdict.PASS),
    ]
    told = record.cases[2]
    assert told.violated == ("rfc8166.4.5.5.rpc-survives-connection-loss",)
    assert "after rfc8166/4.5/it and before rfc8166/4.5/then: NULL got nothing" in told.reason
    assert told.rerun.endswith("--document rfc8166 --section 4.5")
    assert all((tmp_path / "out" / name).exists() for name in told.evidence)


def test_a_device_that_serves_from_case_to_case_has_no_such_record(tmp_path: Path) -> None:
    assert len(lapses(tmp_path, well=100).cases) == 3


SECTIONS = {"test_4_5_title.py": CASES, "test_4_6_title.py": NULL_CASE}


def killed(tmp_path: Path, *moments: str, starts: bool = True) -> RunRecord:
    """A run against a device that is killed before cases of these names, or before the run."""
    target = MiniatureTarget(good)

    class Killed(MiniatureSession):
        death = "ended by SIGKILL" if "boot" in moments else ""
        is_gone = False
        starts = 0

        def alive(self) -> str | None:
            return Killed.death or None

        def restart(self) -> None:
            if Killed.is_gone:
                raise TargetError("it cannot be started")
            Killed.starts += 1
            at_boot = "start" in moments and Killed.starts == 1
            Killed.death = "ended by SIGSEGV" if at_boot else ""
            super().restart()

    def kill(case: str, _planned: int) -> None:
        if case.rpartition("/")[2] in moments:
            Killed.death, Killed.is_gone = "ended by SIGKILL", not starts

    def kill_after(case: CaseRecord, planned: int) -> None:
        kill(f"/after-{case.id.rpartition('/')[2]}", planned)

    scenarios = tmp_path / "scenarios"
    scenarios.mkdir()
    for name, body in SECTIONS.items():
        scenario(scenarios, body, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.conformance.miniatures.MiniatureSession", Killed)
        return certify(
            target,
            Selection(),
            tmp_path / "out",
            scenarios_folder=scenarios,
            on_begin=kill,
            on_case=kill_after,
        )


def told(record: RunRecord) -> list[tuple[str, Verdict, str]]:
    return [(case.id.removeprefix("rfc8166/"), case.verdict, case.died) for case in record.cases]


DEATH = "ended by SIGKILL"
LIVED = [
    ("4.5/it", Verdict.PASS, ""),
    ("4.5/then", Verdict.PASS, ""),
    ("4.5/z", Verdict.PASS, ""),
    ("4.6/it", Verdict.PASS, ""),
]


def test_a_device_that_is_killed_between_cases_fails_there_and_no_case_is_lost(
    tmp_path: Path,
) -> None:
    record = killed(tmp_path, "then")

    between = ("4.5/lives-from-case-to-case", Verdict.FAIL, DEATH)
    assert told(record) == [*LIVED[:2], between, *LIVED[2:]]
    assert record.cases[2].reason == (
        f"The device died after rfc8166/4.5/it and before rfc8166/4.5/then: {DEATH}."
    )
    assert exit_status(record) == 1


def test_each_further_death_in_a_section_is_told_in_the_case_after_it(tmp_path: Path) -> None:
    record = killed(tmp_path, "then", "z")

    assert told(record)[3:] == [("4.5/z", Verdict.PASS, DEATH), LIVED[3]]
    assert record.cases[3].notes == (
        f"The device died after rfc8166/4.5/then and before rfc8166/4.5/z: {DEATH}.",
    )


def test_a_device_that_is_killed_before_the_first_case_is_told_there(tmp_path: Path) -> None:
    record = killed(tmp_path, "boot")

    assert told(record)[:2] == [LIVED[0], ("4.5/lives-from-case-to-case", Verdict.FAIL, DEATH)]
    assert record.cases[1].reason == f"The device died before rfc8166/4.5/it: {DEATH}."
    assert exit_status(record) == 1


def test_a_device_that_does_not_come_back_is_no_green_run(tmp_path: Path) -> None:
    record = killed(tmp_path, "then", starts=False)

    assert [(case.verdict, case.lost) for case in record.cases if case.id.endswith("/z")] == [
        (Verdict.INCONC, True)
    ]
    assert exit_status(record) == 1
    without = [replace(case, died="", verdict=Verdict.PASS) for case in record.cases]
    assert exit_status(replace(record, cases=tuple(without))) == NOTHING_JUDGED


@pytest.mark.parametrize("moments", [("after-z",), ("after-it",)])
def test_a_device_that_is_dead_when_a_section_ends_fails_there(
    tmp_path: Path, moments: tuple[str, ...]
) -> None:
    record = killed(tmp_path, *moments)

    assert ("4.5/lives-from-case-to-case", Verdict.FAIL, DEATH) in told(record)
    assert [case for case in told(record) if not case[2]] == LIVED


def test_a_second_death_in_a_section_is_told_by_the_look_at_its_end(tmp_path: Path) -> None:
    record = killed(tmp_path, "then", "after-z")

    assert [one for one in told(record) if one[2]] == [
        ("4.5/lives-from-case-to-case", Verdict.FAIL, DEATH),
        (f"4.5/{FILES}", Verdict.FAIL, DEATH),
    ]
    assert [one for one in told(record) if not one[2]] == LIVED


def test_a_device_that_dies_again_at_its_start_is_started_once_more(tmp_path: Path) -> None:
    record = killed(tmp_path, "then", "start")

    both = f"{DEATH}; and again at its start: ended by SIGSEGV"
    assert told(record)[2] == ("4.5/lives-from-case-to-case", Verdict.FAIL, both)
    assert [one for one in told(record) if not one[2]] == LIVED
