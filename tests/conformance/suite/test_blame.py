"""Nothing is blamed that was not looked at."""

from __future__ import annotations

from conformance.catalogue.entries import load_catalogue
from conformance.oracle.verdict import BrokenRule, SeenMessage
from conformance.suite.blame import cited_and_broken, marks_on, meant
from conformance.suite.case import Case
from conformance.tester.case import CaseLog, Deviation, Inconclusive
from reports.record import Mark, Verdict

SHOULD = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"
MUST = "rfc8166.4.5.2.xdr-error-gets-err-chunk"
RULE = "rfc8166.4.5.error-xid-echoed"
MODEL = "rfc8166.3.1.read-write-model-only"


def case(*cited: str, means: tuple[tuple[str, tuple[str, ...]], ...] = ()) -> Case:
    return Case("rfc8166/4.5/it", "", cited, "responder", (), (), destructive=False, means=means)


def test_a_case_about_one_or_two_statements_is_about_all_of_them() -> None:
    assert cited_and_broken(case(SHOULD, MUST), load_catalogue()) == (SHOULD, MUST)


def test_one_about_more_is_about_its_first_rule() -> None:
    assert cited_and_broken(case(SHOULD, MUST, RULE), load_catalogue()) == (MUST,)


def test_where_nothing_was_seen_one_statement_alone_is_blamed() -> None:
    catalogue = load_catalogue()

    assert cited_and_broken(case(SHOULD, MUST), catalogue, unanswered=True) == (MUST,)
    assert cited_and_broken(case(SHOULD), catalogue, unanswered=True) == (SHOULD,)


def test_a_rule_may_mean_more_in_a_case() -> None:
    one = case(RULE, means=((MUST, (SHOULD,)),))

    assert meant(one, (MUST,)) == (MUST, SHOULD)
    assert meant(one, (RULE,)) == (RULE,)


def test_a_deviation_marks_what_it_says_or_what_its_requirement_is_about() -> None:
    case = CaseLog(looked_at=SeenMessage(7, 20))
    told = (Mark(8, 40, "rdma_credit", "it is 0"),)

    assert marks_on(Deviation("odd", marks=told), case, (RULE,)) == told
    assert marks_on(Deviation("odd"), case, (MODEL, RULE)) == (Mark(7, 20, "rdma_xid", "odd"),)
    assert marks_on(Deviation("odd"), case, (MODEL,)) == ()
    assert marks_on(Deviation("odd"), CaseLog(), (RULE,)) == ()


def test_no_more_fields_are_marked_than_anybody_reads() -> None:
    many = tuple(Mark(number, 20, "rdma_xid", "odd") for number in range(100))

    assert len(marks_on(Deviation("odd", marks=many), CaseLog(), ())) == 8


def test_a_warning_marks_its_field_and_what_is_not_judged_none() -> None:
    case = CaseLog(looked_at=SeenMessage(7, 20))
    case.warnings.append(BrokenRule((RULE,), "odd", severity=Verdict.WARN, seen=SeenMessage(7, 20)))
    case.let_pass("even", (RULE,))

    assert [mark.why for mark in marks_on(None, case, ())] == ["odd", "even"]
    assert marks_on(Inconclusive("nothing came"), case, ()) == ()
