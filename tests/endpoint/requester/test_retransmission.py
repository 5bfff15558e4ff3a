"""Which calls outlive their connection."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.actions import CallFailed, Failure, ReplyReceived
from rpcrdma.endpoint.core.events import CallRequested
from rpcrdma.endpoint.requester.retransmission import MOST_LOSSES, Retransmission
from rpcrdma.ulp.testprog import TestProgram

LAYER = TestProgram()


def call(token: int) -> CallRequested:
    return CallRequested(token, LAYER, b"call")


def with_calls(*tokens: int) -> Retransmission:
    made = Retransmission()
    for token in tokens:
        made.requested(call(token))
    return made


def lost(token: int) -> CallFailed:
    return CallFailed(token, Failure.CONNECTION_LOST)


def test_a_call_whose_connection_is_lost_is_sent_again_as_it_was() -> None:
    retransmission = with_calls(1, 2)

    assert not retransmission.passed_on(lost(1))
    assert retransmission.unfinished == (call(1), call(2))


def test_a_call_that_was_answered_is_not() -> None:
    retransmission = with_calls(1, 2)

    assert retransmission.passed_on(ReplyReceived(1, b""))
    assert retransmission.unfinished == (call(2),)


@pytest.mark.parametrize("failure", [one for one in Failure if one is not Failure.CONNECTION_LOST])
def test_any_other_failure_is_final(failure: Failure) -> None:
    retransmission = with_calls(1)

    assert retransmission.passed_on(CallFailed(1, failure))
    assert retransmission.unfinished == ()


def test_calls_are_given_up_when_connections_are_lost_again_and_again() -> None:
    retransmission = with_calls(1)

    given_up = [retransmission.connection_lost() for _ in range(MOST_LOSSES)]

    assert given_up[:-1] == [()] * (MOST_LOSSES - 1)
    assert given_up[-1] == (CallFailed(1, Failure.CONNECTION_LOST, "again and again"),)
    assert retransmission.unfinished == ()


def test_an_answer_begins_the_count_anew() -> None:
    retransmission = with_calls(1, 2)
    for _ in range(MOST_LOSSES - 1):
        retransmission.connection_lost()

    assert retransmission.passed_on(ReplyReceived(1, b""))
    assert retransmission.connection_lost() == ()


def test_a_call_can_be_forgotten_once() -> None:
    retransmission = with_calls(1)

    assert retransmission.forget(1)
    assert not retransmission.forget(1)
