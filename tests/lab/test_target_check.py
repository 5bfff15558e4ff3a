"""Profiles are tried in the lab before anything is judged: the kernel's ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli.main import main

PROFILES = Path(__file__).parents[2] / "targets" / "profiles"


@pytest.mark.parametrize(
    ("profile", "last"),
    [
        ("linux-server.toml", "file size-1048576: READ"),
        ("linux-client.toml", "act disconnect: done"),
    ],
)
def test_everything_that_is_tried_works(
    profile: str, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["target", "check", str(PROFILES / profile)]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("ok ") for line in lines[1:])
    assert last in lines[-1]
