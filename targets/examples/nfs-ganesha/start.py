"""Starts nfs-ganesha in the lab's guest: `[lab] start` of the profiles beside this file.

The server wants rpcbind, and memory that it may pin without limit.  Its files are those that the
lab has made (`[lab] files`); started once more, after its death, it finds the same.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Final

from targets.lab.errors import LabError
from targets.lab.guest import INSIDE
from targets.lab.step import run_step

HERE: Final = Path(__file__).parent
BUILD: Final = HERE / "built"
"""The link that build.py leaves: to the build that is run."""

_PLACE: Final = Path("/run/nfs-ganesha")
_STATE: Final = Path("/run/nfs-ganesha-state")


def main() -> int:
    """Become the server; only a failure returns."""
    try:
        _must_be_the_lab()
        _link_build()
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
    """It changes limits, and starts a daemon: nothing for a machine that stays."""
    if INSIDE not in os.environ:
        raise LabError("starting nfs-ganesha", "this is not the lab", "use `rpcrdma certify`")


def _link_build() -> None:
    """Give the build the name by which ganesha.conf calls it."""
    if not (BUILD / "ganesha.nfsd").exists():
        cause = f"there is no build in {BUILD}"
        raise LabError("starting nfs-ganesha", cause, f"run `python {HERE / 'build.py'}`")
    if not _PLACE.is_symlink():
        _PLACE.symlink_to(BUILD.resolve())


def _prepare() -> None:
    _STATE.mkdir(exist_ok=True)
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_MEMLOCK, unlimited)
    if subprocess.run(["rpcinfo", "-p"], capture_output=True, check=False).returncode:
        run_step("starting rpcbind", ["rpcbind", "-w"], "install rpcbind")


if __name__ == "__main__":
    sys.exit(main())
