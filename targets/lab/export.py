"""Fills the exported folder with the file tree that NFS scenarios expect."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING, Final, assert_never

from rpcrdma.ulp.file_tree import LINK, TREE, TreeDirectory, TreeFile, TreeLink
from targets.lab.errors import LabError
from targets.lab.step import run_step

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.ulp.file_tree import TreeEntry

__all__ = ["fill_export", "make_export"]

_READABLE: Final = 0o444
_WRITABLE: Final = 0o666
_FOLDER: Final = 0o755
_ROOT_FOLDER: Final = 0o1777

_STEP: Final = "making the file tree"
_LARGER_BLOCKS: Final = (
    "name a folder on one that does, such as ext4 with blocks of 4 KiB (`mkfs.ext4 -b 4096`), xfs,"
    " btrfs or tmpfs"
)

_DISK: Final = Path("/run/rpcrdma-export.ext4")
_DISK_OCTETS: Final = 256 << 20
"""Of which only what is written takes memory."""


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


def make_export(
    root: Path, shares: tuple[str, ...] = (), fill: Callable[[Path], None] = fill_export
) -> None:
    """Make the tree in a guest, on a file system that can be exported and bears each entry of it.

    The guest's own root is an overlay, and tmpfs gives a server in user space no handles of files
    (name_to_handle_at): so it is an ext4 in a file, unless the folder is one of the host's.

    Args:
        root: the folder; it becomes a mount point.
        shares: folders of the host that the guest may write to.
        fill: makes the tree.

    Raises:
        LabError: a step failed.
    """
    if not any(root.is_relative_to(folder) for folder in shares):
        _mount_disk(root)
    fill(root)


def _mount_disk(root: Path) -> None:
    root.mkdir(parents=True, exist_ok=True)
    if root.is_mount():
        return
    step = "making the file system of the export"
    with _DISK.open("wb") as file:
        file.truncate(_DISK_OCTETS)
    # A symbolic link has to fit into one block.
    words = ["mkfs.ext4", "-q", "-F", "-b", "4096", "-O", "^has_journal", "-m", "0", str(_DISK)]
    run_step(step, words, "install e2fsprogs")
    remedy = "boot a kernel that has ext4 and loop"
    run_step(step, ["modprobe", "-a", "loop", "ext4"], remedy)
    run_step(step, ["mount", "-o", "loop", str(_DISK), str(root)], remedy)


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
