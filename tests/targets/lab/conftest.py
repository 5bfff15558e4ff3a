"""Programs that only note how they were called, in place of the system's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FakeProgram = Callable[..., None]


class Calls:
    """What the fake programs were called with, one line each: name, arguments, standard input."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def lines(self) -> list[str]:
        return self._file.read_text().splitlines() if self._file.exists() else []


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[FakeProgram, Calls]:
    """A search path with nothing but fakes: `fake(name, body)` adds one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    calls = tmp_path / "calls"
    monkeypatch.setenv("PATH", f"{folder}")

    def fake(name: str, body: str = "exit 0") -> None:
        program = folder / name
        copied = 'test "$1" != -batch || while read -r line; do echo "  $line"; done'
        note = f'{{ echo "{name} $*"; {copied}; }}'
        program.write_text(f"#!/bin/sh\n{note} >>{calls}\n{body}\n")
        program.chmod(0o755)

    return fake, Calls(calls)
