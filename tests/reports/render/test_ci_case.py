from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from reports.baseline import Problem
from reports.record import CaseRecord, Verdict
from reports.render.ci_case import CiResult, by_section, ci_cases

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

SECTION = "rfc8166/4.5.1"


def failing(*names: str, verdict: Verdict = Verdict.FAIL) -> tuple[CaseRecord, ...]:
    return tuple(
        CaseRecord(f"{SECTION}/{name}", "Title.", verdict, f"Why {name}.", violated=("a",))
        for name in names
    )


def test_each_verdict_becomes_what_a_ci_server_knows(run: RunRecord) -> None:
    assert {
        outcome.id.removeprefix(f"{SECTION}/"): outcome.result for outcome in ci_cases(run)
    } == {
        "case[PASS]": CiResult.PASSED,
        "case[WARN]": CiResult.PASSED,
        "case[FAIL]": CiResult.FAILED,
        "case[INCONC]": CiResult.SKIPPED,
        "case[NA]": CiResult.SKIPPED,
        "case[ERROR]": CiResult.ERROR,
        "never-judged": CiResult.ERROR,
    }


def test_one_cause_is_told_once(run: RunRecord) -> None:
    run = msgspec.structs.replace(run, cases=failing("one", "two", "three"))

    first, *others = ci_cases(run)[:3]

    assert (first.message, first.same_as) == ("Why one.", "")
    assert "violated: a" in first.explanation
    assert [other.message for other in others] == [f"same cause as {SECTION}/one"] * 2
    assert others[0].explanation == ("Why two.", "run again: ")


def test_what_is_known_explains_no_other_failure(run: RunRecord, check: BaselineCheck) -> None:
    cases = failing("case[FAIL]", "new", "newer")
    problems = tuple(Problem(case.id, "It is not listed.") for case in cases[1:])
    run = msgspec.structs.replace(run, cases=cases)

    known, new, newer, *_ = ci_cases(run, replace(check, problems=problems))

    assert (known.result, known.same_as) == (CiResult.KNOWN, "")
    assert (new.message, new.same_as) == ("It is not listed. Why new.", "")
    assert newer.message == f"It is not listed. (same cause as {SECTION}/new)"


def test_baseline_makes_known_what_it_lists_and_fails_the_rest(
    run: RunRecord, check: BaselineCheck
) -> None:
    results = {case.id: case.result for case in ci_cases(run, check)}

    assert results[f"{SECTION}/case[FAIL]"] is CiResult.KNOWN
    assert results[f"{SECTION}/case[PASS]"] is CiResult.FAILED
    assert results[f"{SECTION}/case[WARN]"] is CiResult.FAILED
    assert results[f"{SECTION}/case[ERROR]"] is CiResult.ERROR
    assert results[f"{SECTION}/gone"] is CiResult.FAILED


def test_sections_keep_the_order_in_which_they_are_met(run: RunRecord) -> None:
    cases = (
        *failing("b"),
        CaseRecord("bidir/4.1/x", "Title.", Verdict.PASS),
        *failing("a"),
    )
    header = msgspec.structs.replace(run.header, planned=())
    found = ci_cases(msgspec.structs.replace(run, cases=cases, header=header))

    sections = by_section(found)

    assert list(sections) == [SECTION, "bidir/4.1"]
    assert [case.id for case in sections[SECTION]] == [f"{SECTION}/b", f"{SECTION}/a"]


def test_what_a_baseline_says_is_data(run: RunRecord, check: BaselineCheck) -> None:
    problems = (Problem("rfc8166/4.5.1/gone", "\x1b[31m"),)

    *_, gone = ci_cases(run, replace(check, problems=problems))

    assert gone.message == "\\x1b[31m"
