"""Variants: no case may hold it against an endpoint that it chooses otherwise."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

import targets.variants
from conformance.catalogue.entries import load_catalogue
from conformance.catalogue.interpretations import load_interpretations
from conformance.proof.variants.plan import documents_about
from conformance.suite.runner import collect_cases, judge
from conformance.suite.selection import Selection
from reports.record import Verdict
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.wire.operations import ROPT_XMTCONT
from targets.base import TargetError
from targets.reference.client_parts import ClientParts
from targets.reference.replaced_parts import BOTH_ENDS, Registry
from targets.reference.roles import REDUCTIONS
from targets.reference.server_parts import Parts
from targets.registry import find_any_target, find_profile
from targets.variants import base
from targets.variants.base import PREFIX, find_variant, variant, variant_target, variants

if TYPE_CHECKING:
    from conformance.suite.case import Case
    from targets.variants.base import Variant

ALL = variants()


@pytest.fixture
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_registry", Registry(targets.variants, "variant"))


@pytest.mark.usefixtures("_own_registry")
def test_registers_a_part_under_its_name() -> None:
    part = type("AlikeButOther", (ReplyRules,), {"__doc__": "Chooses\n otherwise."})
    variant("D-1", leaves_open={"rfc8166/3": "of this"})(part)

    found = base._registry.find("alike-but-other")
    assert (found.slug, found.allowed_by, found.choice) == (
        *("alike-but-other", "D-1"),
        "Chooses otherwise.",
    )
    assert found.parts == Parts(replies=part)
    assert found.profile_name == "reference"
    assert found.explanation("rfc8166/3.1/x") == "of this"
    assert found.explanation("rfc8166/4/x") == ""


@pytest.mark.usefixtures("_own_registry")
def test_what_both_ends_have_is_a_variant_of_each() -> None:
    part = type("Odd", (PropertyRules,), {"__doc__": "Is odd."})
    variant("D-1", roles=BOTH_ENDS)(part)

    assert base._registry.find("odd").parts == Parts(properties=part)
    assert base._registry.find("odd-at-client").parts == ClientParts(properties=part)
    assert base._registry.find("odd-at-client").profile_name == "reference-client"


@pytest.mark.usefixtures("_own_registry")
def test_a_variant_may_do_without_an_operation_and_reduce_in_its_own_way() -> None:
    part = type("Odd", (ReplyRules,), {"__doc__": "Is odd."})
    own = replace(REDUCTIONS, response_limit=1)
    variant("D-1", without=("xmtcont",), reductions=own)(part)

    found = base._registry.find("odd")
    assert (found.without, found.parts.reductions) == (("xmtcont",), own)
    assert ROPT_XMTCONT not in found.parts.operations
    claims = variant_target("odd", find_profile("reference")).profile.claims
    assert set(find_profile("reference").claims.operations) - set(claims.operations) == {"xmtcont"}


@pytest.mark.usefixtures("_own_registry")
def test_a_name_is_taken_once() -> None:
    part = type("Odd", (Requester,), {"__doc__": "Is odd."})
    variant("D-1")(part)

    with pytest.raises(ValueError, match="two variants named odd"):
        variant("D-1")(part)


def test_a_variant_is_a_target_of_that_name() -> None:
    target = find_any_target("variant:grants-one-credit", "loopback")

    assert target.name == "variant:grants-one-credit"
    assert target.profile.claims == find_profile("reference").claims


def test_what_is_not_there_is_said_so() -> None:
    with pytest.raises(TargetError, match="no variant `nobody`; `rpcrdma targets` lists them"):
        find_variant("variant:nobody")
    with pytest.raises(TargetError, match="loopback, roce or verbs, not on switch"):
        variant_target("grants-one-credit", find_profile("reference"), "switch")


def test_handles_are_chosen_in_this_process_alone() -> None:
    with pytest.raises(TargetError, match="use loopback, not roce"):
        find_any_target("variant:uses-handles-again", "roce")


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.slug)
def test_names_what_leaves_the_choice(one: Variant) -> None:
    readings = {reading.id for reading in load_interpretations().values()}
    assert one.allowed_by in load_catalogue() or one.allowed_by in readings
    assert one.choice.count(".") == 1
    assert one.choice.endswith(".")
    cases = [case.id for case in collect_cases()]
    for begin, why in one.leaves_open:
        assert any(case.startswith(begin) for case in cases), begin
        assert why


@pytest.mark.long
@pytest.mark.parametrize("one", ALL, ids=lambda one: one.slug)
def test_is_judged_as_the_reference_is(one: Variant) -> None:
    document = documents_about(one, all_of_them=NIGHT)
    expected = verdicts(one.profile_name, document)
    found = verdicts(f"{PREFIX}{one.slug}", document, tuple(begin for begin, _ in one.leaves_open))

    assert found.keys() <= expected.keys()
    other = {case: said for case, said in found.items() if said[0] is not expected[case][0]}
    held = {case: said for case, said in other.items() if said[0] in DECIDED}
    assert held == {}
    unexplained = {case: said for case, said in other.items() if not one.explanation(case)}
    assert unexplained == {}
    needed = {one.explanation(case) for case in other}
    assert {why for _, why in one.leaves_open} == needed


def enough(cases: tuple[Case, ...], whole: tuple[str, ...], slug: str) -> tuple[Case, ...]:
    """The cases with which a variant is judged: by night all, by day one of each scenario.

    Args:
        cases: all.
        whole: beginnings of ids; where a section is named, all of the cases are judged.
        slug: of the variant: others have other parameters of a scenario.
    """
    named = tuple(begin for begin in whole if begin.count("/") > 1)
    many = Counter(case.id.partition("[")[0] for case in cases)
    number = crc32(slug.encode())
    seen: Counter[str] = Counter()
    chosen = []
    for case in cases:
        scenario = case.id.partition("[")[0]
        if NIGHT or case.id.startswith(named) or seen[scenario] == number % many[scenario]:
            chosen.append(case)
        seen[scenario] += 1
    return tuple(chosen)


NIGHT = os.environ.get("HYPOTHESIS_PROFILE") == "night"
"""When there is time for all documents with each variant."""


DECIDED = (Verdict.FAIL, Verdict.WARN, Verdict.ERROR)


@cache
def verdicts(
    name: str, document: str, whole: tuple[str, ...] | None = None
) -> dict[str, tuple[Verdict, str]]:
    """What is said of a target; of the reference in all cases, of a variant in enough."""
    target = find_any_target(name, "loopback")
    selection = Selection(document=document, destructive=True)

    def order(cases: tuple[Case, ...]) -> tuple[Case, ...]:
        return cases if whole is None else enough(cases, whole, name)

    return {
        record.id: (record.verdict, record.reason)
        for record in judge(target, selection, order=order)
    }
