"""`rpcrdma explore` where the lab is needed; see explore/test_explore.py for the rest."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from conformance.cli import explore
from conformance.cli.main import main
from targets.lab.lab import Ending, LabRun

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_target_that_needs_a_device_is_explored_in_the_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[LabRun] = []

    def run_in_lab(run: LabRun, _listener: object) -> SimpleNamespace:
        asked.append(run)
        return SimpleNamespace(ending=Ending.EXITED, status=1)

    monkeypatch.setattr(explore, "is_native", lambda: False)
    monkeypatch.setattr(explore, "run_in_lab", run_in_lab)

    status = main(
        ["explore", "linux-server", "--time", "9", "--seed", "4", "--output", str(tmp_path)]
    )

    assert status == 1
    (run,) = asked
    command = run.setup.command
    assert command[3:7] == ("explore", "linux-server", "--time", "9.0")
    assert command[command.index("--seed") + 1] == "4"
    assert run.writable == (tmp_path,)
