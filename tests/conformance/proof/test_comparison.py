"""What cases accept lies within what the oracle allows, in the whole suite."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.oracle.outcome import Answered, Disconnected, ErrChunk, Silent
from conformance.oracle.responder.expectation import Answer, ResponderState
from conformance.proof.comparison import compare, compare_suite
from conformance.proof.difference import DifferenceKind
from conformance.suite.case import Case
from conformance.suite.runner import collect_cases
from conformance.suite.selection import Selection
from conformance.tester.acceptance import Acceptance
from conformance.tester.sent import Message
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, WriteChunk, encode_header
from targets.reference.server import ReferenceTarget
from targets.registry import find_profile

if TYPE_CHECKING:
    from conformance.oracle.outcome import Outcome
    from conformance.proof.comparison import OracleComparison

pytestmark = pytest.mark.long

KEEPS_NOTHING = "rfc8166/4.5.5/responder-executes-nothing-whose-chunk-was-cut"
"""The test program keeps nothing that could show it; `tests/conformance/tester/test_wire.py`
runs it in NFSv3."""

CUT = Message(
    7, bytes.fromhex("00000007 00000001 00000008 00000000 00000001 00000000 00000000"), ""
)
"""A header that ends within its Read list."""

MUST = "rfc8166.4.5.2.xdr-error-gets-err-chunk"
SHOULD = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"
CASE = Case("rfc8166/4.5.2/some-case", "", (MUST,), "responder", (), (), destructive=False)


def accepting(*kinds: type[Outcome], backward: bool = False) -> Acceptance:
    """A verification that accepts some kinds as the answer to a cut header."""
    state = ResponderState(backward=backward)
    return Acceptance(CUT, state, tuple(map(Answer, kinds)))


def sides(
    acceptance: Acceptance, case: Case = CASE
) -> list[tuple[DifferenceKind, tuple[str, ...]]]:
    """The differences of one verification, without their words."""
    return [(found.side, found.kinds) for found in compare(case, (acceptance,))]


@pytest.fixture(scope="module")
def suite() -> OracleComparison:
    """Every case for servers, run against the reference once."""
    target = ReferenceTarget(find_profile("reference"), "loopback")
    return compare_suite(target, Selection(role="responder", destructive=True))


@pytest.fixture(scope="module")
def one_only(suite: OracleComparison) -> OracleComparison:
    """The cases that noted nothing there, against a reference of Version One alone."""
    profile = find_profile("reference")
    claims = msgspec.structs.replace(profile.claims, versions=(1,))
    target = ReferenceTarget(msgspec.structs.replace(profile, claims=claims), "loopback")
    left = tuple(sorted(server_cases() - suite.noted))
    return compare_suite(target, Selection(role="responder", cases=left, destructive=True))


@pytest.fixture(scope="module")
def wired(suite: OracleComparison, one_only: OracleComparison) -> OracleComparison:
    """The cases that noted nothing there either, over packets that may get lost."""
    target = ReferenceTarget(find_profile("reference"), "switch")
    left = tuple(sorted(server_cases() - suite.noted - one_only.noted))
    return compare_suite(target, Selection(role="responder", cases=left))


def server_cases() -> frozenset[str]:
    """The ids of all cases for servers."""
    return frozenset(case.id for case in collect_cases() if case.role == "responder")


def test_no_case_differs_from_the_oracle_without_a_reason(
    suite: OracleComparison, one_only: OracleComparison, wired: OracleComparison
) -> None:
    unstated = (*suite.unstated, *one_only.unstated, *wired.unstated)
    assert unstated == (), "\n".join(map(str, unstated))


def test_each_reason_is_needed(
    suite: OracleComparison, one_only: OracleComparison, wired: OracleComparison
) -> None:
    assert suite.stale == one_only.stale == wired.stale == ()
    assert suite.stated


def test_each_case_notes_what_it_accepts(
    suite: OracleComparison, one_only: OracleComparison, wired: OracleComparison
) -> None:
    assert server_cases() - suite.noted - one_only.noted - wired.noted == {KEEPS_NOTHING}


def test_many_messages_are_compared(suite: OracleComparison) -> None:
    assert suite.messages > 2600


def test_agrees_where_both_say_the_same() -> None:
    assert sides(accepting(ErrChunk)) == []
    assert sides(accepting(ErrChunk, Silent, backward=True)) == []


def test_finds_what_the_case_alone_accepts() -> None:
    assert sides(accepting(ErrChunk, Silent)) == [(DifferenceKind.WIDER, ("silence",))]


def test_finds_what_the_oracle_alone_allows() -> None:
    assert sides(accepting(ErrChunk, backward=True)) == [(DifferenceKind.NARROWER, ("silence",))]


def test_what_only_breaks_a_recommendation_is_a_warning_already() -> None:
    only_warns = replace(accepting(ErrChunk, backward=True), breaks=(SHOULD,))

    assert sides(only_warns) == [(DifferenceKind.STRICTER, ("silence",))]


def test_finds_a_warning_for_what_the_oracle_allows() -> None:
    warned = replace(
        accepting(ErrChunk, backward=True), tolerated=(Answer(Silent), Answer(Answered))
    )

    found = dict(sides(warned))

    assert found[DifferenceKind.STRICTER] == ("silence",)
    assert "a Reply of SUCCESS" in found[DifferenceKind.WIDER]


def test_takes_the_steps_of_one_message_together() -> None:
    found = compare(CASE, (accepting(ErrChunk, backward=True), accepting(Silent, backward=True)))

    assert found == ()


def test_compares_no_status_that_the_oracle_cannot_know() -> None:
    words = "00000007 00000001 00000008 00000000 00000000 00000000 00000000"
    call = (
        "00000007 00000000 00000002 20000001 00000001 00000000 00000000 00000000 00000000 00000000"
    )
    message = Message(7, bytes.fromhex(words + call), "NULL")
    served = Acceptance(
        message, ResponderState(), (Answer(Answered, frozenset({RpcOutcome.SUCCESS})),)
    )

    assert sides(served) == []


def test_does_not_ask_a_case_for_refusals_of_the_program() -> None:
    """Results that cannot be written: a case may accept no Reply at all, and no success."""
    call = testprog_calls.fetch(7, 800)
    body = RdmaMsg((), (WriteChunk((RdmaSegment(9, 800, 0),)),), None)
    message = Message(7, encode_header(TransportHeader(7, 1, 8, body)) + call, "FETCH")
    state = ResponderState(upper_layer=TestProgram())
    refused = Acceptance(message, state, tuple(map(Answer, (ErrChunk, Disconnected))))
    success = Answer(Answered, frozenset({RpcOutcome.SUCCESS}))

    assert sides(refused) == []
    assert sides(replace(refused, allowed=(*refused.allowed, success))) == [
        (DifferenceKind.WIDER, ("a Reply of SUCCESS",))
    ]


def test_says_the_difference_in_the_words_of_both() -> None:
    (found,) = compare(CASE, (accepting(ErrChunk, Silent),))

    assert str(found).splitlines()[0] == (
        "rfc8166/4.5.2/some-case: the case accepts what the oracle does not allow: silence"
    )
    assert "case:    ERR_CHUNK; silence" in str(found)
    assert "oracle:  ERR_CHUNK (" in str(found)
