"""`rpcrdma dev selfcheck`: what is planted is found, and what is not found is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.cli.main import main
from fuzz import cli_selfcheck
from fuzz.campaign import Result
from fuzz.pulse import Pulse
from fuzz.structure.compare import Run

if TYPE_CHECKING:
    from pathlib import Path


class Blind:
    """A campaign that finds nothing."""

    def __init__(self, *_settings: object, **_named: object) -> None:
        pass

    def run(self, _progress: object) -> Result:
        return Result(Pulse(executions=7), ())


def test_a_bug_that_is_not_found_fails_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli_selfcheck, "Campaign", Blind)

    assert main(["dev", "selfcheck", "--time", "1", "--findings", str(tmp_path)]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(cli_selfcheck.PLANTED)
    assert all(": NOT FOUND by " in line for line in lines)


def test_no_time_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["dev", "selfcheck", "--time", "0"])

    assert ended.value.code == 2
    assert "argument --time" in capsys.readouterr().err


def test_the_comparison_runs_both_ways_and_is_written_as_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[tuple[str, str, int, int, bool]] = []

    def fake(harness: str, subject: str, executions: int, seed: int, *, raw: bool) -> Run:
        ran.append((harness, subject, executions, seed, raw))
        return Run(found=not raw, executions=7, seconds=1.0, blocks=50)

    monkeypatch.setattr(cli_selfcheck, "run_once", fake)
    monkeypatch.setattr(cli_selfcheck, "_PAGE", tmp_path / "fuzzing" / "README.md")
    many = ["dev", "selfcheck", "--compare", "--executions", "9", "--seeds", "2", "--write"]

    assert main(many) == 0

    bugs = [name for name, (where, _) in cli_selfcheck.PLANTED.items() if where.endswith("header")]
    assert len(ran) == len(set(ran)) == 4 * (len(bugs) + 2)
    text = (tmp_path / "fuzzing" / "README.md").read_text("utf-8")
    assert text in capsys.readouterr().out
    assert all(f"| {name} | v" in text for name in bugs)
