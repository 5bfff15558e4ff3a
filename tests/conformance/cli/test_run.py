"""`rpcrdma certify`: verdicts, a report, and an exit status that says both."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from reports.record import Verdict
from reports.render.terminal import Progress
from reports.stream import read_run
from reports.summary import CUT_SHORT, NOTHING_JUDGED
from tests.conformance.cli.command_line import BAD_INPUT, CASE, PROFILE, REQUIREMENT, refused, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("versions = [1]", "verions = [1]", "key `claims.verions`: is unknown"),
        ("versions = [1]", 'versions = "1"', "key `claims.versions`: Expected `array`"),
        ("versions = [1]", "versions = [1, 7]", "`versions` has 7: there are 1 and 2"),
        ("versions = [1]", "", "key `claims.versions`: is missing"),
        ("[claims]", "[claims", "is not TOML"),
        ('"testprog"', '"smb"', "key `binding`: Invalid enum value 'smb'"),
        ('"reference"', '"exotic"', "adapter `exotic`, which is not installed"),
        ("port = 0", 'port = 0\ninterpretations = {D-998 = "x"}', "`D-998`, which is no entry"),
        ("port = 0", 'port = 0\ninterpretations = {D-12 = "x"}', "there are either, err-chunk"),
    ],
)
def test_a_broken_profile_gets_one_sentence(
    tmp_path: Path, old: str, new: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(PROFILE.replace(old, new))

    assert problem in refused(capsys, "certify", str(path), "--output", str(tmp_path / "out"))


def test_a_profile_that_is_a_folder_gets_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.toml").mkdir()

    assert "cannot be read: Is a directory" in refused(
        capsys, "certify", str(tmp_path / "mine.toml")
    )


@pytest.mark.parametrize("minutes", ["0", "-1", "inf"])
def test_a_run_has_a_time_above_nothing(minutes: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("certify", "reference", f"--time-limit={minutes}") == 2

    assert "give a number of minutes above 0" in capsys.readouterr().err


def test_a_run_says_what_it_had_no_time_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limit = ("--time-limit", "0.000001")

    words = ("--case", CASE, "--output", str(tmp_path / "run"), *limit)
    assert run("certify", "reference", *words) == CUT_SHORT

    told = capsys.readouterr().out
    assert "\n3 cases; ends within 0 minutes" in told
    assert "the run's time is over" in told


def test_a_run_in_which_nothing_was_judged_is_red(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text(PROFILE.replace("versions = [1]", "versions = [2]"))

    words = ("certify", str(profile), "--case", CASE, "--output", str(tmp_path / "out"))
    assert run(*words) == NOTHING_JUDGED

    assert "Nothing was judged" in capsys.readouterr().out


def test_sigterm_leaves_every_report_and_its_own_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Progress, "judged", lambda *_: os.kill(os.getpid(), signal.SIGTERM), raising=True
    )

    words = ("certify", "reference", "--case", CASE, "--output", str(tmp_path))
    assert run(*words) == 128 + signal.SIGTERM

    assert "1 of 3 cases judged; interrupted by SIGTERM" in capsys.readouterr().out
    assert {"report.html", "report.json", "junit.xml"} <= {path.name for path in tmp_path.iterdir()}
    pages = list((tmp_path / "report").glob("rfc8166-*.html"))
    assert pages
    # What is known beside the records is handed to the pages: where the documents are, for one.
    assert all(
        "https://www.rfc-editor.org/rfc/rfc8166#section-" in page.read_text() for page in pages
    )


@pytest.mark.long
def test_a_reader_of_the_output_that_leaves_changes_nothing(tmp_path: Path) -> None:
    hear, tell = os.pipe()
    os.close(hear)
    command = (sys.executable, "-m", "conformance.cli.main", "certify", "-v", "reference")
    ended = subprocess.run(
        (*command, "--case", CASE, "--output", str(tmp_path)),
        stdout=tell,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(tell)

    assert (ended.returncode, ended.stderr) == (0, b"")
    assert (tmp_path / "junit.xml").exists()


def test_a_full_disk_gets_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, hard))
    try:
        words = ("--case", CASE, "--output", str(tmp_path))
        assert run("certify", "reference", *words) == BAD_INPUT
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    said = capsys.readouterr().err
    assert "File too large" in said
    assert said.count("\n") == 1


def test_certify_passes_and_tells_last_where_the_report_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile, folder = tmp_path / "mine.toml", tmp_path / "out"
    profile.write_text(PROFILE)

    assert run("certify", str(profile), "--case", CASE, "--output", str(folder), "-v") == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"report: {folder / 'report.html'}"
    assert lines[1] == "3 cases; ends within 15 minutes, whatever the device does"
    assert lines[2] == f"PASS   {CASE}[0]"
    record = read_run(folder / "records.jsonl")
    assert record.header.target == "mine"
    assert record.cases[0].rerun == f"rpcrdma certify {profile} --case '{CASE}[0]'"
    assert all((folder / name).exists() for case in record.cases for name in case.evidence)
    assert {"report.html", "report.json", "junit.xml"} <= {path.name for path in folder.iterdir()}


def test_certify_fails_a_mutant_and_the_command_in_its_record_does_so_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"

    assert run("certify", "mutant:grants-zero", "--case", CASE, "--output", str(folder)) == 1

    assert f"again     rpcrdma certify mutant:grants-zero --case '{CASE}[0]'" in (
        capsys.readouterr().out
    )
    (first, *_) = json.loads((folder / "report.json").read_text())["cases"]
    assert (first["verdict"], first["violated"]) == (Verdict.FAIL.value, [REQUIREMENT])
    again = ("certify", "mutant:grants-zero", "--case", first["id"], "--output", str(folder))
    assert run(*again, "--force") == 1


def test_a_run_of_what_failed_last_into_the_same_folder_leaves_no_old_evidence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("certify", "mutant:grants-zero", "--output", str(tmp_path))
    assert run(*words, "--section", "3.3.1", "--exclude", f"{CASE}[1]") == 1

    capsys.readouterr()
    assert "holds a run" in refused(capsys, *words)
    assert run(*words, "--last-failed", "--case", f"{CASE}*", "--force") == 1

    record = read_run(tmp_path / "records.jsonl")
    assert record.header.planned == (f"{CASE}[0]", f"{CASE}[4294967295]")
    written = {f"evidence/{path.name}" for path in (tmp_path / "evidence").iterdir()}
    assert written == {name for case in record.cases for name in case.evidence}
    assert dict(record.header.facts)["command"].endswith("--force")


def test_a_run_stops_at_the_first_failure_that_is_not_known(tmp_path: Path) -> None:
    words = ("certify", "mutant:grants-zero", "--case", CASE, "--stop-at-first")
    assert run(*words, "--output", str(tmp_path / "run")) == 1
    assert len(read_run(tmp_path / "run" / "records.jsonl").cases) == 1

    known = tmp_path / "known.toml"
    assert run("certify", "mutant:grants-zero", "--case", CASE, "--output", str(tmp_path)) == 1
    assert run("baseline", str(tmp_path), "-o", str(known)) == 0
    known.write_text(known.read_text().replace('why = ""', 'why = "it is a mutant"'))
    again = (*words, "--output", str(tmp_path / "known"), "--baseline", str(known))
    assert run(*again) == 0


def test_a_run_is_repeated_into_folders_of_its_own(tmp_path: Path) -> None:
    words = ("certify", "reference", "--case", f"{CASE}[0]", "--output", str(tmp_path))
    assert run(*words, "--repeat", "2") == 0

    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2"]
    assert len(read_run(tmp_path / "2" / "records.jsonl").cases) == 1


def test_a_timeout_factor_that_is_no_number_gets_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RPCRDMA_TIMEOUT_FACTOR", "soon")

    said = refused(capsys, "certify", "reference", "--case", CASE, "--output", str(tmp_path))
    assert "set it to a positive number" in said


def test_certify_with_faults_says_so_in_the_command_that_runs_a_case_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("certify", "reference", "--fabric", "switch", "--faults", " loss = 0.01, seed=7")

    assert run(*words, "--case", CASE, "--output", str(tmp_path)) == 0

    record = read_run(tmp_path / "records.jsonl")
    called = "reference --fabric switch --faults seed=7,loss=0.01"
    assert record.cases[0].rerun == f"rpcrdma certify {called} --case '{CASE}[0]'"
    assert dict(record.header.facts)["faults"] == "seed=7,loss=0.01"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--faults", "loss=2"), "in 'loss=2', '2' is no number from 0 to 1"),
        (("--faults", ""), "no fault is named"),
        (("--faults", "loss=0.01"), "and there are none over loopback; use --fabric roce"),
        (("--faults", "loss=0.01", "--fabric", "verbs"), "there are none over verbs"),
    ],
)
def test_faults_that_cannot_be_had_get_one_sentence(
    tmp_path: Path, words: tuple[str, ...], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "certify", "reference", *words, "--output", str(tmp_path / "out"))

    assert problem in said


@pytest.mark.long
def test_certify_in_two_processes_says_the_same_as_in_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("certify", "mutant:grants-zero", "--section", "3.3.1", "--fabric", "loopback")
    for workers in ("1", "2"):
        folder = tmp_path / workers
        assert run(*words, "-n", workers, "--output", str(folder)) == 1
    assert run("compare", str(tmp_path / "1"), str(tmp_path / "2")) == 0

    record = read_run(tmp_path / "2" / "records.jsonl")
    assert record.cases[0].rerun.startswith(
        "rpcrdma certify mutant:grants-zero --fabric loopback --case"
    )
    assert "0 have not" in capsys.readouterr().out
