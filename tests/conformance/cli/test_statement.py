"""`rpcrdma statement`, from a run to what is shown to others."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from conformance.cli.statement import unseen_by, unselected_by
from conformance.suite.runner import RECORDS, certify, collect_cases
from conformance.suite.selection import Selection
from reports.stream import read_run
from targets.registry import find_target
from tests.conformance.cli.command_line import CASE, REQUIREMENT, refused, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("run")
    certify(find_target("mutant:grants-zero"), Selection(cases=(CASE,)), where)
    return where


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    return shutil.copytree(finished, tmp_path / "run")


def test_statement_is_written_beside_the_evidence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("statement", str(folder)) == 0

    text = (folder / "statement.txt").read_text()
    said = capsys.readouterr().out
    assert said.startswith(
        f"{folder}/statement.html\n{folder}/statement.txt\nmutant:grants-zero do"
    )
    assert f"FAIL {REQUIREMENT} (" in text
    assert "cases: they were not selected" in text
    assert (folder / "statement.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("name", ["statement.html", "statement.txt"])
def test_statement_is_verified(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    run("statement", str(folder))
    assert run("statement", str(folder), "--verify", str(folder / name)) == 0
    assert "the statement of" in capsys.readouterr().out


def test_other_evidence_is_seen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("statement", str(folder))
    (folder / "evidence" / "more").write_text("")
    assert run("statement", str(folder), "--verify", str(folder / "statement.txt")) == 1
    assert "its evidence is not what" in capsys.readouterr().out


def test_other_words_are_seen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("statement", str(folder))
    file = folder / "statement.txt"
    file.write_text(file.read_text().replace("does not meet", "meets"))
    assert run("statement", str(folder), "--verify", str(file)) == 1
    assert "the words are not those" in capsys.readouterr().out


def test_run_that_was_cut_gets_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = (folder / RECORDS).read_bytes().splitlines(keepends=True)
    (folder / RECORDS).write_bytes(b"".join(whole[:-1]))
    assert "the run was cut short" in refused(capsys, "statement", str(folder))
    assert not (folder / "statement.txt").exists()


def test_what_a_run_does_not_look_at_is_counted(finished: Path) -> None:
    record = read_run(finished / RECORDS)
    responders = [case for case in collect_cases() if case.role == "responder"]
    harmful = [case.id for case in responders if case.destructive]

    left = len(responders) - len(harmful) - len(record.header.planned)
    assert len(unselected_by(record)) == left
    groups = {group.why: group.ids for group in unseen_by(record)}
    destructive = next(ids for why, ids in groups.items() if "--destructive" in why)
    assert list(destructive) == harmful
    assert REQUIREMENT not in groups["no case of this run looks at them"]
    assert "rfc8166.4.5.1.err-vers-range" in groups["no case of this run looks at them"]
    assert len(groups) == 4
