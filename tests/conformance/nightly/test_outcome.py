"""What a stage's files and its process's end say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.explore.finding import Finding, keep
from conformance.nightly.outcome import LOG, RUN, last_words, outcome_of, with_results
from conformance.nightly.process import ProcessEnd
from conformance.nightly.record import StageOutcome, StageResult
from conformance.nightly.stage import NightStage, StageKind
from fuzz.pulse import Pulse
from reports.baseline import BaselineCheck, Problem
from reports.record import FORMAT_VERSION, CaseRecord, RunHeader, RunRecord, Verdict
from reports.render.json import json_document
from reports.stream import RunWriter
from tests.conformance.nightly.conftest import stage

if TYPE_CHECKING:
    from pathlib import Path

RESULT = StageResult("one", "rpcrdma one", StageOutcome.CLEAN)
TESTS = NightStage("tests", ("pytest",), StageKind.TESTS, 1.0, ends_by_signal=True)


def kind(of: StageKind) -> NightStage:
    return NightStage("one", ("rpcrdma",), of, 1.0)


@pytest.mark.parametrize(
    ("one", "ended", "outcome", "why"),
    [
        (stage("one"), ProcessEnd(0), StageOutcome.CLEAN, ""),
        (stage("one"), ProcessEnd(1), StageOutcome.FAILED, "no KVM here"),
        (stage("one"), ProcessEnd(2), StageOutcome.NOT_RUN, "no KVM here"),
        (stage("one"), ProcessEnd(3), StageOutcome.NOT_RUN, "no KVM here"),
        (stage("one"), ProcessEnd(4), StageOutcome.CUT, "no KVM here"),
        (stage("one"), ProcessEnd(-9), StageOutcome.DIED, "it ended with status -9; no KVM here"),
        (stage("one"), ProcessEnd(77), StageOutcome.DIED, "it ended with status 77; no KVM here"),
        (
            stage("one"),
            ProcessEnd(0, overran=True),
            StageOutcome.HUNG,
            "its time was over; no KVM here",
        ),
        (TESTS, ProcessEnd(2, overran=True), StageOutcome.CLEAN, ""),
        (TESTS, ProcessEnd(2), StageOutcome.DIED, "it ended with status 2; no KVM here"),
        (TESTS, ProcessEnd(5), StageOutcome.NOT_RUN, "no KVM here"),
    ],
)
def test_how_a_process_ended_is_told_in_a_sentence(
    tmp_path: Path, one: NightStage, ended: ProcessEnd, outcome: StageOutcome, why: str
) -> None:
    (tmp_path / LOG).write_text("booting\nno KVM here\n\n")
    assert outcome_of(one, ended, tmp_path / LOG) == (outcome, why)


def test_what_a_device_prints_is_text(tmp_path: Path) -> None:
    (tmp_path / LOG).write_bytes(b"\x1b[31mred\xff" + b"x" * 1000)
    words = last_words(tmp_path / LOG)
    assert "\x1b" not in words
    assert len(words) <= 300


def test_the_records_of_a_run_are_counted(tmp_path: Path) -> None:
    header = RunHeader(FORMAT_VERSION, "t", "t", "loopback", ("a", "b", "c"), (), "now")
    with RunWriter(tmp_path / RUN / "records.jsonl", header) as writer:
        writer.add(CaseRecord("a", "A.", Verdict.PASS))
        writer.add(CaseRecord("b", "B.", Verdict.FAIL, "no\nreply"))
        writer.add(CaseRecord("c", "C.", Verdict.NA, "not claimed"))
        writer.finish(2.0)
    result = with_results(RESULT, kind(StageKind.RUN), tmp_path)
    assert result.counts["PASS"] == result.counts["FAIL"] == result.counts["N/A"] == 1
    assert (result.passed, result.verdicts, result.reasons) == (
        ("a",),
        {"b": "FAIL"},
        {"b": "no reply"},
    )
    assert result.rates == {"cases a second": 1.5}
    assert (result.failures, result.why) == ({"b": "no reply"}, "")
    failed = msgspec.structs.replace(RESULT, outcome=StageOutcome.FAILED, why="report: here")
    assert with_results(failed, kind(StageKind.RUN), tmp_path).why == "1 case failed"


def test_with_a_baseline_what_disagrees_with_it_is_what_failed(tmp_path: Path) -> None:
    """By the very report that `certify` writes."""
    case = CaseRecord("a", "A.", Verdict.FAIL, "no reply")
    header = RunHeader(FORMAT_VERSION, "t", "t", "loopback", ("a",), (), "now")
    with RunWriter(tmp_path / RUN / "records.jsonl", header) as writer:
        writer.add(case)
        writer.finish(2.0)
    check = BaselineCheck("known.toml", {}, (Problem("a", "is not listed"),))
    (tmp_path / RUN / "report.json").write_bytes(json_document(RunRecord(header, (case,)), check))
    failed = msgspec.structs.replace(RESULT, outcome=StageOutcome.FAILED, by_baseline=True)
    result = with_results(failed, kind(StageKind.RUN), tmp_path)
    assert result.failures == {"a": check.problems[0].sentence}
    assert result.why == "1 case not as the baseline says"


def test_records_that_cannot_be_read_are_no_clean_run(tmp_path: Path) -> None:
    (tmp_path / RUN).mkdir()
    (tmp_path / RUN / "records.jsonl").write_text("{}\n")
    result = with_results(RESULT, kind(StageKind.RUN), tmp_path)
    assert result.outcome is StageOutcome.DIED
    assert "line 1" in result.why


def test_tests_that_failed_before_their_time_was_over_count(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text(
        '<testsuites><testsuite><testcase classname="tests.a" name="good"/>'
        '<testcase classname="tests.a" name="bad"><failure message="1 != 2"/></testcase>'
        '<testcase classname="tests.a" name="worse"><error message="gone"/></testcase>'
        "</testsuite></testsuites>"
    )
    result = with_results(RESULT, TESTS, tmp_path)
    assert (result.outcome, result.why) == (StageOutcome.FAILED, "2 of 3 tests failed")
    assert result.counts == {"tests": 3, "failed": 2}
    assert result.reasons == {"tests.a::bad": "1 != 2", "tests.a::worse": "gone"}


def test_findings_are_known_by_their_cause(tmp_path: Path) -> None:
    """Two nights have other sequences for the same cause; a campaign has folders for causes."""
    found = Finding("v1-header", "reference", broken=("round-trip",), detail="changed", octets=b"1")
    keep(tmp_path / "findings", found)
    keep(tmp_path / "findings" / "1", msgspec.structs.replace(found, octets=b"2"))
    (tmp_path / "findings" / "half.json").write_text('{"way": ')
    result = with_results(RESULT, kind(StageKind.FINDINGS), tmp_path)
    assert [finding.cause for finding in result.findings] == ["v1-header: round-trip"] * 2
    failed = msgspec.structs.replace(RESULT, outcome=StageOutcome.FAILED, why="again: rpcrdma")
    assert with_results(failed, kind(StageKind.FINDINGS), tmp_path).why == "2 findings"
    assert result.findings[0].again.startswith("rpcrdma replay ")
    assert result.findings[0].again.endswith(".json reference")


def test_a_finding_is_replayed_with_the_kernel_that_had_it(tmp_path: Path) -> None:
    found = Finding("calls", "linux-server", broken=("rfc8166.4.5",), detail="changed")
    keep(tmp_path / "findings", found)
    one = NightStage("one", ("rpcrdma", "--kernel", "/my linux"), StageKind.FINDINGS, 1.0)
    (finding,) = with_results(RESULT, one, tmp_path).findings
    assert finding.again.endswith(".json linux-server --kernel '/my linux'")


def test_rates_are_read_from_what_the_commands_print(tmp_path: Path) -> None:
    """The fuzzer's line is that of its own class: another wording would be noticed here."""
    pulse = Pulse(executions=1200, rate=34, coverage=5, corpus=6, findings=0)
    (tmp_path / LOG).write_text(
        f"v1-header: {pulse}\n3 sequences (9 steps) in 60 s, 3 a minute; 0 findings\n"
    )
    result = with_results(RESULT, kind(StageKind.FINDINGS), tmp_path)
    assert result.rates == {
        "inputs": 1200.0,
        "inputs a second": 34.0,
        "sequences": 3.0,
        "sequences a minute": 3.0,
    }


def test_a_live_campaign_has_its_rate_in_its_report(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text('{"inputs": 70, "rate": 3.5, "other": []}')
    result = with_results(RESULT, kind(StageKind.LIVE), tmp_path)
    assert result.rates == {"inputs": 70.0, "inputs a second": 3.5}


def test_a_live_campaign_whose_device_was_gone_is_more_than_its_findings(tmp_path: Path) -> None:
    report = '{"inputs": 70, "rate": 3.5, "stopped": "no guest can be started"}'
    (tmp_path / "report.json").write_text(report)
    failed = msgspec.structs.replace(RESULT, outcome=StageOutcome.FAILED)
    result = with_results(failed, kind(StageKind.LIVE), tmp_path)
    assert (result.outcome, result.why) == (StageOutcome.DIED, "no guest can be started")


def test_an_exploration_whose_device_was_gone_is_more_than_its_findings(tmp_path: Path) -> None:
    failed = msgspec.structs.replace(RESULT, outcome=StageOutcome.FAILED)
    (tmp_path / LOG).write_text("exploring\nrpcrdma explore: linux-server: serves no more\n")
    result = with_results(failed, kind(StageKind.FINDINGS), tmp_path)
    assert result.outcome is StageOutcome.DIED
    assert result.why == "rpcrdma explore: linux-server: serves no more"
    (tmp_path / LOG).write_text("exploring\n")
    (tmp_path / "findings").mkdir()
    (tmp_path / "findings/guest-1.console.log").touch()
    result = with_results(failed, kind(StageKind.FINDINGS), tmp_path)
    assert result.outcome is StageOutcome.DIED
    assert result.why.startswith("its kernel died: ")


@pytest.mark.parametrize("of", list(StageKind))
def test_a_stage_that_left_nothing_is_as_its_process_ended(tmp_path: Path, of: StageKind) -> None:
    assert with_results(RESULT, kind(of), tmp_path) == RESULT
