"""The file system in a guest on which a server that a profile starts finds the file tree.

The guest's own root is an overlay, and tmpfs gives a server in user space no handles of files
(name_to_handle_at): so it is an ext4 in a file.  Standing guests run this without installed
packages, so it imports none.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from targets.lab.step import run_step

__all__ = ["mount_export"]

_DISK: Final = Path("/run/rpcrdma-export.ext4")
_DISK_OCTETS: Final = 256 << 20
"""Of which only what is written takes memory."""

_STEP: Final = "making the file system of the export"
_MODULES: Final = "boot a kernel that has ext4 and loop"


def mount_export(root: Path, shares: tuple[str, ...] = ()) -> None:
    """Mount a file system that can be exported and bears each entry of the tree.

    Nothing is done where the folder is one of the host's, or is mounted already.

    Args:
        root: the folder; it is made.
        shares: folders of the host that the guest may write to.

    Raises:
        LabError: a step failed.
    """
    root.mkdir(parents=True, exist_ok=True)
    if root.is_mount() or any(root.is_relative_to(folder) for folder in shares):
        return
    with _DISK.open("wb") as file:
        file.truncate(_DISK_OCTETS)
    # A symbolic link has to fit into one block; a journal is for what outlives a crash.
    words = ["mkfs.ext4", "-q", "-F", "-b", "4096", "-O", "^has_journal", "-m", "0", str(_DISK)]
    run_step(_STEP, words, "install e2fsprogs")
    run_step(_STEP, ["modprobe", "-a", "loop", "ext4"], _MODULES)
    run_step(_STEP, ["mount", "-o", "loop", str(_DISK), str(root)], _MODULES)
    with suppress(FileNotFoundError):
        (root / "lost+found").rmdir()  # no file of the tree
