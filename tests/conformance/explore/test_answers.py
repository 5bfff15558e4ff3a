"""What an answer is worth."""

from __future__ import annotations

import pytest

from conformance.explore.answers import judge_answer
from conformance.oracle.device import Device
from conformance.oracle.memory import ExposedRegions, held_by
from conformance.oracle.outcome import Outcome, Silent, read_outcome
from conformance.oracle.responder.expected import expected
from conformance.oracle.responder.state import state_of
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.rpc import accepted
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import (
    ErrChunk,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
)

CALL = encode_header(TransportHeader(7, 1, 8, RdmaMsg((), (), None))) + calls.null(7)
ERROR = read_outcome(encode_header(TransportHeader(7, 1, 8, RdmaError(ErrChunk()))))
SEGMENT = RdmaSegment(5, 4, 100)
LONG = read_outcome(
    encode_header(TransportHeader(7, 1, 8, RdmaNomsg((), (), WriteChunk((SEGMENT,)))))
)


class Four:
    """Four octets that may be written."""

    handle, offset, length = 5, 100, 4

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        return b"four"[start : None if length is None else start + length]


@pytest.mark.parametrize(
    ("outcome", "repeated", "verdict"),
    [
        (ERROR, False, Verdict.FAIL),
        (ERROR, True, Verdict.PASS),
        (Silent(1.0), True, Verdict.FAIL),
    ],
)
def test_what_cost_a_connection_before_may_be_refused(
    outcome: Outcome, *, repeated: bool, verdict: Verdict
) -> None:
    expectation = expected(CALL, state_of(Device(), TestProgram()))

    assert judge_answer(expectation, outcome, None, repeated=repeated).verdict is verdict


def test_reply_chunk_of_a_long_reply_holds_what_was_written() -> None:
    memory = ExposedRegions()
    assert held_by(LONG, memory) is None
    memory.expose(Four(), write=True)

    assert held_by(LONG, memory) == b"four"
    assert held_by(ERROR, memory) is None


def test_a_program_may_refuse_bad_arguments_in_its_own_words() -> None:
    """A warning, as where a scenario meets it; a good Call has no excuse."""
    bad = CALL[:-4]
    reply = read_outcome(
        encode_header(TransportHeader(7, 1, 8, RdmaMsg((), (), None))) + accepted(7, b"BADX")
    )

    def verdict(message: bytes, refusal: str) -> Verdict:
        expectation = expected(message, state_of(Device(), TestProgram()))
        answer = judge_answer(
            expectation, reply, None, repeated=False, refusal=lambda octets: refusal * bool(octets)
        )
        return answer.verdict

    assert verdict(bad, "") is Verdict.FAIL
    assert verdict(bad, "BADXDR") is Verdict.WARN
    assert verdict(CALL, "BADXDR") is Verdict.PASS
