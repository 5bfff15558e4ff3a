"""`rpcrdma ping` as it is typed."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from conformance.cli.main import main


@pytest.fixture
def server() -> str:
    """The reference as a server over UDP, at an address that no other test takes."""
    number = os.getpid()
    host = f"127.{64 + (number >> 16 & 0x1F)}.{number >> 8 & 0xFF}.{number & 0x7F or 1}"
    command = [sys.executable, "-m", "targets.reference.server_process", "--fabric", "roce"]
    process = subprocess.Popen(
        [*command, "--listen", f"{host}:20049"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.communicate(timeout=30)


def test_server_that_is_there_answers_in_one_line(
    server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Version, credits, private data, times; exit status 0."""
    status = main(["ping", server])

    output = capsys.readouterr().out
    assert status == 0
    assert re.fullmatch(
        rf"{server}: RPC-over-RDMA version 1, \d+ credits, .*; NULL: SUCCESS in \d+\.\d\d ms,"
        r" connected in \d+\.\d\d ms\n",
        output,
    )


def test_port_at_which_nobody_listens_is_told(
    server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The host answers, with a rejection; exit status 1."""
    host = server.partition(":")[0]

    assert main(["ping", f"{host}:9"]) == 1
    assert f"rpcrdma ping: {host}:9: nobody listens (over roce" in capsys.readouterr().err


def test_host_that_does_not_answer_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """There is a way to it, and nobody; exit status 1."""
    assert main(["ping", "127.96.1.1", "--timeout", "0.3"]) == 1
    assert "rpcrdma ping: no answer from 127.96.1.1:20049" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["server.example"], "is no IP address"),
        (["127.0.0.1", "--timeout", "0"], "give a number of seconds above 0"),
    ],
)
def test_bad_input_gets_one_sentence(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2, and no traceback."""
    try:
        status = main(["ping", *words])
    except SystemExit as stopped:
        status = int(str(stopped.code))

    captured = capsys.readouterr().err
    assert status == 2
    assert sentence in captured
    assert captured.count("\n") == 1
