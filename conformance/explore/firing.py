"""Fires shots at a Responder, one after the other, and has the oracle judge each answer.

    rfc8166 section 4.5  Error Handling

Silence is told by order: behind a message that may be dropped comes a good call, whose Reply shows
that the message was read; then the profile's grace period.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from conformance.catalogue.inheritance import statements
from conformance.explore.shots import Shot, build_shot
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    ErrChunk,
    ErrVers,
    InvalidOption,
    OptionReceived,
    Outcome,
    Silent,
)
from conformance.oracle.requester.reassembly import reassemble
from conformance.oracle.responder.expectation import ResponderState
from conformance.oracle.responder.expected import expected
from conformance.tester.case import CaseLog, Deviation
from conformance.tester.client import build
from conformance.tester.client.liveness import problem_with
from reports.record import Verdict
from rpcrdma.fabric.trace import Trace
from rpcrdma.wire import any_overlap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.tester.client.harness import Harness
    from conformance.tester.client.peer import Peer
    from conformance.tester.memory import ExposedSegment
    from conformance.tester.sent import Call
    from rpcrdma.wire import RdmaSegment

__all__ = ["CallMemory", "Fired", "fire_all"]

_REJOINED: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"

_ANSWERS: Final = (Answered, ErrVers, ErrChunk, InvalidOption, OptionReceived)

_MOST_ANSWERS: Final = 64
"""That may come before the one that is waited for."""


@dataclass(frozen=True, slots=True)
class Fired:
    """One shot and what came of it.

    Attributes:
        shot: as drawn.  octets: as sent.
        what: the call in words.
        allowed: alternatives in words.  outcome: what came.
        verdict: of this shot.  reason: why, unless it passed.
        violated: requirements that are broken.
    """

    shot: Shot
    octets: bytes
    what: str
    allowed: tuple[str, ...]
    outcome: str
    verdict: Verdict
    reason: str = ""
    violated: tuple[str, ...] = ()


class CallMemory:
    """The memory behind calls (see `conformance.oracle.responder.expectation.ExposedMemory`)."""

    def __init__(self) -> None:
        self._readable: dict[int, ExposedSegment] = {}
        self._writable: dict[int, ExposedSegment] = {}

    def add(self, call: Call) -> None:
        """Know the memory of one more call of this connection."""
        for chunk in call.read_chunks:
            self._readable |= {item.region.handle: item for item in chunk.segments}
        for chunk in (*call.write_chunks, *((call.reply_chunk,) if call.reply_chunk else ())):
            self._writable |= {item.region.handle: item for item in chunk.segments}

    def fetch(self, segment: RdmaSegment) -> bytes | None:
        """What an RDMA Read gives."""
        return _slice(self._readable.get(segment.handle), segment)

    def is_writable(self, segment: RdmaSegment) -> bool:
        """Whether an RDMA Write is possible."""
        found = _slice(self._writable.get(segment.handle), segment)
        return segment.length == 0 or found is not None

    def held(self, outcome: Outcome) -> bytes | None:
        """What the Reply chunk of a Long Reply holds."""
        if not isinstance(outcome, Answered) or not outcome.is_long or not outcome.body.rdma_reply:
            return None
        return self.contents(outcome.body.rdma_reply.target)

    def contents(self, segments: tuple[RdmaSegment, ...]) -> bytes | None:
        """What was written to these segments, joined; None if that cannot be said.

        They reach out of the memory then, or overlap.
        """
        if any_overlap(segments):
            return None
        parts = [_slice(self._writable.get(item.handle), item) for item in segments]
        known = [part for part in parts if part is not None]
        return b"".join(known) if len(known) == len(parts) else None


def _slice(exposed: ExposedSegment | None, segment: RdmaSegment) -> bytes | None:
    if segment.length == 0:
        return b""
    if exposed is None:
        return None
    start = segment.offset - exposed.region.offset
    if start < 0 or start + segment.length > exposed.region.length:
        return None
    return exposed.region.read(start, segment.length)


@dataclass(slots=True)
class _Line:
    """A connection and the memory exposed on it."""

    peer: Peer
    memory: CallMemory = field(default_factory=CallMemory)


def fire_all(
    harness: Harness,
    shots: Sequence[Shot],
    on_shot: Callable[[Fired], None] = lambda fired: None,
) -> tuple[Fired, ...]:
    """Fire all of them; a lost connection is replaced.

    Args:
        harness: of a running target.
        shots: in order.
        on_shot: is told of each.

    Returns:
        The shots that failed; the last is NULL if the device does not serve it afterwards.

    Raises:
        Inconclusive: the device does not serve even before.
    """
    # Not `begin`, which would use XIDs again: a device may remember which Calls cost a connection.
    harness.case = CaseLog()
    harness.session.fabric.trace = Trace()
    line = _Line(harness.ready_peer())
    lines = {line.peer.version: line}
    failed: list[Fired] = []
    try:
        for shot in shots:
            # D-56: one version on one connection, so that it is clear what each Call may get.
            if shot.version not in lines or not lines[shot.version].peer.connected:
                lines[shot.version] = _Line(_connected(harness, shot.version))
            line = lines[shot.version]
            fired = _fire(harness, line, shot)
            on_shot(fired)
            failed += [fired] if fired.verdict is Verdict.FAIL else []
        problem = _dead(harness, line)
    except Deviation as error:
        problem = error.reason
    finally:
        harness.end()
    if problem:
        wanted = ("a reply to NULL",)
        reason = "the device does not serve a good call any more"
        fired = Fired(Shot(), b"", "NULL", wanted, problem, Verdict.FAIL, reason)
        on_shot(fired)
        failed.append(fired)
    return tuple(failed)


def _connected(harness: Harness, version: int) -> Peer:
    """A connection for a version; a good Call settles it if the device claims to speak it."""
    peer = harness.connect(version=version)
    if version in harness.profile.claims.versions:
        problem_with(peer)
    return peer


def _dead(harness: Harness, line: _Line) -> str:
    died = harness.session.alive()
    if died:
        return died
    claimed = line.peer.version in harness.profile.claims.versions
    peer = line.peer if claimed and line.peer.connected else harness.connect()
    return problem_with(peer)


def _fire(harness: Harness, line: _Line, shot: Shot) -> Fired:
    peer = line.peer
    call = build_shot(shot, peer)
    line.memory.add(call)
    profile = harness.profile
    state = ResponderState(
        versions=frozenset(profile.claims.versions),
        upper_layer=call.request.layer,
        memory=line.memory,
        reply_threshold=profile.claims.reply_inline_threshold,
        chosen=profile.extra.interpretations,
    )
    expectation = expected(call.octets, state)
    quiet = any(item.kind.outcome is Silent for item in expectation.allowed)
    peer.send(call)
    outcome = _outcome(peer, call, grace=profile.extra.grace if quiet else None)
    judgement = expectation.judge(outcome, line.memory.held(outcome))
    verdict, reason, violated = judgement.verdict, judgement.reason, judgement.violated
    good = not call.mutations and shot.call != "garbage"
    if good and verdict is Verdict.PASS and isinstance(outcome, Answered):
        wrong = _results(call, outcome, line.memory)
        if wrong:
            violated = statements((_REJOINED,), call.version)
            verdict, reason = Verdict.FAIL, wrong
    allowed = tuple(str(item) for item in expectation.allowed)
    return Fired(shot, call.octets, str(call), allowed, str(outcome), verdict, reason, violated)


def _outcome(peer: Peer, call: Call, grace: float | None) -> Outcome:
    """What answers a call; None as grace: an answer is due, so wait for it."""
    if grace is None:
        return _answer(peer, call.xid, None)
    probe = build.null_call(peer)
    peer.send(probe)
    for _ in range(_MOST_ANSWERS):
        outcome = peer.receive()
        if _xid(outcome) == call.xid or isinstance(outcome, Disconnected):
            return outcome
        if _xid(outcome) == probe.xid or isinstance(outcome, Silent):
            break
    return _answer(peer, call.xid, grace)


def _answer(peer: Peer, xid: int, timeout: float | None) -> Outcome:
    outcome = peer.receive(timeout)
    for _ in range(_MOST_ANSWERS):
        stands = isinstance(outcome, Silent | Disconnected)
        if stands or _xid(outcome) == xid:
            break
        outcome = peer.receive(timeout)  # late, and of another call
    return outcome


def _xid(outcome: Outcome) -> int | None:
    return outcome.xid if isinstance(outcome, _ANSWERS) else None


def _results(call: Call, answer: Answered, memory: CallMemory) -> str:
    """What is wrong with the results of a good call; empty if nothing is."""
    reply = memory.held(answer) if answer.is_long else answer.payload
    if reply is None:
        return "the Reply chunk says that it holds more than was offered"
    put = reassemble(
        call.unreduced, reply, answer.body.rdma_writes, memory.contents, call.request.layer
    )
    if put.fault or put.payload is None:
        return put.fault or "the Write chunks say that they hold more than was offered"
    return call.request.check(call.unreduced, put.payload)
