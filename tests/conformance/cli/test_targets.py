"""`rpcrdma targets`: every device that there is to test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.conformance.cli.command_line import REQUIREMENT, run

if TYPE_CHECKING:
    import pytest


def test_targets_lists_profiles_mutants_and_adapters(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("targets") == 0

    lines = capsys.readouterr().out.splitlines()
    place = lines.index("  mutant:grants-zero")
    assert lines[place + 1].strip() == "Grants no credit in any reply."
    assert lines[place + 2].strip() == f"breaks {REQUIREMENT}"
    assert any(line.startswith("  linux-server ") for line in lines)
    assert "  leak:keeps-a-region-of-each-connection" in lines
    adapters = lines[lines.index("adapters that a profile may name:") :]
    assert {"network", "command", "reference"} <= {line.split()[0] for line in adapters[1:]}
    assert any(line.endswith("targets.reference.server:ReferenceTarget") for line in lines)
