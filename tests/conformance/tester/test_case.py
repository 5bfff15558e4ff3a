"""What a running case notes: of its own, and apart from every other case's."""

from __future__ import annotations

import pytest

from conformance.oracle.verdict import BrokenRule
from conformance.tester.case import MOST_ARRIVALS, CaseLog, Deviation, Flooded
from reports.record import Verdict


def test_a_deviation_is_what_ends_a_case_and_says_what_it_breaks() -> None:
    error = Deviation("it is zero", expected=("one",), actual="zero", breaks=("rfc8166.4.x",))

    assert isinstance(error, AssertionError)
    assert (str(error), error.reason) == ("it is zero", "it is zero")
    assert (error.expected, error.actual, error.breaks) == (("one",), "zero", ("rfc8166.4.x",))


def test_a_warning_is_a_broken_rule_that_may_have_come_instead_of_the_rest() -> None:
    log = CaseLog()

    log.let_pass("slow", ("rfc8166.4.x",))
    assert (log.warnings, log.cut_short) == (
        [BrokenRule(("rfc8166.4.x",), "slow", severity=Verdict.WARN)],
        False,
    )

    log.let_pass("silent", (), instead=True)
    log.let_pass("slow", ())
    assert log.cut_short
    assert [str(rule) for rule in log.warnings] == ["rfc8166.4.x: slow", "silent", "slow"]


def test_a_device_may_send_much_but_not_without_end() -> None:
    log = CaseLog()
    for _ in range(MOST_ARRIVALS):
        log.count_arrival()

    with pytest.raises(Flooded, match="the device sent more than 10000 messages in one case"):
        log.count_arrival()


def test_the_notes_of_one_case_are_not_those_of_another() -> None:
    one, other = CaseLog(), CaseLog()

    one.let_pass("slow", ("rfc8166.4.x",))
    one.interpretations.append("D-12")
    one.mutations[b"octets"] = "one word"

    assert other == CaseLog()


def test_a_remark_is_told_once_and_warns_of_nothing() -> None:
    log = CaseLog()

    log.remark("It is slow.")
    log.remark("It is slow.")

    assert (log.notes, log.warnings, log.cut_short) == (["It is slow."], [], False)
