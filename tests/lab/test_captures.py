"""The captures of a run open in Wireshark, and say what our own decoding says."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from conformance.suite.evidence import exchanges, trace_of
from conformance.suite.runner import certify, collect_cases
from conformance.suite.selection import Selection
from targets.registry import find_target

if TYPE_CHECKING:
    from pathlib import Path

SCENARIOS = (
    "rfc8166/2.2.2/responder-serves-many-connections",
    "rfc8166/3.4.5/responder-joins-the-segments-of-a-read-chunk",
    "rfc8166/3.4.6/responder-fills-the-segments-of-a-write-chunk-in-order",
    "rfc8166/4.5.1/responder-answers-an-unsupported-version-with-its-own-range",
)


def test_tshark_dissects_the_captures_of_a_run_and_shows_our_decoding(tmp_path: Path) -> None:
    names = {case.id.partition("[")[0]: case.id for case in collect_cases()}
    wanted = tuple(names[scenario] for scenario in SCENARIOS)
    run = certify(find_target("reference"), Selection(cases=wanted), tmp_path)
    assert {case.id for case in run.cases} == set(wanted)

    for case in run.cases:
        (capture,) = (name for name in case.evidence if name.endswith(".pcapng"))
        trace = trace_of(case, tmp_path)
        assert trace is not None
        messages = [step for step in exchanges(trace) if step.direction != "event"]
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
    fields = ("-T", "fields", "-E", "separator=\x1f", "-e", "rpcordma.xid", "-e", "frame.comment")
    run = subprocess.run(
        ["tshark", "-n", "-r", str(path), *fields],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert [line for line in run.stderr.splitlines() if "root" not in line] == []
    assert "Malformed" not in run.stdout
    frames = [line.partition("\x1f") for line in run.stdout.splitlines()]
    return [(xid, comment.replace("\\n", "\n")) for xid, _, comment in frames]
