"""Where programs are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.programs import find_program, search_path, told_version

if TYPE_CHECKING:
    from pathlib import Path


def make(program: Path) -> Path:
    program.parent.mkdir(parents=True)
    program.touch(0o755)
    return program


def test_a_program_for_administrators_is_found_without_a_path_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    path = search_path().split(":")
    assert path[0] == "/nowhere"
    assert {"/usr/sbin", "/sbin"} <= set(path)
    assert find_program("sh") is not None


def test_the_search_path_comes_before_the_systems_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = make(tmp_path / "mine" / "sh")
    monkeypatch.setenv("PATH", str(program.parent))
    assert find_program("sh") == program


def test_an_empty_search_path_does_not_name_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PATH")
    monkeypatch.chdir(make(tmp_path / "here" / "qemu").parent)
    assert find_program("qemu") is None


def test_another_root_has_its_own_programs_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = make(tmp_path / "root" / "usr" / "sbin" / "mke2fs")
    monkeypatch.setenv("PATH", str(program.parent))
    assert find_program("mke2fs", tmp_path / "root") == program
    assert find_program("mke2fs", tmp_path) is None
    assert find_program("sh", tmp_path / "root") is None


@pytest.mark.parametrize(
    ("script", "told"), [("echo version 7", "version 7\n"), ("echo 7; exit 1", "")]
)
def test_a_program_tells_its_version_if_it_can(tmp_path: Path, script: str, told: str) -> None:
    program = tmp_path / "program"
    assert told_version(program) == ""
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    assert told_version(program) == told
