"""The exported tree is the one that scenarios expect."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from rpcrdma.ulp.file_tree import DIRECTORY, LINK, TREE, WRITABLE, TreeFile
from targets.lab.errors import LabError
from targets.lab.export import fill_export


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


def test_what_was_changed_is_made_anew_and_all_else_stays(tmp_path: Path) -> None:
    fill_export(tmp_path)
    (tmp_path / WRITABLE.name).write_bytes(b"changed")
    (tmp_path / LINK.name).unlink()
    (tmp_path / LINK.name).symlink_to("elsewhere")
    (tmp_path / "own").touch()
    fill_export(tmp_path)
    assert (tmp_path / WRITABLE.name).read_bytes() == WRITABLE.content
    assert str((tmp_path / LINK.name).readlink()) == LINK.target
    assert (tmp_path / "own").exists()


def refused(monkeypatch: pytest.MonkeyPatch, number: int, root: Path) -> str:
    """What is said where the file system refuses the link."""

    def symlink_to(path: Path, _target: str) -> None:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(Path, "symlink_to", symlink_to)
    with pytest.raises(LabError) as told:
        fill_export(root)
    return str(told.value)


def test_a_file_system_that_does_not_bear_the_link_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = refused(monkeypatch, errno.ENAMETOOLONG, tmp_path)
    cause = f"the file system of {tmp_path} takes no symbolic link of 1979 octets"
    assert told.startswith(f"making the file tree: {cause}; name a folder on one that does")


def test_another_refusal_is_told_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = refused(monkeypatch, errno.ENOSPC, tmp_path)
    assert f"{tmp_path / 'link'}: No space left on device" in told
