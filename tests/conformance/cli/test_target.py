"""`rpcrdma target check`, of profiles that work and of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.cli import target
from targets.lab.guest import INSIDE
from targets.lab.lab import Ending
from tests.conformance.cli.command_line import PROFILE, run
from tests.conformance.cli.fake_lab import FakeLab

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "my.toml"


def test_a_profile_is_tried(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(PROFILE)

    assert run("target", "check", str(file)) == 0

    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"profile {file}: as it must be; responder, versions 1, testprog"
    assert all(line.startswith("ok ") for line in others)
    assert "NULL in version 1: answered" in others[0]


def test_what_does_not_work_is_status_1(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = PROFILE.replace('"testprog"', '"nfs4"').replace("port = 0", 'export = "/nowhere"')
    file.write_text(nowhere)

    assert run("target", "check", str(file)) == 1

    assert "failed     file size-1000: " in capsys.readouterr().out


def test_every_problem_is_a_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(PROFILE.replace("port = 0", "prot = 0").replace("[1]", "[3]"))

    assert run("target", "check", str(file)) == 2

    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 2
    assert "did you mean port?" in said.err


def test_the_profile_alone_can_be_read(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(PROFILE)

    assert run("target", "check", str(file), "--profile-only") == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def checked_in_the_lab(lab: FakeLab, file: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The status of a check whose tester is in a guest as well."""
    monkeypatch.delenv(INSIDE, raising=False)
    monkeypatch.setattr("targets.lab.place.usual_fabric", lambda: "roce")
    monkeypatch.setattr(target, "run_in_lab", lab.run)
    file.write_text(PROFILE)
    return run("target", "check", str(file), "--fabric", "verbs")


def test_over_verbs_tester_and_device_are_in_the_lab(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guest runs the same command; its lines and its status are ours."""
    lab = FakeLab(status=1)
    assert checked_in_the_lab(lab, file, monkeypatch) == 1
    (asked,) = lab.asked
    assert asked.setup.command[3:] == ("target", "check", str(file), "--fabric", "verbs")
    assert capsys.readouterr().out == "hello\n"


def test_a_guest_that_comes_to_no_end_is_told(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checked_in_the_lab(FakeLab(0, Ending.PANIC), file, monkeypatch) == 2
    told = capsys.readouterr().err
    assert "trying the target in the lab: the guest's kernel panicked after 1 s" in told
