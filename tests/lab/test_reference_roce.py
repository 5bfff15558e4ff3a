"""The reference in a process of its own, reached by RoCEv2 over UDP, as an ordinary user does it.

No RDMA device, no driver, and no privilege: where the tests run as root, the suite and the device
are started without any capability.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conformance.cli.main import main
from reports.record import Verdict
from reports.stream import read_run

if TYPE_CHECKING:
    from pathlib import Path

WORKERS = "4"
"""Mostly they wait: for a grace period in which nothing may come."""

DEADLINE = 600.0
UNPRIVILEGED = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


def verdicts(folder: Path) -> dict[str, Verdict]:
    return {case.id: case.verdict for case in read_run(folder / "records.jsonl").cases}


@pytest.mark.parametrize("target", ["reference", "reference-client"])
def test_verdicts_over_packets_are_those_of_loopback(target: str, tmp_path: Path) -> None:
    """In all documents; what needs packets to be lost is N/A on loopback, and passes here."""
    loopback, roce = tmp_path / "loopback", tmp_path / "roce"
    assert main(["certify", target, "-n", "2", "--output", str(loopback)]) == 0
    command = [sys.executable, "-m", "conformance.cli.main", "certify", target, "-n", WORKERS]
    command += ["--fabric", "roce", "--output", str(roce)]
    if os.getuid() == 0:
        command = [*UNPRIVILEGED, *command]

    subprocess.run(command, check=True, timeout=DEADLINE)

    simulated, real = verdicts(loopback), verdicts(roce)
    packets = {case for case, verdict in simulated.items() if verdict is Verdict.NA}
    assert {case: real[case] for case in simulated if case not in packets} == {
        case: verdict for case, verdict in simulated.items() if case not in packets
    }
    assert {real[case] for case in packets} == {Verdict.PASS, Verdict.NA}
