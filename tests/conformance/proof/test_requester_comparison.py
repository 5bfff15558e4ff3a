"""What cases make of clients lies within what the oracle allows, in the whole suite.

That of their messages is compared against every mutant, too: `tests/targets/mutants`.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance import scenarios
from conformance.catalogue.entries import load_catalogue
from conformance.oracle.requester.expectation import Reaction, ReactionExpectation, may_react
from conformance.oracle.verdict import broken_rule
from conformance.proof.comparison import compare_suite
from conformance.proof.difference import DifferenceKind
from conformance.proof.kills import read_kills
from conformance.proof.requester_comparison import compare_act, compare_call
from conformance.proof.rules import origins, rules
from conformance.suite.case import Case
from conformance.suite.runner import collect_cases
from conformance.suite.selection import Selection
from conformance.tester.server.received import ReceivedCall
from conformance.tester.server.served import CallVerdict, ServedAct
from reports.record import Verdict
from targets.base import ActState
from targets.mutants.base import PREFIX, find_mutant
from targets.registry import find_any_target

if TYPE_CHECKING:
    from conformance.proof.comparison import OracleComparison

pytestmark = pytest.mark.long

MUST = "rfc8166.4.2.2.version-is-one"
SHOULD = "rfc8166.3.4.5.2.no-roundup-in-read-chunks"
CASE = Case("rfc8166/4.2.2/some-case", "", (MUST,), "requester", (), (), destructive=False)

GOOD = ReactionExpectation("", (may_react(Reaction.COMPLETED, MUST, 1),), 7)
ERROR = ReactionExpectation("ERR_CHUNK", (may_react(Reaction.FAILED, MUST, 1),), 7)


@pytest.fixture(scope="module")
def suite() -> OracleComparison:
    """Every case for clients, run against the reference once."""
    target = find_any_target("reference-client", "loopback")
    return compare_suite(target, Selection(role="requester", destructive=True))


@pytest.fixture(scope="module")
def mutants(suite: OracleComparison) -> tuple[OracleComparison, ...]:
    """The cases that give a reason which only faulty messages can need, each with its mutant."""
    return tuple(
        compare_suite(find_any_target(f"{PREFIX}{slug}", "loopback"), Selection(cases=(case,)))
        for stem in sorted(unneeded(suite))
        for slug, case in killed_by(stem)
    )


def unneeded(*found: OracleComparison) -> set[str]:
    """Functions for clients alone whose reason no run has needed."""
    servers = {stem_of(case.id) for case in collect_cases() if case.role == "responder"}
    stated = {stem_of(item.case) for one in found for item in one.stated}
    return {stem for one in found for stem, _ in one.stale} - servers - stated


def killed_by(stem: str) -> list[tuple[str, str]]:
    """The mutants that break what a function cites, and which it kills, with the case that does."""
    cited = {
        one for case in collect_cases() if stem_of(case.id) == stem for one in case.requirements
    }
    return [
        (kill.slug, case)
        for kill in read_kills().values()
        for case in kill.killers
        if stem_of(case) == stem and find_mutant(kill.slug).breaks in cited
    ]


def stem_of(case: str) -> str:
    """The id without parameters, which stands for the function."""
    return case.partition("[")[0]


def test_no_case_differs_from_the_oracle_without_a_reason(
    suite: OracleComparison, mutants: tuple[OracleComparison, ...]
) -> None:
    unstated = [item for one in (suite, *mutants) for item in one.unstated]

    assert unstated == [], "\n".join(map(str, unstated))


def test_each_reason_is_needed(
    suite: OracleComparison, mutants: tuple[OracleComparison, ...]
) -> None:
    assert unneeded(suite, *mutants) == set()
    assert suite.stated


def test_many_acts_are_compared(suite: OracleComparison) -> None:
    assert suite.messages > 2000


def test_each_rule_that_a_case_asks_about_is_one_of_the_oracle() -> None:
    asked = {one for path in Path(scenarios.__file__).parent.rglob("*.py") for one in obeyed(path)}
    known = {
        one
        for one in asked
        for identity in (one, *origins(one))
        if any(place.file.startswith("conformance/oracle/") for place in rules(identity))
    }

    assert len(asked) > 60
    assert asked - known == set()


def obeyed(path: Path) -> set[str]:
    """The ids that the cases of a file ask the oracle about."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = {
        target.id: {node.value for node in ast.walk(value) if isinstance(node, ast.Constant)}
        | {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        for statement in tree.body
        if (value := getattr(statement, "value", None)) is not None
        for target in (*getattr(statement, "targets", ()), getattr(statement, "target", None))
        if isinstance(target, ast.Name)
    }
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    asking = [call for call in calls if ast.unparse(call.func) == "verify.calls.obey"]
    found = {
        word
        for call in asking
        for argument in call.args[1:]
        for node in ast.walk(argument)
        for word in (getattr(node, "id", ""), getattr(node, "value", ""))
        if isinstance(word, str)
    }
    for _ in range(2):  # a constant may be made of others
        found |= {one for name in found for one in texts.get(name, ()) if isinstance(one, str)}
    return found & {entry.id for entry in load_catalogue()}


# -- acts


def ends(act: ServedAct, *, takes: bool | None = None) -> dict[DifferenceKind, tuple[str, ...]]:
    if takes is not None:
        act.takes(done=takes)
    return {found.side: found.kinds for found in compare_act(CASE, act)}


def test_agrees_where_an_act_ends_as_it_must() -> None:
    assert ends(ServedAct(ActState.DONE, sent=(GOOD,)), takes=True) == {}
    assert ends(ServedAct(ActState.FAILED, sent=(GOOD, ERROR)), takes=False) == {}


def test_finds_an_end_that_the_oracle_does_not_allow() -> None:
    assert ends(ServedAct(ActState.DONE, sent=(ERROR,)), takes=True) == {
        DifferenceKind.WIDER: ("the act is done",),
        DifferenceKind.NARROWER: ("the act fails",),
    }


def test_finds_an_end_that_the_oracle_allows_as_well() -> None:
    either = replace(GOOD, allowed=(*GOOD.allowed, *ERROR.allowed))

    found = ends(ServedAct(ActState.DONE, sent=(either,)), takes=True)

    assert found == {DifferenceKind.NARROWER: ("the act fails",)}


def test_an_end_at_which_nobody_looks_is_accepted() -> None:
    assert ends(ServedAct(ActState.DONE, sent=(GOOD,))) == {
        DifferenceKind.WIDER: ("the act fails",)
    }


def test_says_the_difference_in_the_words_of_both() -> None:
    (found,) = compare_act(CASE, ServedAct(ActState.FAILED, sent=(ERROR,)))

    assert "message: what was sent while the client acted (ERR_CHUNK)" in str(found)
    assert "case:    the act is done; the act fails" in str(found)
    assert "oracle:  the act fails" in str(found)


# -- messages


def sides(*verdicts: CallVerdict, severity: Verdict | None = None) -> list[DifferenceKind]:
    """How a case differs about a message that breaks a rule with this severity, or none."""
    call = ReceivedCall(1, 0, bytes(28), None, b"", None)
    call.verdicts += verdicts
    if severity is not None:
        call.broken = (broken_rule(MUST, "rdma_vers is 3", 1, severity=severity),)
    return [found.side for found in compare_call(CASE, call)]


def test_agrees_where_both_refuse_a_message_or_neither() -> None:
    assert sides(CallVerdict("It is odd"), severity=Verdict.FAIL) == []
    assert sides(CallVerdict("")) == []


def test_finds_a_message_that_the_case_alone_refuses() -> None:
    assert sides(CallVerdict("It is odd")) == [DifferenceKind.NARROWER]
    assert sides(CallVerdict("It is odd"), severity=Verdict.WARN) == [DifferenceKind.NARROWER]


def test_what_breaks_a_recommendation_may_be_refused_by_it() -> None:
    assert sides(CallVerdict("It is odd", (SHOULD,)), severity=Verdict.WARN) == []


def test_finds_a_message_that_the_case_accepts_although_it_breaks_what_the_case_is_about() -> None:
    assert sides(CallVerdict(""), severity=Verdict.FAIL) == [DifferenceKind.WIDER]
    assert sides(CallVerdict("", (SHOULD,)), severity=Verdict.FAIL) == []
    assert sides(CallVerdict(""), severity=Verdict.WARN) == []


# -- a contradiction, planted


def test_a_planted_contradiction_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an oracle that allows a client to fail whatever comes, cases that do not differ."""
    monkeypatch.setattr(ServedAct, "allowed", property(lambda _self: frozenset({True, False})))
    target = find_any_target("reference-client", "loopback")

    found = compare_suite(target, Selection(document="rfc8166", section="4.5.5", role="requester"))

    assert {item.side for item in found.unstated} == {DifferenceKind.NARROWER}
