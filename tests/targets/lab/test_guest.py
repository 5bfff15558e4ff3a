"""The guest's side, short of what changes a machine."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from targets.lab import guest
from targets.lab.errors import LabError
from targets.lab.guest import INSIDE, main, run_command
from targets.lab.setup import GuestReport, GuestSetup, LabServer, ServerKind

if TYPE_CHECKING:
    from pathlib import Path


def setup_of(script: str, folder: Path) -> GuestSetup:
    return GuestSetup(("sh", "-c", script), str(folder), server=LabServer(ServerKind.NONE))


def test_outside_the_lab_nothing_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(INSIDE, raising=False)
    assert main([str(setup_of("exit 0", tmp_path).write(tmp_path))]) == 1
    with pytest.raises(LabError, match="setting up the guest: this is not the lab"):
        GuestReport.read(tmp_path)


def test_the_commands_status_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, "prepare", lambda setup: None)
    assert main([str(setup_of("exit 9", tmp_path).write(tmp_path))]) == 9
    report = GuestReport.read(tmp_path)
    assert report is not None
    assert report.status == 9


def test_a_signal_is_told_as_a_shell_does(tmp_path: Path) -> None:
    assert run_command(setup_of("kill -KILL $$", tmp_path)) == 137


def test_a_command_may_open_its_standard_output_anew(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = "echo one; echo two >/dev/stdout; echo three >/dev/stderr; exit 3"
    assert run_command(setup_of(script, tmp_path)) == 3
    assert capfd.readouterr().out == "one\ntwo\nthree\n"


def test_what_a_command_leaves_behind_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(guest, "_COPY_S", 0.2)
    left = 'setsid sh -c "while :; do read x </dev/zero; done" & echo $!'
    assert run_command(setup_of(left, tmp_path)) == 0
    os.killpg(int(capfd.readouterr().out), signal.SIGKILL)


def test_a_command_that_does_not_exist_has_status_127(tmp_path: Path) -> None:
    assert run_command(GuestSetup((str(tmp_path / "none"),), str(tmp_path))) == 127
