"""Fills the exported folder with the file tree that NFS scenarios expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from rpcrdma.ulp.file_tree import TREE, TreeDirectory, TreeFile, TreeLink

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["fill_export"]

_READABLE: Final = 0o444
_WRITABLE: Final = 0o666
_FOLDER: Final = 0o755
_ROOT_FOLDER: Final = 0o1777


def fill_export(root: Path) -> None:
    """Make every entry of `rpcrdma.ulp.file_tree.TREE` below `root`, which anybody may write to."""
    root.mkdir(parents=True, exist_ok=True)
    root.chmod(_ROOT_FOLDER)
    for entry in TREE:
        path = root / entry.name
        match entry:
            case TreeFile():
                path.write_bytes(entry.content)
                path.chmod(_WRITABLE if entry.writable else _READABLE)
            case TreeLink():
                path.symlink_to(entry.target)
            case TreeDirectory():
                path.mkdir(mode=_FOLDER)
                for name in entry.entries:
                    (path / name).touch()
            case _:
                assert_never(entry)
