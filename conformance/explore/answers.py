"""What an answer is worth: the oracle's word, and what only who sent the message can know.

An XID that has cost a connection may be refused for good.  A program may have an error of its own
for arguments that it cannot decode, in a Reply that says success: the oracle knows of no program.

    rfc8166 section 4.5.2  Responder XDR Errors
    rfc8166 section 4.5.3  Responder RDMA Operational Errors
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.outcome import Answered, ErrChunk
from conformance.oracle.verdict import Judgement
from reports.record import Verdict
from rpcrdma.ulp.rpc import RpcOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.oracle.outcome import Outcome
    from conformance.oracle.responder.expectation import Expectation

__all__ = ["judge_answer"]


def _never(_reply: bytes) -> str:
    return ""


def judge_answer(
    expectation: Expectation,
    outcome: Outcome,
    held: bytes | None,
    *,
    repeated: bool,
    refusal: Callable[[bytes], str] = _never,
) -> Judgement:
    """Compare what came with what may.

    Args:
        expectation: of the message.
        outcome: what came.
        held: what the Reply chunk holds; None if nobody looked.
        repeated: whether a message of this XID has cost a connection before.
        refusal: the error by which a good RPC reply of the program says that it could not decode
            the arguments, or nothing (`Workload.refusal`).
    """
    # rfc8166 4.5.3: a Responder may refuse for good what has cost it a connection.
    if repeated and isinstance(outcome, ErrChunk):
        return Judgement(Verdict.PASS)
    if _may_be_garbage(expectation) and isinstance(outcome, Answered):
        payload = held if outcome.is_long else outcome.payload
        if payload is not None and (name := refusal(payload)):
            return Judgement(Verdict.WARN, f"it was refused by {name}, not by GARBAGE_ARGS")
    return expectation.judge(outcome, held)


def _may_be_garbage(expectation: Expectation) -> bool:
    """Whether an RPC error is an answer: to a header that is wrong, nothing of RPC's is."""
    return bool(expectation.fault) and any(
        RpcOutcome.GARBAGE_ARGS in one.kind.statuses
        for one in expectation.allowed
        if one.kind.outcome is Answered
    )
