"""`rpcrdma dev selfcheck`: what is planted is found, and what is not found is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.cli.main import main
from fuzz import cli_selfcheck
from fuzz.campaign import Result
from fuzz.pulse import Pulse

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
