from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from conformance.oracle.outcome import Answered, Silent
from fuzz.executor import Execution
from fuzz.invariant import BrokenInvariant
from fuzz.responder_executor import ResponderExecutor, good_call
from fuzz.responder_judge import judge_execution
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header
from targets.reference.server_parts import responder_factory

UNKNOWN = encode_header(TransportHeader(1, 2, 8, RdmaMsg((), (), None))) + good_call(1)[28:]
"""In Version Two, of which a Responder of Version One says that it does not speak it."""


def test_a_right_execution_passes() -> None:
    judge_execution(ResponderExecutor(responder_factory).run([good_call(1), UNKNOWN]))


def test_what_a_version_allows_depends_on_whether_it_is_spoken() -> None:
    execution = ResponderExecutor(responder_factory).run([UNKNOWN])

    with pytest.raises(BrokenInvariant) as caught:
        judge_execution(execution, speaks_two=True)
    assert caught.value.invariant == "oracle"


def test_the_same_message_with_another_answer_is_judged_anew() -> None:
    execution = ResponderExecutor(responder_factory).run([good_call(1)])
    judge_execution(execution)
    (answered,) = execution.outcomes
    assert isinstance(answered.outcome, Answered)
    cut = dataclasses.replace(answered.outcome, payload=answered.outcome.payload[:-4])

    with pytest.raises(BrokenInvariant, match="oracle"):
        judge_execution(Execution((replace(answered, outcome=cut),)))
    with pytest.raises(BrokenInvariant, match="oracle"):
        judge_execution(Execution((replace(answered, outcome=Silent(0.0)),)))
    judge_execution(execution)


def test_a_good_call_that_is_not_served_is_told() -> None:
    with pytest.raises(BrokenInvariant, match="not-served: gone"):
        judge_execution(Execution((), "gone"))
