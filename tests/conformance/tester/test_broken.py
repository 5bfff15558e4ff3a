"""What ended a case, together with the rules that messages broke in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.oracle.verdict import BrokenRule, SeenMessage
from conformance.tester.broken import with_broken_rules
from conformance.tester.case import CaseLog, Deviation, Inconclusive
from reports.record import Mark, Verdict
from targets.base import Unsupported

ZERO = BrokenRule(("rfc8166.3.3.1.grant-is-never-zero",), "rdma_credit is 0", ("D-16",))
SLACK = BrokenRule(("rfc8166.4.3.3.reply-chunk-returned",), "it is absent", (), Verdict.WARN)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (None, ""),
        (Inconclusive("nothing came"), "nothing came. In the device's messages: "),
    ],
)
def test_a_broken_rule_is_a_deviation(found: BaseException | None, why: str) -> None:
    case = CaseLog()

    ended = with_broken_rules(found, [ZERO, ZERO], (), case, "device")

    assert isinstance(ended, Deviation)
    assert (ended.reason, ended.breaks) == (f"{why}rdma_credit is 0.", ZERO.ids)
    assert case.interpretations == ["D-16", "D-16"]


def test_the_field_of_each_broken_rule_is_marked_beside_what_the_case_marks() -> None:
    own, other = Mark(1, 20, "rdma_xid", "odd"), Mark(2, 40, "rdma_credit", "rdma_credit is 0")
    seen = replace(ZERO, seen=SeenMessage(2, 40))

    alone = with_broken_rules(None, [seen, seen, ZERO], (), CaseLog(), "device")
    beside = with_broken_rules(Deviation("odd", marks=(own,)), [seen], (), CaseLog(), "device")

    assert isinstance(alone, Deviation)
    assert alone.marks == (other,)
    assert isinstance(beside, Deviation)
    assert beside.marks == (own, other)


def test_it_stands_beside_what_the_case_found() -> None:
    found = Deviation("NULL got nothing.", breaks=("v2.2.3.a",))

    ended = with_broken_rules(found, [ZERO], (), CaseLog(), "device")

    assert isinstance(ended, Deviation)
    assert ended.reason == "NULL got nothing. In the device's messages: rdma_credit is 0."
    assert ended.breaks == ("v2.2.3.a", *ZERO.ids)


def test_what_is_only_recommended_counts_in_the_cases_about_it() -> None:
    about, other = CaseLog(), CaseLog()

    assert with_broken_rules(None, [SLACK, SLACK], SLACK.ids, about, "device") is None
    assert with_broken_rules(None, [SLACK], ZERO.ids, other, "device") is None
    assert [rule.detail for rule in about.warnings] == ["it is absent."]
    assert other.warnings == []


def test_a_device_that_breaks_thousands_of_rules_is_told_of_a_few() -> None:
    rules = [BrokenRule(ZERO.ids, f"rdma_credit is {number}") for number in range(50)]

    ended = with_broken_rules(None, rules, (), CaseLog(), "device")

    assert isinstance(ended, Deviation)
    assert ended.reason.endswith("rdma_credit is 7. And 42 more of the kind.")


def test_a_case_that_is_not_for_the_device_stays_so() -> None:
    found = Unsupported("no chunks")

    assert with_broken_rules(found, [ZERO], (), CaseLog(), "device") is found
