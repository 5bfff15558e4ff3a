# Invariant: whatever messages come, in whatever order, the Responder raises nothing; each of its
# answers is one that the specification's oracle allows; no call has more than one answer; every
# Receive is posted again, every grant is true, memory stays bounded; a good call is still served.
"""Fuzz harness of the Responder, fed with sequences of raw messages (rfc8166 section 4.5)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from conformance.explore.answers import judge_answer
from conformance.oracle.device import Device
from conformance.oracle.memory import held_by
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk, ErrVers, Silent
from conformance.oracle.responder.expected import expected
from conformance.oracle.responder.state import state_of
from fuzz.invariant import BrokenInvariant
from fuzz.registry import FuzzHarness
from fuzz.sequence import MOST_MESSAGES, join, split
from fuzz.structure.headers import V1_SEQUENCE
from fuzz.world import World
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.program import Programs
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header
from targets.reference.server_parts import responder_factory

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.oracle.outcome import Outcome
    from rpcrdma.endpoint.responder.responder import Responder

__all__ = ["HARNESS", "check", "good_call", "reference"]

_GOOD_XID: Final = 0x600D_CA11

_LAYER: Final = Programs((TestProgram(), Nfs4Program(FileStore(()))))
"""Is only asked about bindings; it executes nothing."""


def reference() -> Callable[[], Callable[[], Responder]]:
    """The subject: starts a server anew, which makes the Responder of each connection."""
    return responder_factory


def good_call(xid: int = _GOOD_XID) -> bytes:
    """A NULL call that nobody may refuse."""
    header = TransportHeader(xid, 1, 1, RdmaMsg((), (), None))
    return encode_header(header) + calls.null(xid)


def check(octets: bytes, start: Callable[[], Callable[[], Responder]]) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for this sequence."""
    connect = start()
    world = World(connect())
    asked: Counter[int] = Counter()
    answered: Counter[int] = Counter()
    fatal: set[int] = set()
    for sent in split(octets):
        if world.disconnected:
            world, asked, answered = World(connect()), Counter(), Counter()
        # No wire delivers more than the Receive holds: the rest could say nothing of the Responder.
        message = sent[: world.role.receive_length]
        xid = int.from_bytes(message[:4], "big")
        asked[xid] += 1
        deferred = world.role.deferred
        outcomes = world.deliver(message)
        for outcome in outcomes:
            answered[_xid(outcome)] += 1
        # A call that the program defers (HOLD) is answered by a later message.
        if world.role.deferred <= deferred:
            _judge(message, _answer(outcomes, xid, world), world, repeated=xid in fatal)
        if world.disconnected:
            fatal.add(xid)
        for name, count in answered.items():
            if count > asked[name]:
                raise BrokenInvariant(
                    "answered-twice", f"{count} answers to {asked[name]} calls {name:#x}"
                )
    _require_service(World(connect()) if world.disconnected else world)


def _answer(outcomes: list[Outcome], xid: int, world: World) -> Outcome:
    """What answered this message: the first Send under its XID, else the end or silence."""
    for outcome in outcomes:
        if _xid(outcome) == xid:
            return outcome
    return Disconnected(world.disconnected) if world.disconnected else Silent(0.0)


def _judge(message: bytes, outcome: Outcome, world: World, *, repeated: bool) -> None:
    thresholds = world.role.options.thresholds
    device = Device(call_threshold=thresholds.call, reply_threshold=thresholds.reply)
    state = state_of(device, _LAYER, world.memory)
    expectation = expected(message, state)
    held = held_by(outcome, world.memory)
    judgement = judge_answer(expectation, outcome, held, repeated=repeated)
    if judgement.verdict is Verdict.FAIL:
        fault = expectation.fault or "a good call"
        raise BrokenInvariant("oracle", f"{message.hex()}: {fault}: {judgement.reason}")


def _require_service(world: World) -> None:
    outcomes = [item for item in world.deliver(good_call()) if _xid(item) == _GOOD_XID]
    served = [item for item in outcomes if isinstance(item, Answered) and item.rpc]
    if len(served) != 1 or len(outcomes) != 1 or served[0].rpc is None:
        raise BrokenInvariant("not-served", f"a good call got {[str(item) for item in outcomes]}")
    if served[0].rpc.outcome is not RpcOutcome.SUCCESS:
        raise BrokenInvariant("not-served", f"a good call got {served[0].rpc.outcome.value}")


def _xid(outcome: Outcome) -> int:
    if isinstance(outcome, Answered | ErrVers | ErrChunk):
        return outcome.xid
    raise BrokenInvariant("garbage-sent", str(outcome))


HARNESS: Final = FuzzHarness(
    title="the reference Responder, fed with sequences of raw messages",
    dictionary="rfc8166.dict",
    check=check,
    reference=reference,
    messages=split,
    seeds=lambda messages: [join(list(messages[:MOST_MESSAGES]))],
    mutator=V1_SEQUENCE,
)
