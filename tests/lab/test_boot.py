"""The lab itself: a real kernel boots, serves NFS over Soft-RoCE, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

from targets.lab.lab import Ending, LabRun, run_in_lab
from targets.lab.setup import GuestSetup, LabServer, ServerKind

MOUNT_AND_COMPARE = """
rdma link
cat /proc/fs/nfsd/portlist
mount -t nfs -o vers=4.0,proto=rdma,port=20049 10.9.0.1:/ /mnt
cmp /mnt/size-1048576 /srv/export/size-1048576 && echo same content
python -c 'import pyverbs.cmid; print("pyverbs is there")'
exit 3
"""


def running_machines(job: Path) -> list[str]:
    """Command lines of processes that name the job's folder."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = file.read_bytes().replace(b"\0", b" ").decode()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if str(job) in line and "qemu" in line:
            found.append(line)
    return found


def test_the_guest_serves_nfs_over_rdma_and_tells_the_commands_status(tmp_path: Path) -> None:
    lines: list[str] = []
    setup = GuestSetup(("sh", "-c", MOUNT_AND_COMPARE), "/")
    result = run_in_lab(LabRun(setup, 180, job=tmp_path), lines.append)
    assert (result.ending, result.status) == (Ending.EXITED, 3), lines
    assert "rdma 20049" in lines
    assert "same content" in lines
    assert "pyverbs is there" in lines
    assert running_machines(tmp_path) == []


def test_a_panic_of_the_guest_is_told_as_one(tmp_path: Path) -> None:
    setup = GuestSetup(
        ("sh", "-c", "echo c >/proc/sysrq-trigger"), "/", server=LabServer(ServerKind.NONE)
    )
    result = run_in_lab(LabRun(setup, 120, job=tmp_path), lambda line: None)
    assert result.ending is Ending.PANIC
    assert "sysrq triggered crash" in result.describe()


def test_the_deadline_ends_the_machine(tmp_path: Path) -> None:
    setup = GuestSetup(("sleep", "1000"), "/", server=LabServer(ServerKind.NONE))
    result = run_in_lab(LabRun(setup, 40, job=tmp_path), lambda line: None)
    assert result.ending is Ending.DEADLINE
    assert running_machines(tmp_path) == []
