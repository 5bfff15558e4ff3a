"""The example of a server that the lab starts, certified by a few cases."""

from __future__ import annotations

from pathlib import Path

from conformance.cli.main import main
from reports.record import Verdict
from reports.stream import read_run

PROFILE = Path(__file__).parents[2] / "targets" / "examples" / "server_in_lab" / "profile.toml"


def test_a_server_that_the_lab_starts_is_certified(tmp_path: Path) -> None:
    output = tmp_path / "run"

    status = main(["certify", str(PROFILE), "--section", "4.5.1", "--output", str(output)])

    assert status == 0
    assert {case.verdict for case in read_run(output / "records.jsonl").cases} == {Verdict.PASS}
