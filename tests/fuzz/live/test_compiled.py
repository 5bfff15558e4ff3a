"""The plugin's compilation, by a script in the compiler's place; the lab has a real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fuzz.live.compiled import compile_plugin
from targets.lab.errors import LabError

if TYPE_CHECKING:
    from pathlib import Path


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_the_source_is_compiled_to_a_library(tmp_path: Path) -> None:
    # The last two words are the library and the source.
    compiler = script(tmp_path / "cc", 'while [ $# -gt 2 ]; do shift; done; cp "$2" "$1"')
    qemu = script(tmp_path / "qemu", "echo; echo '-plugin [file=]<file>'; echo")
    library = compile_plugin(tmp_path, compiler, qemu)
    assert "qemu_plugin_install" in library.read_text()


def test_that_there_is_no_compiler_is_said_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"no C compiler .* apt-get install gcc"):
        compile_plugin(tmp_path, str(tmp_path / "none"))


def test_what_a_compiler_complains_of_is_said(tmp_path: Path) -> None:
    compiler = script(tmp_path / "cc", "echo no such header >&2; exit 1")
    with pytest.raises(LabError, match="no such header"):
        compile_plugin(tmp_path, compiler)


def test_a_compiler_that_says_nothing_is_known_by_its_status(tmp_path: Path) -> None:
    compiler = script(tmp_path / "cc", "exit 3")
    with pytest.raises(LabError, match=r"does not compile .*: status 3"):
        compile_plugin(tmp_path, compiler)


def test_a_qemu_without_plugins_is_told(tmp_path: Path) -> None:
    compiler = script(tmp_path / "cc", "exit 0")
    qemu = script(tmp_path / "qemu", "echo '-kernel bzImage'")
    with pytest.raises(LabError, match="without plugins"):
        compile_plugin(tmp_path, compiler, qemu)
    with pytest.raises(LabError, match="there is no"):
        compile_plugin(tmp_path, compiler, str(tmp_path / "none"))
