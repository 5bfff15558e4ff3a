"""Nothing is blamed that was not looked at."""

from __future__ import annotations

from conformance.catalogue.entries import load_catalogue
from conformance.suite.blame import cited_and_broken, meant
from conformance.suite.plugin import Case

SHOULD = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"
MUST = "rfc8166.4.5.2.xdr-error-gets-err-chunk"
RULE = "rfc8166.4.5.error-xid-echoed"


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
