"""`rpcrdma compare`, from two runs to a table, a file and an exit status."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from conformance.cli.main import main
from conformance.suite.runner import RECORDS, certify
from conformance.suite.selection import Selection
from targets.registry import find_target

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CASE = "rfc8166/3.3.1/responder-never-grants-zero-credits"


def test_runs_that_differ_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("reference", "mutant:grants-zero"):
        certify(find_target(name), Selection(cases=(CASE,)), tmp_path / name)
    good, bad = str(tmp_path / "reference"), str(tmp_path / "mutant:grants-zero" / RECORDS)
    data = tmp_path / "runs.json"

    assert main(["compare", good, good]) == 0
    assert main(["compare", good, bad, "--json", str(data)]) == 1

    assert "Other verdicts" in capsys.readouterr().out
    assert json.loads(data.read_text())["differences"][0]["case"].startswith(CASE)
