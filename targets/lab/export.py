"""Fills the exported folder with the file tree that NFS scenarios expect."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final, assert_never

from rpcrdma.ulp.file_tree import LINK, TREE, TreeDirectory, TreeFile, TreeLink
from targets.lab.errors import LabError

if TYPE_CHECKING:
    from pathlib import Path

    from rpcrdma.ulp.file_tree import TreeEntry

__all__ = ["fill_export"]

_READABLE: Final = 0o444
_WRITABLE: Final = 0o666
_FOLDER: Final = 0o755
_ROOT_FOLDER: Final = 0o1777

_STEP: Final = "making the file tree"
_LARGER_BLOCKS: Final = (
    "name a folder on one that does, such as ext4 with blocks of 4 KiB (`mkfs.ext4 -b 4096`), xfs,"
    " btrfs or tmpfs"
)


def fill_export(root: Path) -> None:
    """Make every entry of `rpcrdma.ulp.file_tree.TREE` below `root`, which anybody may write to.

    What is there already by these names is made anew; all else is left as it is.

    Raises:
        LabError: the file system does not take an entry.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        root.chmod(_ROOT_FOLDER)
        for entry in TREE:
            _make(root / entry.name, entry)
    except OSError as error:
        raise _refused(root, error) from error


def _make(path: Path, entry: TreeEntry) -> None:
    match entry:
        case TreeFile():
            path.unlink(missing_ok=True)
            path.write_bytes(entry.content)
            path.chmod(_WRITABLE if entry.writable else _READABLE)
        case TreeLink():
            path.unlink(missing_ok=True)
            path.symlink_to(entry.target)
        case TreeDirectory():
            path.mkdir(mode=_FOLDER, exist_ok=True)
            for name in entry.entries:
                (path / name).touch()
        case _:
            assert_never(entry)


def _refused(root: Path, error: OSError) -> LabError:
    """Why the tree cannot be made, and what to do about it."""
    # ext4 without metadata in inodes takes targets that are shorter than a block (e2fsprogs,
    # mke2fs.conf: those of up to 512 MiB have blocks of 1 KiB by default).
    if error.errno == errno.ENAMETOOLONG:
        octets = len(LINK.target.encode())
        cause = f"the file system of {root} takes no symbolic link of {octets} octets"
        return LabError(_STEP, cause, _LARGER_BLOCKS)
    cause = f"{error.filename or root}: {error.strerror}"
    return LabError(_STEP, cause, "name a folder that you may write to, with 4 MiB to spare")
