from __future__ import annotations

import pytest

from reports.record import CaseRecord, Citation, Verdict
from reports.summary import RequirementResult
from reports.totals import MetCount, tallies, tally


def result(verdict: Verdict, level: str = "MUST", section: str = "1") -> RequirementResult:
    return RequirementResult(Citation("d.1.x", level, "d", section, "text"), verdict, ())


def test_each_verdict_is_counted_as_what_it_says_of_a_requirement() -> None:
    assert tally("all", map(result, Verdict)) == MetCount(
        "all", met=1, unmet=1, tolerated=1, untested=2, unclaimed=1
    )


def test_a_warning_about_a_recommendation_says_that_it_is_not_met() -> None:
    assert tally("", [result(Verdict.WARN, "SHOULD")]).unmet == 1


@pytest.mark.parametrize(
    ("counted", "said"),
    [
        (MetCount("", met=117, unmet=3), "3 of 120 not met"),
        (MetCount("", met=1, tolerated=1), "0 of 2 not met, 1 tolerated"),
        (MetCount("", met=12, untested=4), "all 12 met"),
        (MetCount("", met=1), "the one met"),
        (MetCount("", untested=2), "none tested"),
        (MetCount("", unclaimed=2), "none claimed"),
    ],
)
def test_a_share_in_words(counted: MetCount, said: str) -> None:
    assert counted.share == said


def test_a_fault_of_the_suite_does_not_hide_what_was_broken() -> None:
    citation = Citation("d.1.x", "MUST", "d", "1", "text")
    cases = tuple(
        CaseRecord(f"d/1/{verdict.name}", "Title.", verdict, citations=(citation,))
        for verdict in (Verdict.FAIL, Verdict.ERROR)
    )
    assert tally("", [RequirementResult(citation, Verdict.ERROR, cases)]).unmet == 1
    assert tally("", [RequirementResult(citation, Verdict.ERROR, cases[1:])]).untested == 1


def test_groups_come_in_the_order_of_their_first_member() -> None:
    results = [result(Verdict.PASS, section=section) for section in ("2", "10", "2")]
    assert tallies(results, lambda one: one.citation.section) == (
        MetCount("2", met=2),
        MetCount("10", met=1),
    )
