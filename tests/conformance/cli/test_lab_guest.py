"""Which guest the options of `rpcrdma lab run` ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.cli import lab as command
from conformance.cli.main import main
from targets.lab.resources import Resources
from targets.lab.setup import LabServer, ServerKind
from tests.conformance.cli.fake_lab import FakeLab

if TYPE_CHECKING:
    from targets.lab.lab import LabRun


def lab(*words: str) -> int:
    return main(["lab", *words])


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[LabRun]:
    """Runs that were asked for."""
    made = FakeLab(status=0)
    monkeypatch.setattr(command, "run_in_lab", made.run)
    monkeypatch.setattr(command, "is_native", lambda: False)
    return made.asked


def test_a_profile_says_which_server_and_for_how_long_it_may_start(
    requests: list[LabRun],
) -> None:
    profile = "targets/examples/server_in_lab/profile.toml"
    lab("run", "--server", profile, "true")
    lab("run", "--server", profile, "--ready", "7", "true")
    assert [run.setup.server.ready_s for run in requests] == [180.0, 7.0]
    assert {run.setup.server.command[0] for run in requests} == {"sh"}


def test_the_guest_is_given_what_the_profile_and_the_options_say(
    requests: list[LabRun], tmp_path: Path
) -> None:
    text = Path("targets/examples/server_in_lab/profile.toml").read_text(encoding="utf-8")
    profile = tmp_path / "own.toml"
    profile.write_text(text + 'memory = "512M"\nprocessors = 3\nparameters = ["quiet"]\n')
    lab("run", "--server", str(profile), "true")
    lab("run", "--server", str(profile), "--memory", "1G", "--parameter", "nosmt", "true")
    assert requests[0].resources == Resources(512, 3, ("quiet",))
    assert requests[1].resources == Resources(1024, 3, ("quiet", "nosmt"))


def test_a_command_may_be_given_longer_to_listen(requests: list[LabRun]) -> None:
    lab("run", "--server", "./server", "--ready", "300", "true")
    assert requests[0].setup.server == LabServer(ServerKind.COMMAND, ("./server",), ready_s=300.0)
