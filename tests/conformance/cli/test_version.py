"""The version, with the commit of a checkout."""

from __future__ import annotations

import subprocess
from importlib.metadata import version
from typing import TYPE_CHECKING

from conformance.cli.version import suite_version
from tests.conformance.cli.command_line import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(folder), *who, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def project(folder: Path) -> Path:
    (folder / "pyproject.toml").write_text('[project]\nversion = "7.8.9"\n')
    return folder


def test_a_checkout_tells_its_commit_and_whether_it_was_changed(tmp_path: Path) -> None:
    project(tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "Begin")
    commit = git(tmp_path, "rev-parse", "HEAD")[:12]

    assert suite_version(tmp_path) == f"7.8.9 (commit {commit})"

    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "7.8.10"\n')
    assert suite_version(tmp_path) == f"7.8.10 (commit {commit}, changed)"


def test_sources_without_a_repository_have_no_commit(tmp_path: Path) -> None:
    assert suite_version(project(tmp_path)) == "7.8.9"


def test_an_installed_package_is_asked_for_its_version(tmp_path: Path) -> None:
    assert suite_version(tmp_path) == version("rpcrdma-conformance")


def test_the_command_line_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0

    assert capsys.readouterr().out.startswith("rpcrdma ")
