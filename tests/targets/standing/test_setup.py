"""What the guest is told survives the way to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from targets.lab.setup import LabServer, Network, ServerKind
from targets.standing.setup import StandingSetup

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_recorded_is_read_back(tmp_path: Path) -> None:
    setup = StandingSetup(
        LabServer(ServerKind.COMMAND, ("serve", "--now"), 4711, "/export", 3.0),
        (Network("", "10.9.0.7", 16, "rxe7", 1500), Network("")),
        {"PATH": "/bin"},
        stays=True,
    )
    file = tmp_path / "setup.json"
    file.write_text(json.dumps(setup.record()))
    assert StandingSetup.read(file) == setup
