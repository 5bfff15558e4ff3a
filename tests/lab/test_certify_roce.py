"""The kernel's server and client in a guest, judged from outside of it, against the baselines.

The tester speaks RoCEv2 by itself: none of this needs an RDMA device, a driver or root here.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.cli.main import main

RESULTS = Path(__file__).parents[2] / "results" / "linux-6.1"

RUNS = {
    "linux-server": "baseline.toml",
    "linux-server-nfs3": "baseline-nfs3.toml",
    "linux-client": "baseline-client.toml",
}


@pytest.mark.parametrize("target", RUNS)
def test_verdicts_are_those_of_the_baseline(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every case that can be run by default; a difference is a line of the output."""
    status = main(
        ["certify", target, "--baseline", str(RESULTS / RUNS[target]), "--output", str(tmp_path)]
    )

    output = capsys.readouterr().out
    with capsys.disabled():
        sys.stdout.write("\n".join(("", *output.splitlines()[-5:], "")))
    assert status == 0, output
    assert "over roce qemu" in output
