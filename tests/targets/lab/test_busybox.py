"""Which busybox virtme-ng takes, and whether it is one that can start a guest."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from targets.lab.busybox import find_busybox, is_static

if TYPE_CHECKING:
    from tests.targets.lab.conftest import MakeElf


def test_names_count_before_folders(tmp_path: Path, make_elf: MakeElf) -> None:
    assert find_busybox(tmp_path) is None
    for name in ("usr/bin/busybox", "bin/busybox.static", "sbin/busybox-static"):
        make_elf(tmp_path / name)
        assert find_busybox(tmp_path) == tmp_path / name


def test_a_program_without_an_interpreter_is_static(tmp_path: Path, make_elf: MakeElf) -> None:
    assert is_static(make_elf(tmp_path / "static"))
    assert not is_static(make_elf(tmp_path / "dynamic", interpreter=True))


def test_pythons_own_file_is_dynamic() -> None:
    """The reader of headers works on a program that a linker made."""
    assert not is_static(Path(sys.executable).resolve())


@pytest.mark.parametrize("octets", [b"", b"#!/bin/sh\n", b"\x7fELF\x01\x01" + bytes(64)])
def test_what_is_no_program_of_this_kind_is_not_static(tmp_path: Path, octets: bytes) -> None:
    file = tmp_path / "busybox"
    file.write_bytes(octets)
    assert not is_static(file)
