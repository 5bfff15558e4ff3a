from __future__ import annotations

import pytest

from reports.baseline import BaselineCheck, Known, Problem
from reports.record import (
    FORMAT_VERSION,
    CaseRecord,
    Citation,
    Exchange,
    RunFooter,
    RunHeader,
    RunRecord,
    Verdict,
)

RANGE = Citation(
    "rfc8166.4.5.1.err-vers-range", "MUST", "rfc8166", "4.5.1", "ERR_VERS carries the own range."
)
ECHO = Citation("rfc8166.4.5.err-xid", "MUST", "rfc8166", "4.5", "The XID is echoed.")


@pytest.fixture
def run() -> RunRecord:
    """One case of each verdict, and one planned case that has no record."""
    cases = tuple(
        CaseRecord(
            id=f"rfc8166/4.5.1/case[{verdict.name}]",
            title="A Call in version 2 gets <ERR_VERS>",
            verdict=verdict,
            reason="" if verdict is Verdict.PASS else f"because of {verdict.value} \\x00 & [more]",
            expected=("ERR_VERS 1..1",),
            actual="ERR_VERS 1..2",
            citations=(RANGE, ECHO),
            violated=(RANGE.id,) if verdict in (Verdict.FAIL, Verdict.WARN) else (),
            not_reached=(ECHO.id,) if verdict in (Verdict.FAIL, Verdict.WARN) else (),
            interpretations=("D-11",),
            exchanges=(
                Exchange(0.0, 1, "sent", "RDMA_MSG xid 0x1", "rdma_xid 1", "00000001" * 5, 20),
            ),
            evidence=("evidence/case.pcapng",),
            rerun="rpcrdma certify reference --case 'rfc8166/4.5.1/case'",
            duration=0.25,
        )
        for verdict in Verdict
    )
    header = RunHeader(
        FORMAT_VERSION,
        "reference",
        "reference.toml",
        "loopback",
        (*(case.id for case in cases), "rfc8166/4.5.1/never-judged"),
        (("python", "3.11"),),
        "2026-01-01T00:00:00+00:00",
    )
    return RunRecord(header, cases, RunFooter(len(cases), 1.5))


@pytest.fixture
def check() -> BaselineCheck:
    """A baseline that knows the FAIL, lists the PASS, not the WARN, and a case that is gone."""
    return BaselineCheck(
        "known/server.toml",
        {"rfc8166/4.5.1/case[FAIL]": Known("F-1 It fails & nobody minds", "known/findings.md#f-1")},
        (
            Problem("rfc8166/4.5.1/case[PASS]", "The verdict is PASS now."),
            Problem("rfc8166/4.5.1/case[WARN]", "WARN is not in the baseline."),
            Problem("rfc8166/4.5.1/case[ERROR]", "ERROR is not in the baseline."),
            Problem("rfc8166/4.5.1/gone", "The suite has no such case any more."),
        ),
    )
