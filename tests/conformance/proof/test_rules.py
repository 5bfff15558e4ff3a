"""What judges a requirement is found, wherever the judge keeps its id."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from conformance.catalogue.entries import Testability, load_catalogue
from conformance.proof import rules
from conformance.proof.places import ROOT, Place
from conformance.suite.runner import collect_cases

if TYPE_CHECKING:
    from conformance.suite.case import Case

WIRE = load_catalogue().select(test=Testability.WIRE)


def stem_of(case: Case) -> str:
    """Its id without parameters."""
    return case.id.partition("[")[0]


def names(places: tuple[Place, ...]) -> set[tuple[str, str]]:
    return {(place.file, place.name) for place in places}


def test_a_rule_is_found_in_the_function_that_names_it() -> None:
    found = names(rules.rules("rfc8166.3.3.1.grant-is-never-zero"))

    assert ("conformance/oracle/responder/reply_rules.py", "_fixed_words") in found


@pytest.mark.long
def test_a_rule_that_the_oracle_does_not_name_is_found_at_the_other_judges() -> None:
    found = [place.file for entry in WIRE for place in rules.rules(entry.id)]

    assert any(file.startswith("conformance/oracle/") for file in found)
    assert any(file.startswith("conformance/verify/") for file in found)


@pytest.mark.long
def test_every_rule_is_in_a_line_that_exists() -> None:
    for entry in WIRE:
        for place in rules.rules(entry.id):
            text = (ROOT / place.file).read_text()
            assert f'"{entry.id}"' in text
            assert place.name.rpartition(".")[2] in text
            assert 0 < place.line <= len(text.splitlines())


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ('def f():\n    return "x"', {(2, "f")}),
        ('A = ("x",)\ndef f():\n    return A', {(1, "A"), (3, "f")}),
        ('A: int = "x"\nclass C:\n    def g(self):\n        A', {(1, "A"), (4, "C.g")}),
        ('"""About x."""\nB = "y"\ndef f():\n    return B', set()),
        ('f("x")', {(1, "")}),
    ],
)
def test_an_id_is_found_in_functions_and_through_constants(
    source: str, uses: set[tuple[int, str]]
) -> None:
    assert set(rules._uses(ast.parse(source), "x")) == uses


def test_a_rule_that_goes_on_in_version_two_leads_to_where_it_began() -> None:
    begun = rules.origins("v2.4.2.3.error-echoes-the-xid")

    assert begun == ("rfc8166.4.5.error-xid-echoed",)
    assert rules.rules(begun[0])
    assert rules.origins("rfc8166.4.5.error-xid-echoed") == ()


def test_the_checks_that_a_case_calls_are_found() -> None:
    found = rules.called_by("rfc8166/3.3.1/responder-never-grants-zero-credits")

    assert found
    for place in found:
        assert (
            (ROOT / place.file)
            .read_text()
            .splitlines()[place.line - 1]
            .startswith(f"def {place.name}(")
        )


def test_the_checks_of_a_tester_and_of_helpers_of_the_file_are_found() -> None:
    found = names(
        rules.called_by("bidir/1.3.4/server-takes-no-reply-with-an-xid-that-it-did-not-use")
    )
    below = names(rules.called_by("xcharext/2.1/value-that-is-too-short-is-reported"))

    assert ("conformance/backward/client.py", "BackwardClient.no_call") in found
    assert ("conformance/options/verify.py", "reports_bad_header") in below


def test_what_is_broken_may_be_told_by_position() -> None:
    found = names(rules.called_by("rtrext/6.2/requester-takes-either-way-of-placement"))
    told_nothing = names(rules.called_by("rtrext/9.4/requester-says-what-it-continues"))

    assert ("conformance/groups/server.py", "GroupServer.done") in found
    assert ("conformance/groups/server.py", "GroupServer.finish") not in told_nothing


def test_a_call_that_is_not_told_what_is_broken_is_no_check() -> None:
    found = rules.called_by("rfc8166/3.3.1/responder-never-grants-zero-credits")

    assert not [place for place in found if place.name.endswith(".send")]


@pytest.mark.long
def test_every_requirement_with_a_case_leads_to_what_judges_it() -> None:
    citing = defaultdict(list)
    for case in collect_cases():
        for identity in case.requirements:
            citing[identity].append(case)
    checks = {stem: rules.called_by(stem) for stem in map(stem_of, collect_cases())}

    def judged(identity: str) -> bool:
        cases = citing[identity]
        named = (identity, *rules.origins(identity), *rules.stand_for(identity, cases))
        return any(checks[stem_of(case)] for case in cases) or any(map(rules.rules, named))

    assert [entry.id for entry in WIRE if entry.id in citing and not judged(entry.id)] == []


def test_the_endpoints_code_is_where_it_names_the_requirement_and_where_mutants_begin() -> None:
    found = names(rules.endpoint_code("rfc8166.4.5.1.unsupported-version-gets-err-vers"))

    assert any(file == "rpcrdma/endpoint/core/faults.py" for file, _ in found)
    assert len({file for file, _ in found}) > 1


def test_an_interpretation_is_found_by_its_whole_number() -> None:
    places = rules.mentions("D-12")

    assert places
    lines = [(ROOT / place.file).read_text().splitlines()[place.line - 1] for place in places]
    assert [line for line in lines if "D-12" not in line or "D-120" in line] == []
