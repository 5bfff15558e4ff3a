from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.bad_input import BadInput
from fuzz.differential import tshark
from fuzz.differential.tshark import FIELDS, Dissected, dissect

if TYPE_CHECKING:
    from collections.abc import Callable

LAYERS = (
    {
        "frame.protocols": ["eth:ip:udp:infiniband:rpcordma:rpc"],
        "rpcordma.xid": ["0x00005eed"],
        "rpcordma.msg_type": ["0"],
    },
    {"frame.protocols": ["eth:ip:udp:infiniband:data"]},
    {"frame.protocols": ["eth:ip:udp:infiniband:rpcordma"], "_ws.malformed": ["x"]},
)


def ran(monkeypatch: pytest.MonkeyPatch, program: Callable[[list[str]], Any]) -> None:
    monkeypatch.setattr(tshark.subprocess, "run", lambda command, **_: program(command))


def test_one_run_reads_the_capture_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[list[str]] = []

    def program(command: list[str]) -> subprocess.CompletedProcess[str]:
        runs.append(command)
        assert Path(command[3]).stat().st_size > 0
        packets = [{"_source": {"layers": layers}} for layers in LAYERS]
        return subprocess.CompletedProcess(command, 0, json.dumps(packets), "")

    ran(monkeypatch, program)

    first, second, third = dissect([b"abcd", b"efgh", b"ijkl"])

    assert len(runs) == 1
    assert (first.recognised, first.malformed) == (True, False)
    assert set(first.fields) == set(FIELDS)
    assert (first.fields["xid"], first.fields["msg_type"]) == ((0x5EED,), (0,))
    assert second == Dissected(recognised=False, fields=dict.fromkeys(FIELDS, ()))
    assert third.malformed


def test_a_machine_without_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(BadInput, match="tshark is missing: apt-get install tshark"):
        dissect([b"abcd"])


def test_what_it_says_of_a_capture_that_it_cannot_read_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = "Running as root.\ntshark: the file is none"
    ran(monkeypatch, lambda command: subprocess.CompletedProcess(command, 2, "", said))

    with pytest.raises(BadInput, match="has not read the capture: tshark: the file is none"):
        dissect([b"abcd"])


def test_it_does_not_read_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(command: list[str]) -> None:
        raise subprocess.TimeoutExpired(command, 300)

    ran(monkeypatch, program)

    with pytest.raises(BadInput, match="within 300 s"):
        dissect([b"abcd"])
