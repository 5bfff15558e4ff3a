# Invariant: whatever messages come, in whatever order, the Responder raises nothing; each of its
# answers is one that the specification's oracle allows; no call has more than one answer; every
# Receive is posted again, every grant is true, memory stays bounded; a good call is still served.
"""Fuzz harness of the Responder, fed with sequences of raw messages (rfc8166 section 4.5)."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from conformance.explore.answers import judge_answer
from conformance.oracle.device import Device
from conformance.oracle.responder.expected import expected
from conformance.oracle.responder.state import state_of
from fuzz.invariant import BrokenInvariant
from fuzz.registry import FuzzHarness
from fuzz.responder_executor import ResponderExecutor, xid_of
from fuzz.sequence import MOST_MESSAGES, join, split
from fuzz.structure.headers import V1_SEQUENCE
from fuzz.uncounted import uncounted
from fuzz.world import RequesterMemory
from reports.record import Verdict
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.program import Programs
from rpcrdma.ulp.testprog import TestProgram
from targets.reference.server_parts import responder_factory

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.oracle.responder.expectation import Expectation, ResponderState
    from fuzz.responder_executor import Delivered
    from rpcrdma.endpoint.core.thresholds import InlineThresholds
    from rpcrdma.endpoint.responder.responder import Responder

__all__ = ["HARNESS", "check", "reference"]

_LAYER: Final = Programs((TestProgram(), Nfs4Program(FileStore(()))))
"""Is only asked about bindings; it executes nothing."""


def reference() -> Callable[[], Callable[[], Responder]]:
    """The subject: starts a server anew, which makes the Responder of each connection."""
    return responder_factory


_executor = lru_cache(maxsize=4)(ResponderExecutor)
"""By what is fuzzed, so that its server is built once."""


def check(octets: bytes, start: Callable[[], Callable[[], Responder]]) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for this sequence."""
    execution = _executor(start).run(split(octets))
    asked: Counter[int] = Counter()
    answered: Counter[int] = Counter()
    fatal: set[int] = set()
    for delivered in execution.outcomes:
        asked[delivered.xid] += 1
        # A call that the program defers (HOLD) is answered by a later message.
        if not delivered.deferred:
            _judge(delivered, repeated=delivered.xid in fatal)
        for answer in delivered.answers:
            xid = xid_of(answer)
            answered[xid] += 1
            if answered[xid] > asked[xid]:
                raise BrokenInvariant(
                    "answered-twice", f"{answered[xid]} answers to {asked[xid]} calls {xid:#x}"
                )
        if delivered.ended:
            fatal.add(delivered.xid)
            asked, answered = Counter(), Counter()
    if not execution.alive:
        raise BrokenInvariant("not-served", execution.unserved)


def _judge(delivered: Delivered, *, repeated: bool) -> None:
    expectation = _expected(delivered.message, delivered.thresholds)
    judgement = judge_answer(expectation, delivered.outcome, delivered.held, repeated=repeated)
    if judgement.verdict is Verdict.FAIL:
        fault = expectation.fault or "a good call"
        detail = f"{delivered.message.hex()}: {fault}: {judgement.reason}"
        raise BrokenInvariant("oracle", detail, " ".join(judgement.violated))


@lru_cache(maxsize=4096)  # most messages of a sequence stand in many others
def _expected(message: bytes, thresholds: InlineThresholds) -> Expectation:
    return uncounted(expected, message, _state(thresholds))


@lru_cache(maxsize=8)
def _state(thresholds: InlineThresholds) -> ResponderState:
    """What the oracle knows; nothing that a Responder does changes what it is asked."""
    device = Device(call_threshold=thresholds.call, reply_threshold=thresholds.reply)
    # No message of ours tells what the memory holds: the oracle asks what may be read and written.
    return state_of(device, _LAYER, RequesterMemory())


HARNESS: Final = FuzzHarness(
    title="the reference Responder, fed with sequences of raw messages",
    dictionary="rfc8166.dict",
    check=check,
    reference=reference,
    messages=split,
    seeds=lambda messages: [join(list(messages[:MOST_MESSAGES]))],
    mutator=V1_SEQUENCE,
)
