"""A folder holds one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.bad_input import BadInput, NothingSelected
from conformance.cli.run_folder import claim, failed_in, last_folder, new_folder
from conformance.suite.runner import RECORDS
from reports.folder import REPORTS
from reports.record import FORMAT_VERSION, CaseRecord, RunHeader, Verdict
from reports.render.statement import STATEMENTS
from reports.stream import RunWriter


def hold_run(folder: Path, *verdicts: Verdict) -> Path:
    planned = tuple(f"a/1/{number}" for number in range(len(verdicts) + 1))
    header = RunHeader(FORMAT_VERSION, "mine", "mine", "loopback", planned, (), "")
    with RunWriter(folder / RECORDS, header) as writer:
        for name, verdict in zip(planned, verdicts, strict=False):
            writer.add(CaseRecord(name, "", verdict))
    (folder / "evidence").mkdir()
    (folder / "evidence" / "old.pcapng").touch()
    for name in (*REPORTS, *STATEMENTS):
        (folder / name).touch()
    return folder


def test_a_folder_with_a_run_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    hold_run(tmp_path)

    with pytest.raises(BadInput, match="holds a run; name another --output, or clear it"):
        claim(tmp_path, force=False)

    assert (tmp_path / "evidence" / "old.pcapng").exists()


def test_what_was_killed_in_several_processes_is_a_run_as_well(tmp_path: Path) -> None:
    (tmp_path / "records-2.jsonl").touch()

    with pytest.raises(BadInput, match="holds a run"):
        claim(tmp_path, force=False)


def test_force_clears_the_run_away_and_nothing_else(tmp_path: Path) -> None:
    hold_run(tmp_path)
    (tmp_path / "notes.txt").touch()
    (tmp_path / "evidence" / "mine.txt").touch()

    claim(tmp_path, force=True)

    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    assert left == {"notes.txt", "evidence", "evidence/mine.txt"}


def test_a_folder_without_a_run_is_free_though_it_holds_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()

    claim(tmp_path, force=False)
    claim(tmp_path / "new", force=False)


def test_the_usual_folder_is_the_first_that_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    usual = Path("rpcrdma-report-mutant-grants-zero")

    assert new_folder("mutant:grants-zero") == last_folder("mutant:grants-zero") == usual
    hold_run(usual)
    assert new_folder("mutant:grants-zero") == Path(f"{usual}-2")
    hold_run(Path(f"{usual}-2"))
    assert last_folder("mutant:grants-zero") == Path(f"{usual}-2")
    assert new_folder("some/mine.toml") == Path("rpcrdma-report-mine")


def test_what_failed_and_what_was_not_judged_is_wanted_again(tmp_path: Path) -> None:
    verdicts = (Verdict.PASS, Verdict.FAIL, Verdict.WARN, Verdict.ERROR, Verdict.NA)
    hold_run(tmp_path, *verdicts)

    assert failed_in(tmp_path) == ("a/1/1", "a/1/3", "a/1/5")


def test_where_nothing_failed_there_is_nothing_to_run_again(tmp_path: Path) -> None:
    header = RunHeader(FORMAT_VERSION, "mine", "mine", "loopback", (), (), "")
    RunWriter(tmp_path / RECORDS, header).close()

    with pytest.raises(NothingSelected, match="nothing failed in"):
        failed_in(tmp_path)
