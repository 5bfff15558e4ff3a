"""What `rpcrdma fuzz` says of a fuzzer that is missing or was not tested, and of parsers."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.cli.main import main
from conformance.explore.finding import keep
from fuzz import cli_fuzz
from fuzz.campaign import Campaign, Result
from fuzz.invariant import BrokenInvariant, finding_of
from fuzz.pulse import Pulse
from fuzz.registry import harness_names
from targets import tested_versions
from targets.tested_versions import Dependency
from tests.fuzz.parsers.programs import answering

if TYPE_CHECKING:
    from pathlib import Path

OBJECTION = "atheris 9.9 is not among the versions that were tested (>=3.0.0,<3.2)"


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """atheris 9.9 is installed, and not tested."""
    required = ("atheris>=3.0.0,<3.2; extra == 'fuzz'",)
    monkeypatch.setattr(tested_versions, "our_requirements", lambda: required)
    monkeypatch.setattr(Dependency, "installed", lambda self: "9.9")


def fuzz(findings: Path, *which: str) -> int:
    return main(["fuzz", *(which or ["v1-header"]), "--time", "1", "--findings", str(findings)])


def test_a_missing_fuzzer_is_told_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Dependency, "installed", lambda self: None)
    assert fuzz(tmp_path) == 2
    told = capsys.readouterr().err
    assert "atheris, the fuzzer, is missing: pip install 'rpcrdma-conformance[fuzz]'" in told


@pytest.mark.usefixtures("newer")
def test_an_untested_fuzzer_that_works_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Campaign, "run", lambda self, progress: Result(Pulse(executions=7), ()))
    assert fuzz(tmp_path) == 0
    told = capsys.readouterr()
    assert told.err == f"rpcrdma fuzz: {OBJECTION}\n"
    assert "7 executions" in told.out


@pytest.mark.usefixtures("newer")
def test_an_untested_fuzzer_that_fails_is_named_with_the_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Campaign, "run", lambda self, progress: Result(Pulse(), (), "it ended"))
    assert fuzz(tmp_path) == 2
    assert f"it ended; {OBJECTION}" in capsys.readouterr().err


def test_a_finding_of_a_parser_is_replayed_by_that_parser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = keep(tmp_path, finding_of("v1-header", b"\0", BrokenInvariant("parser-died", "it ends")))
    seen: list[Campaign] = []

    def run(self: Campaign, progress: object) -> Result:
        seen.append(self)
        return Result(Pulse(findings=1), (path,))

    monkeypatch.setattr(Campaign, "run", run)
    monkeypatch.setattr(Dependency, "installed", lambda self: "3.0.0")
    program = shlex.join(answering("'no'"))

    assert main(["fuzz", "v1-header", "--program", program, "--corpus", str(tmp_path)]) == 1

    assert [campaign.program for campaign in seen] == [program]
    replay = shlex.join(["rpcrdma", "replay", str(path), f"--program={program}"])
    assert f"parser-died: it ends\n  replay: {replay}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["roce-frame", "--program", "cat"], "v1-header or v2-header, not by roce-frame"),
        (["--all", "--program", "cat"], "--all fuzzes the references"),
        (["--live", "linux-server", "--library", "x.so"], "--live fuzzes a device as it is"),
        (["v1-header", "--program", "cat"], "should answer the first input"),
    ],
)
def test_a_parser_that_cannot_be_fuzzed_is_told(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fuzz", *words]) == 2
    assert told in " ".join(capsys.readouterr().err.split())


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The harnesses that were run, where one lacks what it takes."""
    ran: list[str] = []

    def run(self: Campaign, progress: object) -> Result:
        ran.append(self.harness)
        return Result(Pulse(executions=7), ())

    def lack() -> None:
        raise BadInput("there is no `rpcgen`: apt-get install rpcsvc-proto")

    found = cli_fuzz.find_harness
    monkeypatch.setattr(Campaign, "run", run)
    monkeypatch.setattr(Dependency, "objection", lambda self, version: "")
    monkeypatch.setattr(
        cli_fuzz,
        "find_harness",
        lambda name: replace(found(name), prepare=lack if name == "v1-header-c" else list),
    )
    return ran


def test_a_harness_that_lacks_what_it_takes_is_told_before_it_runs(
    tmp_path: Path, lacking: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz(tmp_path, "v1-header-c") == 2
    assert "there is no `rpcgen`: apt-get install rpcsvc-proto" in capsys.readouterr().err
    assert not lacking


def test_of_all_harnesses_the_one_that_lacks_something_is_skipped(
    tmp_path: Path, lacking: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz(tmp_path, "--all") == 0
    assert "v1-header-c: skipped: there is no `rpcgen`" in capsys.readouterr().out
    assert lacking == [name for name in harness_names() if name != "v1-header-c"]


def test_a_device_is_fuzzed_by_one_process(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--live", "reference", "--fork", "2"]) == 2
    assert "without --fork" in capsys.readouterr().err


def test_as_many_processes_fuzz_as_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def run(self: Campaign, progress: object) -> Result:
        asked.append(self.processes)
        return Result(Pulse(), ())

    monkeypatch.setattr(Campaign, "run", run)
    assert fuzz(tmp_path) == 0
    assert fuzz(tmp_path, "v1-header", "--fork", "3") == 0
    assert asked == [1, 3]
