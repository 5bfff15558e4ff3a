"""The exported tree is the one that scenarios expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.ulp.file_tree import DIRECTORY, LINK, TREE, WRITABLE, TreeFile
from targets.lab.export import fill_export

if TYPE_CHECKING:
    from pathlib import Path


def test_every_entry_of_the_tree_is_there(tmp_path: Path) -> None:
    fill_export(tmp_path / "export")
    root = tmp_path / "export"
    assert {path.name for path in root.iterdir()} == {entry.name for entry in TREE}
    for entry in TREE:
        if isinstance(entry, TreeFile):
            assert (root / entry.name).read_bytes() == entry.content
    assert str((root / LINK.name).readlink()) == LINK.target
    assert {path.name for path in (root / DIRECTORY.name).iterdir()} == set(DIRECTORY.entries)


def test_only_the_writable_file_may_be_written(tmp_path: Path) -> None:
    fill_export(tmp_path / "export")
    modes = {
        entry.name: (tmp_path / "export" / entry.name).stat().st_mode & 0o777
        for entry in TREE
        if isinstance(entry, TreeFile)
    }
    assert modes.pop(WRITABLE.name) == 0o666
    assert set(modes.values()) == {0o444}
