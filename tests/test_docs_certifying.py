"""The guide to a first report is typed as it stands, in its order."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.cli.main import main
from targets.profile_draft import KINDS
from targets.reference.device_process import stop_process

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "docs" / "certifying.md").read_text()

OWN = f"127.{20 + os.getpid() // 250 % 200}.{os.getpid() % 250}"
"""The first three octets of addresses that no other process of the tests uses."""


def typed() -> list[str]:
    """The lines that a reader types."""
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@pytest.mark.long
def test_every_command_of_the_guide_does_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    servers: list[subprocess.Popen[str]] = []
    ends: dict[str, int] = {}
    try:
        for line in typed():
            words = shlex.split(line.replace("127.77.0", OWN), comments=True)
            if words[:2] == ["python", "-m"] and "venv" not in words:
                server = subprocess.Popen(
                    [sys.executable, *words[1:]],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                servers.append(server)
                assert server.stdout is not None
                assert server.stdout.readline().startswith(OWN)
            elif words[0] == "rpcrdma":
                ends[line] = main(words[1:])
    finally:
        for server in servers:
            stop_process(server)

    assert len(servers) == 1
    assert len(ends) >= 10
    assert {line: end for line, end in ends.items() if end != ("ends with 1" in line)} == {}
    assert (tmp_path / "second" / "statement.html").is_file()


def test_the_guide_has_every_kind_of_device() -> None:
    assert set(re.findall(r"^\| [^|]+ \| `([a-z][a-z-]*)` \|", GUIDE, re.MULTILINE)) == {
        *KINDS,
        "parser",
    }


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", GUIDE))))
def test_link_of_the_guide_leads_somewhere(link: str) -> None:
    assert (ROOT / "docs" / link).exists()
