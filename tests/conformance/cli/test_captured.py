"""`rpcrdma decode FILE.pcapng`: which messages of a capture are shown, and how."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from reports.capture.pcapng import write_pcapng
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent
from tests.conformance.cli.command_line import refused, run

if TYPE_CHECKING:
    from pathlib import Path

GOOD = bytes.fromhex("00000011" + "00000001" + "00000008" + "00000000" * 4)
BAD = bytes.fromhex("00000022" + "00000001" + "00000008" + "00000000" + "00000007")
"""A flag of the Read list that is neither 0 nor 1."""


@pytest.fixture
def capture(tmp_path: Path) -> str:
    """A message on each of two connections; the second is refused."""
    events = [
        TraceEvent(0.0, number, side, EventKind.CONNECT)
        for number in (1, 2)
        for side in (Side.LOCAL, Side.PEER)
    ]
    events += [
        TraceEvent(0.5, 1, Side.LOCAL, EventKind.SEND, GOOD),
        TraceEvent(0.75, 2, Side.PEER, EventKind.SEND, BAD),
    ]
    write_pcapng(Trace(events, epoch=1_764_000_000.0), tmp_path / "case.pcapng")
    return str(tmp_path / "case.pcapng")


def test_every_message_is_shown_with_time_direction_and_connection(
    capture: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("decode", capture) == 0

    first, second = capsys.readouterr().out.rstrip().split("\n\n")
    place = "frame 7, 2025-11-24T16:00:00.500000+00:00, connection 1"
    assert first.splitlines()[:2] == [
        f"{place}, 192.0.2.1 -> 192.0.2.2, from the client",
        "28 octets, xid 0x00000011, version 1, credits 8, RDMA_MSG, no payload",
    ]
    assert "     8    rdma_credit: 8" in first.splitlines()
    assert "connection 2, 192.0.2.2 -> 192.0.2.1, from the server\n" in second
    assert "    16  stops here: rdma_body.rdma_reads[0]: " in second


@pytest.mark.parametrize(
    "option", [("--xid", "0x22"), ("--xid", "34"), ("--connection", "2")], ids=" ".join
)
def test_one_message_can_be_asked_for(
    option: tuple[str, str], capture: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("decode", capture, *option, "--json") == 0

    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    assert (found["frame"], found["connection"], found["sender"]) == (8, 2, "server")
    assert found["time"] == "2025-11-24T16:00:00.750000+00:00"
    assert bytes.fromhex(found["octets"]) == BAD
    assert (found["error"]["offset"], found["error"]["path"]) == (16, "rdma_body.rdma_reads[0]")


def test_a_time_that_no_calendar_has_is_shown_in_seconds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = TraceEvent(0.0, 1, Side.LOCAL, EventKind.SEND, GOOD)
    write_pcapng(Trace([sent], epoch=3e11), tmp_path / "case.pcapng")

    assert run("decode", str(tmp_path / "case.pcapng")) == 0

    assert "frame 1, 300000000000.000000 s since 1970, connection 1" in capsys.readouterr().out


def test_what_matches_nothing_is_said_so(capture: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        "holds no RDMA Send under XID 0x00000011 of connection 2; all are shown without --xid"
        in refused(capsys, "decode", capture, "--xid", "0x11", "--connection", "2")
    )


def test_a_message_whose_end_is_missing_is_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = TraceEvent(0.0, 1, Side.LOCAL, EventKind.SEND, GOOD + bytes(5000))
    write_pcapng(Trace([long]), tmp_path / "whole.pcapng")
    octets = (tmp_path / "whole.pcapng").read_bytes()
    last = int.from_bytes(octets[-4:], sys.byteorder)
    (tmp_path / "case.pcapng").write_bytes(octets[:-last])

    assert run("decode", str(tmp_path / "case.pcapng")) == 0

    assert "192.0.2.1 -> 192.0.2.2, its end is not in the capture\n" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["case.pcapng", "case.pcap"])
def test_a_file_that_is_no_capture_is_refused_in_one_sentence(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(GOOD)

    assert "is no pcapng file; `editcap -F pcapng` makes one of other captures" in refused(
        capsys, "decode", str(tmp_path / name)
    )
