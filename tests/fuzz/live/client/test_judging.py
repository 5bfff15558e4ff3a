"""Ends of acts, judged by what was sent meanwhile."""

from __future__ import annotations

import hashlib

import pytest

from conformance.oracle.requester.expectation import Reaction, ReactionExpectation, may_react
from conformance.oracle.verdict import BrokenRule
from conformance.tester.server.served import ServedAct
from fuzz.live.client.judging import CLOSED, judged
from fuzz.live.client.recipes import Turn
from reports.record import Verdict
from rpcrdma.ulp.pattern import pattern
from targets.base import ActKind, ActState

DONE, FAILED = ActState.DONE, ActState.FAILED
RULE = "rfc8166.4.5.error-completes-the-rpc"
READ = Turn(ActKind.READ, 100)


def expectation(fault: str, *reactions: Reaction, warning: bool = False) -> ReactionExpectation:
    allowed = tuple(may_react(one, (RULE,), 1, warning=warning) for one in reactions)
    return ReactionExpectation(fault, allowed, 7)


GOOD = expectation("", Reaction.COMPLETED)
REFUSED = expectation("ERR_CHUNK", Reaction.FAILED)
DROPPED = expectation("a stray", Reaction.WAITING)
TOLERATED = expectation("a bad header", Reaction.WAITING, Reaction.FAILED, warning=True)
USELESS = ReactionExpectation("a useless one", (may_react(Reaction.WAITING, ("a.5.rule",), 1),), 7)
CLOSES = expectation("a bad header", Reaction.CLOSED)


def act(state: ActState, *sent: ReactionExpectation, data: bytes = b"") -> ServedAct:
    digest = hashlib.sha256(data).hexdigest() if data else ""
    return ServedAct(state, "", None, digest, sent)


@pytest.mark.parametrize(
    ("served", "verdict"),
    [
        (act(DONE, GOOD), Verdict.PASS),
        (act(FAILED, GOOD), Verdict.FAIL),
        (act(FAILED, GOOD, REFUSED), Verdict.PASS),
        (act(DONE, GOOD, REFUSED), Verdict.FAIL),
        (act(DONE, DROPPED, GOOD), Verdict.PASS),
        (act(FAILED, DROPPED, GOOD), Verdict.FAIL),
        (act(DONE, TOLERATED), Verdict.PASS),
        (act(FAILED, TOLERATED), Verdict.PASS),
        (act(FAILED), Verdict.PASS),
    ],
)
def test_an_end_is_right_that_the_oracle_allows_or_tolerates(
    served: ServedAct, verdict: Verdict
) -> None:
    fired = judged(READ, served, ())
    assert fired.verdict is verdict
    assert fired.violated == ((RULE,) if verdict is Verdict.FAIL else ())


def test_the_reason_names_the_message_that_led_to_the_end() -> None:
    assert judged(READ, act(DONE, GOOD, REFUSED), ()).reason == "ERR_CHUNK: the act is done"
    assert judged(READ, act(FAILED, GOOD), ()).reason == "good Replies alone: the act is failed"


def test_either_end_is_right_of_calls_whose_connection_was_lost() -> None:
    assert judged(READ, act(FAILED, GOOD), (), lost=True).verdict is Verdict.PASS


def test_a_client_that_ends_the_connection_needs_a_reason() -> None:
    fired = judged(READ, act(DONE, GOOD), (), closed=True)
    assert (fired.verdict, fired.reason) == (Verdict.FAIL, f"good Replies alone: {CLOSED}")
    assert judged(READ, act(FAILED, CLOSES), (), closed=True).verdict is Verdict.PASS
    assert judged(READ, act(DONE, GOOD), (), closed=True, lost=True).verdict is Verdict.PASS
    assert judged(READ, act(DONE, GOOD), (), closed=True, alters=True).verdict is Verdict.PASS


def test_rules_that_messages_break_come_first_and_warnings_do_not_count() -> None:
    rules = (
        BrokenRule(("a.1.rule",), "too long", severity=Verdict.WARN),
        BrokenRule(("a.2.rule",), "no credit"),
    )
    fired = judged(READ, act(FAILED, GOOD), rules)
    assert (fired.reason, fired.violated) == ("no credit", ("a.2.rule",))
    assert judged(READ, act(DONE, GOOD), rules[:1]).verdict is Verdict.PASS


def test_a_refused_call_may_come_again_where_the_error_may_not_have_come() -> None:
    permanent = "rfc8166.4.5.error-is-permanent"
    rule = BrokenRule((permanent,), "it is sent again", origin=permanent)
    assert judged(READ, act(DONE, GOOD), (rule,), lost=True).verdict is Verdict.PASS
    assert judged(READ, act(DONE, GOOD), (rule,)).verdict is Verdict.FAIL


def test_an_act_is_not_done_before_its_calls_have_their_replies() -> None:
    fired = judged(READ, act(DONE, DROPPED), (), early=True)
    assert fired.reason == "a stray: the act is done before the call has its Reply"
    ended = judged(READ, act(DONE, DROPPED), (), early=True, early_after=USELESS)
    assert ended.reason == "a useless one: the act is done before the call has its Reply"
    assert ended.violated == ("a.5.rule",)
    assert judged(READ, act(DONE, DROPPED), (), early=True, lost=True).verdict is Verdict.PASS
    assert judged(READ, act(DONE, DROPPED), (), early=True, alters=True).verdict is Verdict.PASS


def test_memory_of_what_is_over_is_out_of_reach() -> None:
    fired = judged(READ, act(DONE, GOOD), (), lost=True, exposed="handle 0x7")
    assert fired.reason == "memory is exposed: handle 0x7"


def test_the_application_gets_what_the_file_has() -> None:
    assert judged(READ, act(DONE, GOOD, data=pattern(100)), ()).verdict is Verdict.PASS
    wrong = act(DONE, GOOD, data=bytes(100))
    assert "other octets" in judged(READ, wrong, ()).reason
    assert judged(READ, wrong, (), alters=True).verdict is Verdict.PASS
    assert judged(READ, act(FAILED, GOOD), (), alters=True).verdict is Verdict.PASS


def test_the_outcomes_tell_kinds_of_faults_apart() -> None:
    fired = judged(READ, act(FAILED, DROPPED, REFUSED), (), ("a backward Reply",))
    assert fired.outcomes == (
        "read: failed",
        "read, a stray: failed",
        "read, ERR_CHUNK: failed",
        "a backward Reply",
    )


def test_the_last_faulty_message_is_blamed() -> None:
    fired = judged(READ, act(FAILED, DROPPED, USELESS, GOOD), ())
    assert fired.reason == "a useless one: the act is failed"
    assert fired.violated == ("a.5.rule",)


def test_it_is_told_which_ends_are_right_where_a_connection_may_be_lost() -> None:
    assert judged(READ, act(FAILED, GOOD), (), lost=True).allowed == ("done", "failed")
    assert judged(READ, act(FAILED, GOOD), (), alters=True).allowed == ("done", "failed")
    assert judged(READ, act(DONE, GOOD), ()).allowed == ("done",)
