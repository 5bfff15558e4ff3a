"""One page and one file, of any night."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from conformance.nightly.changes import NightReport, report_of
from conformance.nightly.page import JSON_FILE, PAGE_FILE, sentence_about, write_report
from conformance.nightly.record import NightFinding, NightRecord, StageOutcome, StageResult
from tests.conformance.nightly.conftest import record, stage

if TYPE_CHECKING:
    from pathlib import Path

STAGES = [stage(name) for name in ("suite", "fuzz", "lab", "late")]
AGAIN = "rpcrdma nightly --seed 7"
SUITE = StageResult(
    "suite",
    "rpcrdma certify",
    StageOutcome.FAILED,
    "1 failed",
    1,
    90.0,
    counts={"PASS": 2, "FAIL": 1},
    passed=("b", "c"),
    verdicts={"a": "FAIL"},
    reasons={"a": "<script>alert(1)</script>"},
    failures={"a": "<script>alert(1)</script>"},
)
FUZZ = StageResult(
    "fuzz",
    "rpcrdma fuzz",
    StageOutcome.FAILED,
    findings=(NightFinding("v1-header: crash", "it died", "rpcrdma replay f.json"),),
    rates={"inputs a second": 900.0},
)
LAB = StageResult("lab", "rpcrdma certify", StageOutcome.NOT_RUN, "no QEMU")


def night(*results: StageResult, finished: bool = True) -> NightRecord:
    return msgspec.structs.replace(record(STAGES), results=results, finished=finished)


def page_of(report: NightReport, folder: Path) -> str:
    write_report(report, folder, folder / "nights" / "2026-11-26", AGAIN)
    return (folder / PAGE_FILE).read_text()


def test_the_page_says_what_changed_and_what_did_not_run(tmp_path: Path) -> None:
    clean = msgspec.structs.replace(SUITE, verdicts={}, passed=("a", "b", "c"), failures={})
    before = night(
        msgspec.structs.replace(clean, outcome=StageOutcome.CLEAN, counts={"PASS": 3, "FAIL": 0}),
        msgspec.structs.replace(
            FUZZ, outcome=StageOutcome.CLEAN, findings=(), rates={"inputs a second": 790561.0}
        ),
    )
    report = report_of(night(SUITE, FUZZ, LAB), before)
    page = page_of(report, tmp_path)
    for words in (
        '<span class="red">red</span>',
        "2 of 4 stages ran; 4 things got worse; 2 stages not clean; 1 did not run.",
        "PASS 2 (3), FAIL 1 (0)",
        "inputs a second 900 (790,561)",
        "rpcrdma replay f.json",
        "no QEMU",
        'href="nights/2026-11-26/suite/log.txt"',
        'href="nights/2026-11-26/suite/run/report.html"',
        "1 min 30 s",
        AGAIN,
    ):
        assert words in page
    assert "<script>" not in page
    assert "fuzz/run/report.html" not in page


def test_the_page_needs_nothing_else_and_knows_the_dark(tmp_path: Path) -> None:
    page = page_of(report_of(night(SUITE), None), tmp_path)
    assert "prefers-color-scheme: dark" in page
    assert not [word for word in ("http:", "https:", "<link", "src=") if word in page]
    assert len(page) < 20_000


def test_a_page_stays_small_whatever_failed(tmp_path: Path) -> None:
    failed = {f"case-{number}": "no reply" for number in range(2000)}
    page = page_of(
        report_of(night(msgspec.structs.replace(SUITE, failures=failed)), None), tmp_path
    )
    assert len(page) < 20_000
    assert "1980 more are in the stage" in page


def test_a_stage_with_known_findings_alone_is_not_shown_as_failed(tmp_path: Path) -> None:
    known = {"fuzz": (FUZZ.findings[0].cause,)}
    found = msgspec.structs.replace(FUZZ, of_device=True)
    record = msgspec.structs.replace(night(found), known=known)
    page = page_of(report_of(record, None), tmp_path)
    assert "known findings" in page
    assert '<span class="green">green</span>' in page


def test_a_first_night_and_one_that_was_interrupted_say_so(tmp_path: Path) -> None:
    report = report_of(night(LAB, finished=False), None)
    page = page_of(report, tmp_path)
    assert "The first night" in page
    assert page.count("not yet") == 3
    assert "goes on when the command is given again" in sentence_about(report)


def test_the_file_holds_the_same(tmp_path: Path) -> None:
    report = report_of(night(SUITE, LAB), None)
    page_of(report, tmp_path)
    assert msgspec.json.decode((tmp_path / JSON_FILE).read_bytes(), type=NightReport) == report
