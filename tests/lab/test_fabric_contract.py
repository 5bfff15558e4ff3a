"""The fabrics' contract holds on a real device as it does on loopback."""

from __future__ import annotations

import sys
from pathlib import Path

from targets.lab.lab import Ending, LabRun, run_in_lab
from targets.lab.setup import GuestSetup, LabServer, Network, ServerKind

CONTRACT = Path(__file__).parents[1] / "fabric_contract"


def test_the_contract_holds_over_soft_roce() -> None:
    command = (sys.executable, "-m", "pytest", "-q", "--fabric", "verbs", str(CONTRACT))
    setup = GuestSetup(
        (*command, "-p", "no:cacheprovider"),
        str(CONTRACT.parents[1]),
        environment={"RPCRDMA_TEST_ADDRESS": Network().address},
        server=LabServer(ServerKind.NONE),
    )
    lines: list[str] = []
    result = run_in_lab(LabRun(setup, 300), lines.append)
    assert (result.ending, result.status) == (Ending.EXITED, 0), lines
