"""Which virtme-ng is taken, and what is said of its version."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from targets import tested_versions
from targets.lab.errors import LabError
from targets.lab.virtme_ng import find_virtme_ng, untested_virtme_ng, virtme_ng_version

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Beside the interpreter: a virtme-ng that says that it is 1.50, where 1.41 was tested."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    required = ("virtme-ng<1.42,>=1.41; extra == 'lab'",)
    monkeypatch.setattr(tested_versions, "our_requirements", lambda: required)
    return program(tmp_path / "vng", "echo virtme-ng 1.50")


def program(file: Path, script: str) -> Path:
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def test_the_one_beside_the_interpreter_comes_first(
    command: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    systems = program(tmp_path / "bin" / "vng", "echo virtme-ng 1.10")
    monkeypatch.setenv("PATH", str(systems.parent))
    assert find_virtme_ng() == command
    command.unlink()
    assert find_virtme_ng() == systems


def test_a_missing_virtme_ng_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LabError, match=r"virtme-ng is missing; pip install .*\[lab\]"):
        find_virtme_ng()


def test_the_command_itself_tells_its_version(command: Path) -> None:
    assert virtme_ng_version(command) == "1.50"


@pytest.mark.parametrize("script", ["exit 0", "echo broken; exit 1"])
def test_one_that_cannot_tell_its_version_says_so(command: Path, script: str) -> None:
    assert virtme_ng_version(program(command, script)) == "of unknown version"


def test_a_command_that_is_gone_has_no_version(tmp_path: Path) -> None:
    assert virtme_ng_version(tmp_path / "vng") == "of unknown version"


def test_found_and_tested_versions_are_named_in_one_sentence(command: Path) -> None:
    assert untested_virtme_ng() == (
        "virtme-ng 1.50 is not among the versions that were tested (>=1.41,<1.42):"
        " pip install 'rpcrdma-conformance[lab]'"
    )
    program(command, "echo virtme-ng 1.41")
    assert untested_virtme_ng() == ""
