"""The kernel's NFS server in the guest: versions 3 and 4.0, over RDMA and over TCP.

Everything that it writes lies on file systems in memory.  The grace periods, nfsd's own and that of
the lock manager of version 3, in which nothing is given out that could be a reclaim of an earlier
life, are ended at once: there was no earlier life.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.step import await_step, begin_step, run_step, write_step

if TYPE_CHECKING:
    from collections.abc import Callable

    from targets.lab.setup import LabServer
    from targets.lab.step import BegunStep

__all__ = [
    "EXPORT_OPTIONS",
    "begin_nfsd",
    "exports_line",
    "finish_nfsd",
    "restart_nfsd",
    "start_nfsd",
    "stop_nfsd",
]

_CONTROL: Final = Path("/proc/fs/nfsd")
_LOCK_CONTROL: Final = Path("/proc/fs/lockd")
"""While lockd's grace period lasts, fifty seconds, nfsd gives no delegation (nfs4state.c, 6.1)."""

_STATE: Final = Path("/var/lib/nfs")
_MOUNT_PORT: Final = 20048
"""TCP port of MOUNT, which is the one that is registered for it; profiles assume the same."""

_GRACE_S: Final = "10"
"""Seconds of nfsd's grace period, where it cannot be ended: the fewest that the kernel takes."""

_TESTERS_THREADS: Final = 64
"""As many as the calls that one connection can have under way (its credits): svcrdma lets a thread
sleep until its error message has left (6.1), so a tester that takes no answers can hold as many
threads as it has messages."""

_MORE_THREADS: Final = 8
"""The others, which must still be able to close that connection."""

_INSTALL: Final = "install nfs-kernel-server and rpcbind"


def start_nfsd(server: LabServer, fill: Callable[[Path], None]) -> None:
    """Export a file tree, start the server's threads and make it listen on RDMA.

    Args:
        server: port and exported folder.
        fill: makes the file tree in the folder.

    Raises:
        LabError: a step failed.
    """
    with begin_nfsd(server) as threads:
        finish_nfsd(server, threads, fill)


def begin_nfsd(server: LabServer, testers: int = 1) -> BegunStep:
    """Mount what it writes to, and begin to start its threads: enough for so many testers at once.

    The kernel waits a second for nfsdcld, which is not there (fs/nfsd/nfs4recover.c, 6.1), and
    meanwhile there is else to do.
    """
    step = "starting nfsd"
    export = Path(server.export)
    export.mkdir(parents=True, exist_ok=True)
    for folder in (_STATE, export):
        run_step(step, ["mount", "-t", "tmpfs", "tmpfs", str(folder)])
    for name in ("v4recovery", "rpc_pipefs", "sm", "nfsdcltrack"):
        (_STATE / name).mkdir()
    for name in ("etab", "rmtab", "state"):
        (_STATE / name).touch()
    if not (_CONTROL / "portlist").exists():
        run_step(step, ["mount", "-t", "nfsd", "nfsd", str(_CONTROL)], "the kernel needs nfsd")
    run_step("starting rpcbind", ["rpcbind", "-w"], _INSTALL)
    return _begin_threads(testers)


def finish_nfsd(server: LabServer, threads: BegunStep, fill: Callable[[Path], None]) -> None:
    """Export what `fill` makes, and listen on RDMA when the threads are there."""
    export = Path(server.export)
    fill(export)
    run_step("exporting", ["exportfs", "-i", "-o", EXPORT_OPTIONS, f"*:{export}"], _INSTALL)
    run_step("starting mountd", ["rpc.mountd", "-p", str(_MOUNT_PORT)], _INSTALL)
    _listen(threads, server.port)


def restart_nfsd(port: int, testers: int = 1) -> None:
    """End the server's threads, whatever they do, and start new ones that listen on RDMA again.

    The exports, mountd and rpcbind stay.

    Args:
        port: where to listen.
        testers: how many there can be at one time.

    Raises:
        LabError: a thread does not end in time (the kernel waits for each), or a step failed.
    """
    stop_nfsd()
    with _begin_threads(testers) as threads:
        _listen(threads, port)


def stop_nfsd() -> None:
    """End the server's threads, whatever they do.

    Raises:
        LabError: a thread does not end in time (the kernel waits for each).
    """
    run_step("stopping nfsd", ["rpc.nfsd", "0"], _INSTALL)


def _begin_threads(testers: int) -> BegunStep:
    threads = testers * _TESTERS_THREADS + _MORE_THREADS
    write_step("shortening nfsd's grace period", _CONTROL / "nfsv4gracetime", _GRACE_S)
    return begin_step("starting nfsd", ["rpc.nfsd", str(threads)], _INSTALL)


def _listen(threads: BegunStep, port: int) -> None:
    """The listener on RDMA goes with the last thread, so it is made each time."""
    threads.finish()
    remedy = "the kernel needs rpcrdma, and a device whose link is up"
    write_step("making nfsd listen on RDMA", _CONTROL / "portlist", f"rdma {port}", remedy)
    write_step("ending lockd's grace period", _LOCK_CONTROL / "nlm_end_grace", "Y")
    step, grace = "ending nfsd's grace period", _CONTROL / "v4_end_grace"
    # Linux 7.3 refuses where nobody keeps a list of clients (nfsdcld is not there); then the period
    # ends by itself, soon.
    write_step(step, grace, "Y", may_be_busy=True)
    await_step(step, grace, "Y")  # a worker of the kernel's does it some time later


# insecure: the tester's source port is not below 1024.  fsid=0: the root of version 4's name space,
# and tmpfs has no identity of its own.  sys:none: AUTH_NONE is what some cases must send.
EXPORT_OPTIONS: Final = "rw,async,insecure,no_root_squash,no_subtree_check,fsid=0,sec=sys:none"
"""Of the export; the flavors are at their end, so that others may follow."""


def exports_line(export: str) -> str:
    """The same export as a line for /etc/exports, for a host that is prepared by hand."""
    return f"{export} *({EXPORT_OPTIONS})"
