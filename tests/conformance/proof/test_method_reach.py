"""In which cases the reference calls a method, and what a run against a mutant leaves out by it."""

from __future__ import annotations

import sys
from functools import cache

import pytest

from conformance.proof.matrix import run_mutant
from conformance.proof.method_reach import MethodReach, reach_of_methods
from conformance.suite.selection import Selection
from reports.record import Verdict
from targets.mutants.base import find_mutant, mutants

RARE = find_mutant("names-no-version")
COMMON = find_mutant("grants-zero")
REACHED = "rfc8166/4.5.1/responder-answers-an-unsupported-version-with-its-own-range"
OTHER = "rfc8166/3.3.1/responder-never-grants-zero-credits"


@cache
def reach() -> MethodReach:
    methods = {RARE.method, COMMON.method}
    return reach_of_methods("reference", methods, Selection(cases=(REACHED, OTHER)))


def ids(case: str) -> frozenset[str]:
    return frozenset(one.id for one in reach().records if one.id.startswith(case))


def test_cases_are_those_in_which_the_method_is_called() -> None:
    assert ids(REACHED)
    assert ids(OTHER)
    assert len(reach().cases[RARE.method] & ids(REACHED)) > 3
    assert not reach().cases[RARE.method] & ids(OTHER)
    assert reach().cases[COMMON.method] >= ids(OTHER)
    assert {one.verdict for one in reach().records} == {Verdict.PASS, Verdict.NA}


def test_nothing_is_noted_afterwards() -> None:
    before = sys.getprofile()
    reach()

    assert sys.getprofile() is before


def test_a_run_that_leaves_cases_out_says_what_a_whole_run_says() -> None:
    whole = run_mutant(RARE.slug, (REACHED, OTHER))
    part = run_mutant(RARE.slug, (REACHED, OTHER), reach())

    assert whole.killed
    assert part == whole


def test_cases_in_which_a_mutant_cannot_show_are_those_of_the_reference() -> None:
    unreached = MethodReach(reach().records, {})

    row = run_mutant(RARE.slug, (REACHED, OTHER), unreached)

    assert not row.killed  # nothing has run
    assert row.cases == len(reach().records)


@pytest.mark.parametrize("slug", ["posts-short-receives", "hangs-up-when-nobody-listens-at-client"])
def test_a_mutant_names_the_method_that_it_breaks(slug: str) -> None:
    module, _, name = find_mutant(slug).method.partition(":")

    assert module.startswith("rpcrdma.endpoint.")
    assert name.count(".") == 1


def test_a_mutant_that_claims_less_has_no_single_method() -> None:
    assert not any(
        one.method for one in mutants() if one.without or one.versions or one.fabric != "loopback"
    )
