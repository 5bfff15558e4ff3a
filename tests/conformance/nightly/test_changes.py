"""What counts as worse than the night before."""

from __future__ import annotations

import msgspec
import pytest

from conformance.nightly.changes import NOTHING_RAN, report_of
from conformance.nightly.record import NightFinding, NightRecord, StageOutcome, StageResult
from tests.conformance.nightly.conftest import record, stage

CLEAN, FAILED, NOT_RUN = StageOutcome.CLEAN, StageOutcome.FAILED, StageOutcome.NOT_RUN


def night(*results: StageResult) -> NightRecord:
    begun = record([stage(result.name) for result in results])
    return msgspec.structs.replace(begun, results=results, finished=True)


def result(outcome: StageOutcome = CLEAN, **more: object) -> StageResult:
    return StageResult("one", "rpcrdma one", outcome, **more)  # type: ignore[arg-type]


def run(outcome: StageOutcome = CLEAN, **more: object) -> StageResult:
    """Of a suite: it has counts."""
    return result(outcome, counts={"PASS": 1}, **more)


def test_two_equal_nights_are_green_and_say_nothing() -> None:
    same = night(run(passed=("a",), verdicts={"b": "WARN"}))
    report = report_of(same, same)
    assert (report.exit_status, report.changes) == (0, ())


@pytest.mark.parametrize("outcome", [o for o in StageOutcome if o not in (CLEAN, NOT_RUN)])
def test_a_first_night_is_red_if_a_stage_fails(outcome: StageOutcome) -> None:
    report = report_of(night(result(outcome), StageResult("two", "", CLEAN)), None)
    assert (report.exit_status, report.changes, len(report.still)) == (1, (), 1)


def test_a_stage_that_fails_still_is_red_but_not_worse() -> None:
    failing = night(result(FAILED))
    report = report_of(failing, failing)
    assert (report.exit_status, report.worse, len(report.still)) == (1, (), 1)


@pytest.mark.parametrize(
    ("before", "now", "worse"),
    [
        (CLEAN, NOT_RUN, True),
        (CLEAN, StageOutcome.CUT, True),
        (NOT_RUN, CLEAN, False),
        (FAILED, CLEAN, False),
        (FAILED, StageOutcome.HUNG, False),
    ],
)
def test_a_stage_that_ran_and_does_not_is_worse(
    before: StageOutcome, now: StageOutcome, worse: bool
) -> None:
    other = StageResult("two", "", CLEAN)
    report = report_of(night(result(now), other), night(result(before), other))
    (change,) = report.changes
    assert (change.before, change.now, change.worse) == (before.value, now.value, worse)
    assert report.exit_status == int(worse or now not in (CLEAN, NOT_RUN))


def test_what_was_never_there_is_no_fault_unless_it_was_named() -> None:
    other = StageResult("two", "", CLEAN)
    missing, named = result(NOT_RUN, why="no KVM"), result(NOT_RUN, wanted=True)
    assert report_of(night(missing, other), None).exit_status == 0
    assert report_of(night(missing, other), None).not_run == (missing,)
    assert report_of(night(named, other), None).exit_status == 1


def test_a_night_in_which_nothing_ran_is_not_green() -> None:
    assert report_of(night(result(NOT_RUN)), None).exit_status == NOTHING_RAN


@pytest.mark.parametrize(
    ("before", "now", "worse"),
    [
        ("PASS", "FAIL", True),
        ("PASS", "WARN", True),
        ("PASS", "INCONC", True),
        ("FAIL", "WARN", False),
        ("WARN", "PASS", False),
        ("", "FAIL", True),
        ("", "WARN", False),
        ("", "PASS", False),
        ("PASS", "", False),
    ],
)
def test_a_verdict_that_weighs_more_is_worse(before: str, now: str, worse: bool) -> None:
    def with_verdict(verdict: str) -> StageResult:
        verdicts = {"a": verdict} if verdict not in ("", "PASS") else {}
        return run(passed=("a",) if verdict == "PASS" else (), verdicts=verdicts)

    report = report_of(night(with_verdict(now)), night(with_verdict(before)))
    (change,) = report.changes
    nothing = "N/A or not judged"
    assert (change.what, change.before, change.now) == ("a", before or nothing, now or nothing)
    assert (change.worse, report.exit_status) == (worse, int(worse))


def test_what_a_baseline_takes_for_known_is_shown_and_not_worse() -> None:
    before = night(run(passed=("a",), by_baseline=True))
    now = night(run(verdicts={"a": "FAIL"}, reasons={"a": "as listed"}, by_baseline=True))
    report = report_of(now, before)
    assert (report.exit_status, report.changes[0].why) == (0, "as listed")


def test_what_a_baseline_does_not_know_is_worse_whatever_the_verdict_was() -> None:
    """Another text of the same verdict, or a listed case that passes by now."""
    same = run(passed=("b",), verdicts={"a": "FAIL"}, by_baseline=True)
    failures = {"a": "another text", "b": "passes, and is listed"}
    now = msgspec.structs.replace(same, outcome=FAILED, failures=failures)
    report = report_of(night(now), night(same))
    cases = [change for change in report.worse if change.what in failures]
    assert {change.what: change.why for change in cases} == failures
    assert report_of(night(now), night(now)).worse == ()


OLD, NEW = (NightFinding(cause, "seen", "rpcrdma replay x") for cause in ("old", "new"))


def after(before: NightRecord, *results: StageResult) -> NightRecord:
    """A night that knows what those before it have found."""
    return msgspec.structs.replace(night(*results), known=before.known_afterwards())


def test_a_finding_is_new_once_for_each_cause() -> None:
    before = night(result(FAILED, findings=(OLD,)))
    report = report_of(after(before, result(FAILED, findings=(OLD, NEW, NEW))), before)
    assert [change.what for change in report.worse] == ["new"]
    assert report.worse[0].why == "seen Again: rpcrdma replay x"


def test_what_is_found_in_the_reference_is_red_until_it_is_mended() -> None:
    found = result(FAILED, findings=(OLD,))
    before = night(found)
    report = report_of(after(before, found), before)
    assert (report.exit_status, report.worse, report.settled) == (1, (), ())


def test_what_is_found_in_a_device_is_red_once() -> None:
    """Also if a night between did not find it."""
    found, nothing = result(FAILED, findings=(OLD,), of_device=True), result(of_device=True)
    first = night(found)
    assert report_of(first, None).exit_status == 1
    second = after(first, nothing)
    third = after(second, found)
    report = report_of(third, second)
    assert (report.exit_status, report.worse, report.settled) == (0, (), ("one",))
    assert [(change.before, change.now) for change in report.otherwise] == [("clean", "failed")]
    more = after(second, result(FAILED, findings=(OLD, NEW), of_device=True))
    assert report_of(more, second).exit_status == 1


@pytest.mark.parametrize("outcome", [FAILED, StageOutcome.HUNG, StageOutcome.DIED])
def test_a_stage_of_a_device_that_fails_otherwise_is_red(outcome: StageOutcome) -> None:
    """A device that serves no more, or a campaign that hangs, is no known finding."""
    findings = () if outcome is FAILED else (OLD,)
    before = night(result(FAILED, findings=(OLD,), of_device=True))
    report = report_of(after(before, result(outcome, findings=findings, of_device=True)), before)
    assert report.exit_status == 1


def test_a_stage_that_is_gone_is_told() -> None:
    other = StageResult("two", "", CLEAN)
    report = report_of(night(other), night(result(), other))
    assert [(change.stage, change.now, change.worse) for change in report.changes] == [
        ("one", "no stage", False)
    ]


def test_the_worse_comes_first() -> None:
    before = night(run(passed=("b",), verdicts={"a": "WARN"}))
    now = night(run(FAILED, passed=("a",), verdicts={"b": "FAIL"}))
    assert [change.worse for change in report_of(now, before).changes] == [True, True, False]
