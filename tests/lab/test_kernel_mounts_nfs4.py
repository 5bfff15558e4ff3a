"""The kernel's client mounts the reference server by NFSv4.0 and NFSv4.1 over Soft-RoCE."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from rpcrdma.ulp.file_tree import DIRECTORY, LINK, file_of_size
from targets.lab.lab import Ending, LabRun, run_in_lab
from targets.lab.setup import GuestSetup, LabServer, Network, ServerKind

SCRIPT = Path(__file__).with_name("mount_nfs4.sh")
ROOT = Path(__file__).parents[2]
PORT = 20050
VERSIONS = ("4.0", "4.1")


def digest(content: bytes) -> str:
    return f"{hashlib.sha256(content).hexdigest()}  -"


def expected(version: str) -> list[str]:
    """What the script says of one mount."""
    content = file_of_size(65536).content
    return [
        f"{version} entries {len(DIRECTORY.entries)}",
        f"{version} stat 4096 444 regular file",
        f"{version} link {digest(LINK.target.encode() + bytes([10]))}",
        *(
            f"{version} size-{size} {digest(file_of_size(size).content)}"
            for size in (0, 1000, 1048576)
        ),
        f"{version} copied same",
        f"{version} symbol somewhere/else",
        f"{version} moved 300000 600 2",
        f"{version} cut 5",
        f"{version} gone 0",
        f"{version} readers 1 {digest(content)}",
        f"{version} unmounted",
    ]


def test_the_kernel_mounts_reads_writes_and_unmounts_by_both_minor_versions() -> None:
    address = Network().address
    command = ("bash", str(SCRIPT), sys.executable, address, str(PORT), *VERSIONS)
    setup = GuestSetup(command, str(ROOT), server=LabServer(ServerKind.NONE))
    lines: list[str] = []

    result = run_in_lab(LabRun(setup, 300), lines.append)

    said = [line for line in lines if line.startswith(VERSIONS)]
    assert said == [line for version in VERSIONS for line in expected(version)], lines
    assert (result.ending, result.status) == (Ending.EXITED, 0), lines
