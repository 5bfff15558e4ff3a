"""What a Requester chooses for a call, beside what `test_reduction` says of the choice itself."""

from __future__ import annotations

from itertools import count

import pytest

from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.events import CallRequested
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.requester.call_planning import CallPlanner, RequesterOptions
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.bindings import ReplyExpectation
from rpcrdma.ulp.testprog import TestProgram

LAYER = TestProgram()


def requested(expectation: ReplyExpectation | None = None) -> CallRequested:
    return CallRequested(1, LAYER, calls.null(7), expectation)


@pytest.mark.parametrize("form", [None, MessageForm.SHORT])
def test_a_call_that_fits_with_its_reply_needs_no_plan(form: MessageForm | None) -> None:
    """Nothing is registered for it (rfc8166 3.5.1)."""
    call = CallPlanner(RequesterOptions(form=form), count(1)).plan(requested(), 7)
    assert (call.plan, call.segments()) == (None, [])


def test_each_call_is_offered_what_its_own_reply_needs() -> None:
    """Also when the expectations of two calls, or one object of both, follow each other."""
    planner = CallPlanner(RequesterOptions(), count(1))
    small, large = ReplyExpectation(32), ReplyExpectation(5000)
    rooms = []
    for expectation in (small, large, large, small, None, large):
        call = planner.plan(requested(expectation), 7)
        rooms.append([memory.action.length for memory in call.segments()])
    assert rooms == [[], [5000], [5000], [], [], [5000]]


def test_larger_receives_that_nobody_has_been_told_of_lift_no_limit() -> None:
    """In Version Two these are told of after the connection is made (xcharext 3.1)."""
    larger = InlineThresholds(call=1024, reply=20000)
    planner = CallPlanner(RequesterOptions(thresholds=larger, dialect=TWO), count(1))
    call = planner.plan(requested(ReplyExpectation(5000)), 7)
    assert [memory.action.length for memory in call.segments()] == [5000]


def test_memory_is_named_by_keys_of_the_requester() -> None:
    """Which names its Sends from the same numbers."""
    planner = CallPlanner(RequesterOptions(segment=1024), count(5))
    call = planner.plan(requested(ReplyExpectation(5000)), 7)
    keys = [memory.key for memory in call.segments()]
    assert keys == list(range(5, 10))
    assert keys == [memory.action.key for memory in call.segments()]
