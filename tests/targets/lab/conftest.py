"""Programs in place of the system's: that only note how they were called, or only have headers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FakeProgram = Callable[..., None]
MakeElf = Callable[..., Path]

LOAD, INTERPRETER = 1, 3
"""Types of program headers of an ELF file: PT_LOAD, PT_INTERP."""


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
        copied = 'test "$1" != -batch -a "$1" != -b || while read -r line; do echo "  $line"; done'
        note = f'{{ echo "{name} $*"; {copied}; }}'
        program.write_text(f"#!/bin/sh\n{note} >>{calls}\n{body}\n")
        program.chmod(0o755)

    return fake, Calls(calls)


@pytest.fixture
def make_elf() -> MakeElf:
    """Writes an executable file of ELF headers, as a linker for x86-64 makes them."""

    def make(path: Path, *, interpreter: bool = False) -> Path:
        kinds = (LOAD, INTERPRETER) if interpreter else (LOAD,)
        header = bytearray(64)
        header[:6] = b"\x7fELF\x02\x01"
        header[0x20:0x28] = (64).to_bytes(8, "little")  # where the program headers begin
        header[0x36:0x38] = (56).to_bytes(2, "little")  # octets of each
        header[0x38:0x3A] = len(kinds).to_bytes(2, "little")
        entries = b"".join(kind.to_bytes(4, "little") + bytes(52) for kind in kinds)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(header) + entries)
        path.chmod(0o755)
        return path

    return make
