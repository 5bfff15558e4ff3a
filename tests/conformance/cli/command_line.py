"""A command as the tests give it, and what it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cli.main import BAD_INPUT, main

if TYPE_CHECKING:
    import pytest

# A scenario with several variants, the first of which is [0].
CASE = "rfc8166/3.3.1/responder-never-grants-zero-credits"
REQUIREMENT = "rfc8166.3.3.1.grant-is-never-zero"

PROFILE = """
name = "mine"
adapter = "reference"
binding = "testprog"
[claims]
roles = ["responder"]
versions = [1]
[extra]
address = "127.0.0.1"
port = 0
program = 0x20008166
program_version = 1
"""


def run(*words: str) -> int:
    """The exit status, wherever it comes from."""
    try:
        return main(words)
    except SystemExit as end:
        return int(end.code or 0)


def refused(capsys: pytest.CaptureFixture[str], *words: str, status: int = BAD_INPUT) -> str:
    """What a command says when it refuses: one line on standard error, and the status."""
    assert run(*words) == status
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("rpcrdma")
    return said.err
