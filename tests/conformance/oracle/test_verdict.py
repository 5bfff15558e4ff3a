"""Broken rules: under which ids, and by which readings."""

from __future__ import annotations

from conformance.oracle.verdict import broken_ids, broken_rule, readings_of
from reports.record import Verdict

ZERO = "rfc8166.3.3.1.grant-is-never-zero"
RETIRED = "rfc8166.2.2.2.reply-retires-the-xid"


def test_a_rule_is_told_by_the_ids_of_the_version_and_known_by_the_first_one() -> None:
    one, two = (broken_rule(ZERO, "it is 0", version, ("D-16",)) for version in (1, 2))

    assert one.ids == (ZERO,)
    assert two.ids == ("v2.5.answer-reports-the-credit-limit",)
    assert one.origin == two.origin == ZERO
    assert (one.readings, two.readings) == (("D-16",), ("D-16", "D-61"))


def test_a_broken_rule_reads_as_its_plainest_statement() -> None:
    assert str(broken_rule((ZERO, RETIRED), "what is wrong")) == f"{ZERO}: what is wrong"


def test_a_rule_of_version_two_itself_rests_on_no_inheritance() -> None:
    rule = broken_rule("v2.4.2.procedure-numbers", "it is 9", 2, severity=Verdict.WARN)

    assert (rule.ids, rule.readings) == (("v2.4.2.procedure-numbers",), ())
    assert rule.severity is Verdict.WARN


def test_what_several_rules_name_is_named_once() -> None:
    rules = [broken_rule((ZERO, RETIRED), "a", 2), broken_rule(ZERO, "b", 2, ("D-16", "D-61"))]

    assert broken_ids(rules) == (
        "v2.5.answer-reports-the-credit-limit",
        "v2.1.version-one-rules-go-on",
        RETIRED,
    )
    assert readings_of(rules) == ("D-61", "D-16")
