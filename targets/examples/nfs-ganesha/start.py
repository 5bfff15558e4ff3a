"""Starts nfs-ganesha in the lab's guest: `[lab] start` of the profiles beside this file.

The server wants a file system on a disk below its export (it refuses tmpfs), rpcbind, and memory
that it may pin without limit.  All that it writes lies in the guest's memory and goes with it.
Started once more, after its death, it finds the same files.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Final

from targets.lab.errors import LabError
from targets.lab.export import fill_export
from targets.lab.guest import INSIDE
from targets.lab.step import run_step

HERE: Final = Path(__file__).parent
BUILD: Final = HERE / "built"
"""The link that build.py leaves: to the build that is run."""

_PLACE: Final = Path("/run/nfs-ganesha")
_STATE: Final = Path("/run/nfs-ganesha-state")
_EXPORT: Final = Path("/srv/export")
_DISK: Final = Path("/run/nfs-ganesha.ext4")
_DISK_SIZE: Final = "64m"


def main() -> int:
    """Become the server; only a failure returns."""
    try:
        _must_be_the_lab()
        _link_build()
        if not _EXPORT.is_mount():
            _make_disk()
        _prepare()
    except (LabError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    os.environ["LD_LIBRARY_PATH"] = str(_PLACE / "lib")
    configuration = str(HERE / "ganesha.conf")
    program = str(_PLACE / "ganesha.nfsd")
    pid = "/run/nfs-ganesha.pid"
    words = [program, "-F", "-f", configuration, "-L", "STDERR", "-p", pid]
    return os.execv(program, words)  # noqa: S606  (there is no shell to start it by)


def _must_be_the_lab() -> None:
    """It mounts, and changes limits: nothing for a machine that stays."""
    if INSIDE not in os.environ:
        raise LabError("starting nfs-ganesha", "this is not the lab", "use `rpcrdma certify`")


def _link_build() -> None:
    """Give the build the name by which ganesha.conf calls it."""
    if not (BUILD / "ganesha.nfsd").exists():
        cause = f"there is no build in {BUILD}"
        raise LabError("starting nfs-ganesha", cause, f"run `python {HERE / 'build.py'}`")
    if not _PLACE.is_symlink():
        _PLACE.symlink_to(BUILD.resolve())


def _make_disk() -> None:
    """Mount a file system of ext4 in a file, with the suite's tree."""
    step = "making the exported file system"
    # The tree's symbolic link takes blocks of 4 KiB.
    format_it = ["mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", str(_DISK), _DISK_SIZE]
    run_step(step, format_it, "install e2fsprogs")
    for module in ("loop", "ext4"):
        run_step(step, ["modprobe", module], "the kernel needs loop and ext4")
    _EXPORT.mkdir(parents=True, exist_ok=True)
    run_step(step, ["mount", "-o", "loop", str(_DISK), str(_EXPORT)])
    fill_export(_EXPORT)


def _prepare() -> None:
    _STATE.mkdir(exist_ok=True)
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_MEMLOCK, unlimited)
    if subprocess.run(["rpcinfo", "-p"], capture_output=True, check=False).returncode:
        run_step("starting rpcbind", ["rpcbind", "-w"], "install rpcbind")


if __name__ == "__main__":
    sys.exit(main())
