"""Broken rules: under which ids, and by which readings."""

from __future__ import annotations

from conformance.oracle.verdict import (
    BrokenRule,
    Judgement,
    Wording,
    alternative,
    best_of,
    broken_ids,
    broken_rule,
    readings_of,
)
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
    assert rule.warns


def test_what_several_rules_name_is_named_once() -> None:
    rules = [broken_rule((ZERO, RETIRED), "a", 2), broken_rule(ZERO, "b", 2, ("D-16", "D-61"))]

    assert broken_ids(rules) == (
        "v2.5.answer-reports-the-credit-limit",
        "v2.1.version-one-rules-go-on",
        RETIRED,
    )
    assert readings_of(rules) == ("D-61", "D-16")


GOOD = alternative("good", ZERO, 1)
ODD = alternative("odd", RETIRED, 1, ("D-15",), warning=True)
WORDING = Wording("wanted: {wanted}", "tolerated")


def judged(seen: str, *broken: BrokenRule) -> Judgement:
    return best_of((GOOD, ODD), lambda kind: kind == seen, lambda: broken, lambda: WORDING)


def test_an_alternative_has_the_ids_of_its_version_and_says_that_it_is_tolerated() -> None:
    assert alternative("good", ZERO, 2).ids == ("v2.5.answer-reports-the-credit-limit",)
    assert (str(GOOD), str(ODD)) == ("good", "odd (warning)")


def test_what_fits_nothing_breaks_what_was_asked_for_first() -> None:
    reason = "wanted: good; or odd (warning)"
    assert judged("bad") == Judgement(Verdict.FAIL, reason, (ZERO,), ("D-15",))


def test_what_fits_is_as_good_as_its_best_alternative() -> None:
    assert judged("good") == Judgement(Verdict.PASS)
    assert judged("odd") == Judgement(Verdict.WARN, "tolerated", (RETIRED,), ("D-15",))


def test_rules_that_what_fits_breaks_all_the_same_count_by_the_worst() -> None:
    bad = broken_rule(ZERO, "bad", 1, ("D-16",))
    odd = broken_rule(RETIRED, "not as it should be", severity=Verdict.WARN)

    assert judged("odd", odd, bad) == Judgement(Verdict.FAIL, "bad", (ZERO,), ("D-16",))
    assert judged("good", odd) == Judgement(Verdict.WARN, "not as it should be", (RETIRED,))
