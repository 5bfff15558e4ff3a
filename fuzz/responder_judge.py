"""What a Responder did with a sequence, judged by the specification's oracle."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from conformance.explore.answers import judge_answer
from conformance.oracle.backward import InFlight, broken_rules
from conformance.oracle.device import Device
from conformance.oracle.header import VERSION_TWO
from conformance.oracle.responder.expected import expected
from conformance.oracle.responder.state import state_of
from conformance.oracle.sizes import THRESHOLD_TWO
from conformance.oracle.verdict import broken_ids
from fuzz.invariant import BrokenInvariant
from fuzz.responder_executor import xid_of
from fuzz.results import wrong_results
from fuzz.uncounted import uncounted
from fuzz.world import RequesterMemory
from reports.record import Verdict
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.program import Programs
from rpcrdma.ulp.testprog import TestProgram

if TYPE_CHECKING:
    from conformance.oracle.outcome import Outcome
    from conformance.oracle.responder.expectation import Expectation, ResponderState
    from fuzz.executor import Execution
    from fuzz.responder_executor import Delivered
    from fuzz.results import Written
    from rpcrdma.endpoint.core.thresholds import InlineThresholds

__all__ = ["judge_execution"]

_LAYER: Final = Programs((TestProgram(), Nfs4Program(FileStore(()))))
"""Is only asked about bindings; it executes nothing."""


def judge_execution(execution: Execution[Delivered], *, speaks_two: bool = False) -> None:
    """See that all that came is allowed, no answer comes twice, and a good call is served.

    Args:
        execution: of a sequence.
        speaks_two: whether the Responder speaks Version Two as well, without any optional
            operation.

    Raises:
        BrokenInvariant: one of these does not hold.
    """
    asked: Counter[int] = Counter()
    answered: Counter[int] = Counter()
    fatal: set[int] = set()
    backward = _Backward()
    for delivered in execution.outcomes:
        asked[delivered.xid] += 1
        # A call that the program defers (HOLD) is answered by a later message.
        if not delivered.deferred:
            broken = _broken(
                *(delivered.message, delivered.thresholds, speaks_two, delivered.xid in fatal),
                *(delivered.outcome, delivered.held, delivered.written),
            )
            if broken is not None:
                raise BrokenInvariant(*broken)
        for answer in delivered.answers:
            xid = xid_of(answer)
            answered[xid] += 1
            if answered[xid] > asked[xid]:
                raise BrokenInvariant(
                    "answered-twice", f"{answered[xid]} answers to {asked[xid]} calls {xid:#x}"
                )
        backward.judge(delivered)
        if delivered.ended:
            fatal.add(delivered.xid)
            asked, answered, backward = Counter(), Counter(), _Backward()
    if not execution.alive:
        raise BrokenInvariant("not-served", execution.unserved)


class _Backward:
    """What a server calls back on one connection.

    Any message under the XID of such a Call may have ended it, and brought a grant.
    """

    def __init__(self) -> None:
        self._in_flight: dict[int, bytes] = {}
        self._granted = 1  # D-42

    def judge(self, delivered: Delivered) -> None:
        """See that the Calls are right, and no more than granted."""
        if self._in_flight.pop(delivered.xid, None) is not None:
            credit = int.from_bytes(delivered.message[8:12], "big")
            self._granted = max(self._granted, credit)
        for called in delivered.calls:
            version = called.header.rdma_vers
            longest = THRESHOLD_TWO if version == VERSION_TWO else delivered.thresholds.reply
            before = InFlight(dict(self._in_flight), self._granted)
            broken = broken_rules(called, before, longest, version)
            self._in_flight[called.xid] = called.payload
            worst = [rule for rule in broken if not rule.warns]
            if worst:
                detail = f"{called}: {worst[0].detail}"
                raise BrokenInvariant("backward-call", detail, " ".join(broken_ids(worst)))


@lru_cache(maxsize=4096)  # most messages of a sequence stand in many others, with their answers
def _broken(
    message: bytes,
    thresholds: InlineThresholds,
    speaks_two: bool,
    repeated: bool,
    outcome: Outcome,
    held: bytes | None,
    written: Written | None,
) -> tuple[str, str, str] | None:
    """What a `BrokenInvariant` says of an answer; None if it is right.

    Nothing else counts, so that what was judged once need not be judged again.
    """
    expectation = _expected(message, thresholds, speaks_two)
    judgement = judge_answer(expectation, outcome, held, repeated=repeated)
    if judgement.verdict is Verdict.FAIL:
        fault = expectation.fault or "a good call"
        detail = f"{message.hex()}: {fault}: {judgement.reason}"
        return "oracle", detail, " ".join(judgement.violated)
    wrong = wrong_results(message, outcome, held, written)
    return ("wrong-results", f"{message.hex()}: {wrong}", wrong) if wrong else None


@lru_cache(maxsize=4096)  # the same message may have another answer elsewhere
def _expected(message: bytes, thresholds: InlineThresholds, speaks_two: bool) -> Expectation:
    return uncounted(expected, message, _state(thresholds, speaks_two))


@lru_cache(maxsize=8)
def _state(thresholds: InlineThresholds, speaks_two: bool) -> ResponderState:
    """What the oracle knows; nothing that a Responder does changes what it is asked."""
    device = Device(
        versions=frozenset({1, 2} if speaks_two else {1}),
        # Whoever works in both directions may drop what is too small to tell its own (bidir 2.4).
        backward=speaks_two,
        call_threshold=thresholds.call,
        reply_threshold=thresholds.reply,
        operations=frozenset() if speaks_two else None,
    )
    # No message of ours tells what the memory holds: the oracle asks what may be read and written.
    return state_of(device, _LAYER, RequesterMemory())
