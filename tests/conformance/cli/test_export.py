"""`rpcrdma export`, from the records of a run to what programs read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from conformance.suite.runner import RECORDS, certify
from conformance.suite.selection import Selection
from reports.render.programs import FORMATS
from reports.render.schema import schema_text
from targets.registry import find_target
from tests.conformance.cli.command_line import CASE, refused, run

if TYPE_CHECKING:
    from pathlib import Path

BEGINS = {
    "junit": "<?xml",
    "json": "{",
    "tap": "TAP version 14\n",
    "ktap": "KTAP version 1\n",
    "github": "::error title=FAIL ",
    "line": "mutant:grants-zero over loopback: 3 of ",
    "badge": "{",
    "badge-svg": "<svg ",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("run")
    certify(find_target("mutant:grants-zero"), Selection(cases=(CASE,)), where)
    return where


def test_every_format_has_its_example() -> None:
    assert set(FORMATS) == set(BEGINS)


@pytest.mark.parametrize("name", FORMATS)
def test_format_is_printed(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("export", str(folder), "--as", name) == 0
    said = capsys.readouterr()
    assert said.out.startswith(BEGINS[name])
    assert said.err == ""


def test_a_run_that_was_cut_is_exported_as_such(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (folder / RECORDS).read_bytes().splitlines(keepends=True)
    (tmp_path / RECORDS).write_bytes(b"".join(whole[:2]))

    assert run("export", str(tmp_path), "--as", "line") == 0
    assert "cut short" in capsys.readouterr().out
    assert run("export", str(tmp_path), "--as", "junit") == 0
    assert int(ElementTree.fromstring(capsys.readouterr().out).attrib["errors"]) > 0


def test_baseline_is_heeded(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / "known.toml"
    assert run("baseline", str(folder), "--output", str(known)) == 0
    known.write_text(known.read_text().replace('why = ""', 'why = "F-1"'))
    capsys.readouterr()

    assert run("export", str(folder), "--as", "line", "--baseline", str(known)) == 0
    assert " known " in capsys.readouterr().out


def test_format_goes_into_a_file(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "badge.json"
    assert run("export", str(folder), "--as", "badge", "--output", str(file)) == 0
    assert json.loads(file.read_text())["schemaVersion"] == 1


def test_schema_needs_no_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("export", "--schema") == 0
    assert capsys.readouterr().out == schema_text()


def test_what_is_to_be_exported_must_be_said(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "name the folder of a run" in refused(capsys, "export")
    assert "say by --as" in refused(capsys, "export", str(folder), "-o", "x")
    assert "rpcrdma report" in refused(capsys, "export", str(folder))
    assert "records.jsonl" in refused(capsys, "export", str(tmp_path), "--as", "line")
