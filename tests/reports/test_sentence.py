from __future__ import annotations

import msgspec

from reports.baseline import BaselineCheck, Known, Problem
from reports.record import CaseRecord, Citation, RunFooter, RunRecord, Verdict
from reports.sentence import ending, in_one_sentence
from tests.reports.test_baseline import Judged, run_of

MUST = Citation("d.1.must", "MUST", "d", "1", "It must.")
SHOULD = Citation("d.1.should", "SHOULD", "d", "1", "It should.")


def run_with(*cases: CaseRecord) -> RunRecord:
    run = run_of(*(Judged(case.id, case.verdict) for case in cases))
    return msgspec.structs.replace(run, cases=cases)


def case(verdict: Verdict, *broken: str, number: int = 1) -> CaseRecord:
    return CaseRecord(f"d/1/{number}", "Title.", verdict, citations=(MUST, SHOULD), violated=broken)


def test_a_device_that_breaks_nothing() -> None:
    said = in_one_sentence(run_with(case(Verdict.PASS)))
    assert said == "server meets the one binding statement tested."


def test_a_device_that_breaks_something() -> None:
    said = in_one_sentence(run_with(case(Verdict.FAIL, MUST.id)))
    assert said == "server does not meet 1 binding statement of 1 tested."


def test_a_device_of_which_only_recommendations_were_tested() -> None:
    advised = CaseRecord("d/1/1", "Title.", Verdict.PASS, citations=(SHOULD,))
    said = in_one_sentence(run_with(advised))
    assert said == "server meets what was tested of it, and no binding statement was."


def test_a_recommendation_that_is_not_followed_is_no_breach() -> None:
    said = in_one_sentence(run_with(case(Verdict.WARN, SHOULD.id)))
    assert said == (
        "server meets the one binding statement tested;"
        " it does not follow 1 recommendation of 1 tested."
    )


def test_a_failure_that_names_no_statement_is_told_by_its_case() -> None:
    bare = CaseRecord("d/1/1", "Title.", Verdict.FAIL)
    assert in_one_sentence(run_with(bare)) == "server fails 1 case."


def test_what_was_not_judged_is_said() -> None:
    run = run_with(case(Verdict.PASS), case(Verdict.ERROR, number=2))
    assert in_one_sentence(run).endswith("; 1 case ended by a fault of the suite.")
    run = run_with(case(Verdict.PASS), case(Verdict.INCONC, number=2))
    assert in_one_sentence(run).endswith("; 1 case could not be brought about.")
    nothing = in_one_sentence(run_with(case(Verdict.NA)))
    assert nothing == "Nothing was judged: no case says anything of server."


def test_what_a_baseline_says_of_it() -> None:
    run = run_with(case(Verdict.FAIL, MUST.id))
    known = {"d/1/1": Known("It is slow", "")}
    told = [
        (BaselineCheck("b", {}, ()), "; the baseline expects the same."),
        (BaselineCheck("b", known, ()), "; the baseline knows all 1 deviation."),
        (BaselineCheck("b", known, (Problem("x", "No."),)), "does not hold in 1 case."),
    ]
    for check, end in told:
        assert in_one_sentence(run, check).endswith(end)


def test_a_whole_run_has_no_ending() -> None:
    assert ending(run_with(case(Verdict.PASS))) == ""


def test_a_cut_run_says_how_much_was_judged_and_why() -> None:
    run = run_with(case(Verdict.PASS))
    header = msgspec.structs.replace(run.header, planned=("d/1/1", "d/1/2"))
    cut = msgspec.structs.replace(run, header=header, footer=None)
    assert ending(cut) == ("The run was cut short: 1 of 2 cases judged; its records have no end.")
    stopped = msgspec.structs.replace(
        cut, footer=RunFooter(1, 1.0, complete=False, reason="time is up")
    )
    assert ending(stopped) == "The run was cut short: 1 of 2 cases judged; time is up."
    whole = msgspec.structs.replace(cut, footer=RunFooter(1, 1.0))
    assert ending(whole) == "The run was cut short: 1 of 2 cases judged."
