"""What runs inside the lab's guest: `python -m targets.lab.guest SETUP.json`.

It sets up network, device and server, runs the command, and reports into the job folder.  It is
meant for a machine that is thrown away afterwards: it changes network, mounts and services, so it
refuses to run outside the lab.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

from targets.lab.errors import LabError
from targets.lab.export import fill_export
from targets.lab.export_disk import mount_export
from targets.lab.kept import keeping
from targets.lab.kernel import REQUIRED_MODULES
from targets.lab.nfsd import start_nfsd
from targets.lab.rxe import add_device, load_modules, set_up_interface
from targets.lab.server import running_server
from targets.lab.setup import GuestReport, GuestSetup, ServerKind, Stage
from targets.lab.trace import recording

__all__ = ["INSIDE", "main"]

INSIDE: Final = "RPCRDMA_LAB"
"""Set in the guest's environment: there is no need to boot another one."""

_STANDARD_FILES: Final = ("stdin", "stdout", "stderr")

_NOT_FOUND: Final = 127
_SIGNALLED: Final = 128


def main(arguments: list[str]) -> int:
    """Set the guest up and run the command; the exit status is the command's."""
    setup_file = Path(arguments[0])
    job = setup_file.parent
    setup = GuestSetup.read(setup_file)
    try:
        prepare(setup)
        if setup.server.has_tree and setup.server.kind is ServerKind.COMMAND:
            export = Path(setup.server.export)
            mount_export(export, setup.shares)
            fill_export(export)
        with (
            running_server(setup.server, job / "server.log") as server,
            keeping(server, Path("/run/rpcrdma-server"), setup.server.ready_s),
            recording(setup.trace, job),
        ):
            ready_s = _uptime()
            GuestReport(Stage.READY, ready_s=ready_s).write(job)
            status = run_command(setup)
    except LabError as error:
        GuestReport(Stage.SETUP_FAILED, None, error.step, error.cause, error.remedy).write(job)
        return 1
    GuestReport(Stage.DONE, status, ready_s=ready_s).write(job)
    return status


def prepare(setup: GuestSetup) -> None:
    """Network, device, and the kernel's server if that is the one.

    Raises:
        LabError: a step failed.
    """
    if INSIDE not in os.environ:
        raise LabError("setting up the guest", "this is not the lab", "use `rpcrdma lab run`")
    _own_standard_files()
    load_modules(REQUIRED_MODULES)
    set_up_interface(setup.network)
    add_device(setup.network)
    if setup.server.kind is ServerKind.NFSD:
        start_nfsd(setup.server, fill_export)


def _own_standard_files() -> None:
    """Have the names of standard files mean those of whoever opens them, as on any Linux.

    virtme-ng makes two of them the port on which the suite hears what its command says: a server
    that logs to /dev/stdout would talk in between.
    """
    for number, name in enumerate(_STANDARD_FILES):
        path = Path("/dev") / name
        path.unlink(missing_ok=True)
        path.symlink_to(f"/proc/self/fd/{number}")


def run_command(setup: GuestSetup) -> int:
    """Run the command with the guest's own standard output; what a shell would return."""
    environment = {**os.environ, **setup.environment}
    command = list(setup.command)
    if setup.interactive:
        # The port to the host is no terminal; util-linux's script makes one and copies both ways.
        command = ["script", "--quiet", "--return", "--command", shlex.join(command), "/dev/null"]
    try:
        ended = subprocess.run(command, cwd=setup.folder, env=environment, check=False)
    except OSError as error:
        sys.stdout.write(f"{error.filename}: {error.strerror}\n")
        return _NOT_FOUND
    return ended.returncode if ended.returncode >= 0 else _SIGNALLED - ended.returncode


def _uptime() -> float:
    return float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
