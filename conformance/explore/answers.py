"""What an answer is worth: the oracle's word, and what an XID that cost a connection changes.

rfc8166 section 4.5.3  Responder RDMA Operational Errors
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.outcome import ErrChunk
from conformance.oracle.verdict import Judgement
from reports.record import Verdict

if TYPE_CHECKING:
    from conformance.oracle.outcome import Outcome
    from conformance.oracle.responder.expectation import Expectation

__all__ = ["judge_answer"]


def judge_answer(
    expectation: Expectation, outcome: Outcome, held: bytes | None, *, repeated: bool
) -> Judgement:
    """Compare what came with what may.

    Args:
        expectation: of the message.
        outcome: what came.
        held: what the Reply chunk holds; None if nobody looked.
        repeated: whether a message of this XID has cost a connection before.
    """
    # rfc8166 4.5.3: a Responder may refuse for good what has cost it a connection.
    if repeated and isinstance(outcome, ErrChunk):
        return Judgement(Verdict.PASS)
    return expectation.judge(outcome, held)
