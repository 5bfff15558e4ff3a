"""What a case leaves behind: its trace, its capture, and the steps that a report shows."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from conformance.evidence import exchanges, read_trace, write_evidence
from conformance.runner import Selection, certify, collect_cases
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent
from targets.registry import find_target

if TYPE_CHECKING:
    from pathlib import Path

TSHARK = shutil.which("tshark")
SCENARIOS = (
    "rfc8166/2.2.2/responder-serves-many-connections",
    "rfc8166/3.4.5/responder-joins-the-segments-of-a-read-chunk",
    "rfc8166/3.4.6/responder-fills-the-segments-of-a-write-chunk-in-order",
    "rfc8166/4.5.1/responder-answers-an-unsupported-version-with-its-own-range",
)
HEADER = bytes.fromhex("00000001" * 2 + "00000008" + "00000000" * 4)
TRACE = Trace(
    [
        TraceEvent(2.0, 1, Side.LOCAL, EventKind.CONNECT, b"\x01", detail="there:1"),
        TraceEvent(2.0, 1, Side.LOCAL, EventKind.POST_RECEIVE, length=1024),
        TraceEvent(2.5, 1, Side.LOCAL, EventKind.SEND, HEADER, length=len(HEADER)),
        TraceEvent(3.0, 1, Side.PEER, EventKind.RDMA_WRITE, b"abcd", 7, 0x1000, 4),
        TraceEvent(3.5, 1, Side.PEER, EventKind.SEND, bytes(600), length=600),
    ],
    1,
)


def test_steps_tell_who_did_what_and_leave_out_what_nobody_asks() -> None:
    connected, sent, written, received = exchanges(TRACE, {HEADER: "rdma_vers 2 instead of 1"})

    assert (connected.direction, connected.summary) == (
        "event",
        "connect by tester (there:1)",
    )
    assert (sent.direction, sent.time, sent.octets) == ("sent", 0.5, HEADER.hex())
    assert sent.summary.endswith("[rdma_vers 2 instead of 1]")
    assert "rdma_credit: 8" in sent.detail
    assert written.summary == "RDMA Write by device of 4 octets at handle 0x00000007"
    assert (received.direction, received.length, len(received.octets)) == ("received", 600, 1024)


def test_a_trace_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    lines, capture = write_evidence(TRACE, tmp_path, "case")

    assert (lines, capture) == ("evidence/case.jsonl", "evidence/case.pcapng")
    assert read_trace(tmp_path / lines) == TRACE
    assert (tmp_path / capture).stat().st_size > 0


def test_a_capture_can_be_left_for_later(tmp_path: Path) -> None:
    _, capture = write_evidence(TRACE, tmp_path, "case", capture=False)

    assert not (tmp_path / capture).exists()


@pytest.mark.skipif(TSHARK is None, reason="the second opinion is tshark's, which is not installed")
def test_tshark_dissects_the_captures_of_a_run_and_shows_our_decoding(tmp_path: Path) -> None:
    names = {case.id.partition("[")[0]: case.id for case in collect_cases()}
    wanted = tuple(names[scenario] for scenario in SCENARIOS)
    run = certify(find_target("reference"), Selection(cases=wanted), tmp_path)
    assert {case.id for case in run.cases} == set(wanted)

    for case in run.cases:
        (capture,) = (name for name in case.evidence if name.endswith(".pcapng"))
        messages = [step for step in case.exchanges if step.direction != "event"]
        dissected = dissect(tmp_path / capture)
        headers = [xid for xid, _ in dissected if xid]
        comments = " ".join(comment for _, comment in dissected)
        # The dissector knows Version One only: what has another version it does not claim.
        known = [step for step in messages if "version 1, credits" in step.summary]
        pairs = list(zip(headers, known, strict=True))
        assert [pair for pair in pairs if f"xid {pair[0]}" not in pair[1].summary] == []
        for step in messages:
            assert step.summary.partition(" [")[0] in comments


def dissect(path: Path) -> list[tuple[str, str]]:
    """XID of the RPC-over-RDMA header and our comment, of every frame; tshark must not complain."""
    assert TSHARK is not None
    fields = ("-T", "fields", "-E", "separator=\x1f", "-e", "rpcordma.xid", "-e", "frame.comment")
    run = subprocess.run(
        [TSHARK, "-n", "-r", str(path), *fields],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert [line for line in run.stderr.splitlines() if "root" not in line] == []
    assert "Malformed" not in run.stdout
    frames = [line.partition("\x1f") for line in run.stdout.splitlines()]
    return [(xid, comment.replace("\\n", "\n")) for xid, _, comment in frames]
