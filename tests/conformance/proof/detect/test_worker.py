"""The process that forks for each fault: what it makes of what those tell, and of silence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from conformance.proof.detect import worker
from conformance.proof.detect.child import Told
from conformance.proof.detect.faults import ENDPOINT, find_modules
from conformance.proof.detect.reach import Reach
from conformance.proof.detect.results import Fate

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CREDITS = f"{ENDPOINT}.core.credits"


def heard(*pieces: bytes) -> Told:
    """What is made of what a process wrote before it ended."""
    reading, writing = os.pipe()
    for piece in pieces:
        os.write(writing, piece)
    os.close(writing)
    try:
        return worker._heard(reading)
    finally:
        os.close(reading)


def test_a_process_says_what_came_of_its_fault() -> None:
    ending = Told(Fate.NAMED, "a case", ("d.1.rule",), "so it is", 3, 1)

    assert heard(msgspec.json.encode(ending), b"\n") == ending


def test_a_process_that_says_nothing_was_ended_by_its_limits() -> None:
    assert heard() == Told(Fate.HUNG, reason="ended by the limits of its process")


def test_a_process_that_goes_on_for_ever_is_hung(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "WALL", 0.0)

    assert heard().outcome is Fate.HUNG


def test_what_no_case_reaches_needs_no_process() -> None:
    module = {one.name: one for one in find_modules(CREDITS)}[CREDITS]
    forks = worker.Forks(Reach("digest", {}, {}, {}, 6.0), {CREDITS: module})

    tried = forks.attempt(f"{CREDITS}:53:15:constant:0")

    assert (tried.outcome, tried.seen) == (Fate.UNREACHED, 0)
    assert tried.function == "Allowance.try_take"
    assert tried.what == "`return True` becomes `return False`"


def test_a_reference_that_is_not_right_is_no_measure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def judge(*arguments: object) -> None:
        refuse = arguments[4]
        assert callable(refuse)
        refuse("it does not listen")

    monkeypatch.setattr(worker, "judge_reference", judge)

    assert worker.main(["record", str(tmp_path / "lines.json")]) == 1

    assert "not found to be right: it does not listen" in capsys.readouterr().err
    assert not (tmp_path / "lines.json").exists()
