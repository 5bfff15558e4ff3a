"""`rpcrdma nightly`, with stages that take no time."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.cli import nightly
from conformance.cli.main import main
from conformance.nightly.changes import NightReport
from conformance.nightly.page import JSON_FILE, PAGE_FILE
from conformance.nightly.stage import NightStage, StageKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> list[NightStage]:
    """What a night has: a list that a test fills."""
    found: list[NightStage] = []
    monkeypatch.setattr(nightly, "plan", lambda _wish: tuple(found))
    return found


@pytest.fixture(autouse=True)
def heeds_ctrl_c() -> Iterator[None]:
    """Who runs the tests in the background of a shell has them ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def does(name: str, program: str) -> NightStage:
    return NightStage(name, (sys.executable, "-c", program), StageKind.FINDINGS, 1.0, 1.0)


def report(folder: Path) -> NightReport:
    return msgspec.json.decode((folder / JSON_FILE).read_bytes(), type=NightReport)


def test_a_night_leaves_a_page_and_goes_by_what_failed(
    stages: list[NightStage], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages.append(does("good", ""))
    command = ["nightly", "--budget", "1m", "--output", str(tmp_path)]
    assert main(command) == 0
    stages[:] = [does("good", "raise SystemExit(1)")]
    assert main(command) == 1
    out = capsys.readouterr().out
    assert "worse: good: good: clean -> failed" in out
    assert f"report: {tmp_path / PAGE_FILE}" in out
    assert report(tmp_path).before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_night_leaves_its_page_and_goes_on(
    stages: list[NightStage], tmp_path: Path, number: signal.Signals
) -> None:
    ends = f"import os, signal; os.kill(os.getppid(), {int(number)}); signal.pause()"
    stages += [does("first", ""), does("second", ends), does("third", "")]
    command = ["nightly", "--budget", "1m", "--output", str(tmp_path)]
    assert main(command) == 128 + number
    assert [result.name for result in report(tmp_path).night.results] == ["first"]
    seed = report(tmp_path).night.seed

    stages[1] = does("second", "")
    assert main(command) == 0
    night = report(tmp_path).night
    assert [result.name for result in night.results] == ["first", "second", "third"]
    assert (night.seed, night.finished) == (seed, True)
    assert len(list((tmp_path / "nights").iterdir())) == 1


def test_another_night_is_begun_if_that_is_wanted(
    stages: list[NightStage], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages.append(does("first", "import os, signal; os.kill(os.getppid(), 2); signal.pause()"))
    command = ["nightly", "--budget", "1m", "--output", str(tmp_path), "--seed", "7"]
    assert main(command) == 130
    begun = report(tmp_path).night.started
    stages[:] = [does("other", "")]
    assert main(command) == 0
    assert "is left unfinished: other options" in capsys.readouterr().out

    stages[:] = [does("first", "")]
    assert main([*command, "--new"]) == 0
    assert report(tmp_path).night.seed == 7
    assert report(tmp_path).night.finished
    assert report(tmp_path).night.started >= begun


def test_the_list_says_what_each_stage_has(
    stages: list[NightStage], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages += [does("first", ""), does("second", "")]
    assert main(["nightly", "--budget", "3m", "--list", "--output", str(tmp_path)]) == 0
    assert "1 min 30 s" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--budget", "soon"], "`soon` is no time; give one such as 2h"),
        (["--keep", "0"], "give a whole number from 1 on"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["nightly", *words])
    assert ended.value.code == 2
    assert problem in capsys.readouterr().err
