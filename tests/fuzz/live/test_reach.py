"""Blocks and functions by modules, and blocks as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fuzz.live.coverage import Block
from fuzz.live.reach import ModuleReach, reach_of, read_blocks, write_blocks

if TYPE_CHECKING:
    from pathlib import Path

BLOCKS = frozenset({Block("rpcrdma", "send", 0), Block("rpcrdma", "send", 17), Block("b", "f", 2)})


def test_blocks_and_functions_are_counted_by_modules() -> None:
    functions = {("rpcrdma", "send"), ("rpcrdma", "receive"), ("unreached", "it")}
    assert reach_of(BLOCKS, functions) == {
        "b": ModuleReach(1, 1, 0),
        "rpcrdma": ModuleReach(2, 1, 2),
        "unreached": ModuleReach(0, 0, 1),
    }


def test_blocks_are_kept_as_lines_of_text(tmp_path: Path) -> None:
    file = tmp_path / "new" / "blocks.txt"
    write_blocks(file, BLOCKS)
    assert file.read_text() == "b:f+0x2\nrpcrdma:send+0x0\nrpcrdma:send+0x11\n"
    assert read_blocks(file) == BLOCKS


def test_a_file_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.txt"
    file.write_text("something else\n")
    with pytest.raises(ValueError, match="invalid literal"):
        read_blocks(file)
