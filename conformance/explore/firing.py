"""Fires messages at a Responder, one after the other, and has the oracle judge each answer.

    rfc8166 section 4.5  Error Handling

A message is a `Shot`, from which a Call is built, or octets out of a file.  `rpcrdma explore` and
`rpcrdma replay` both come here, so that the same octets get the same verdict from both.

What is longer than the device's Receives (by its claims) is cut to their length: it could only cost
the connection, of which nobody could say whose fault it is, and its beginning is a good test.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from conformance.catalogue.inheritance import statements
from conformance.explore.answers import judge_answer
from conformance.explore.caution import caution
from conformance.explore.fence import FencedPeer
from conformance.explore.named_memory import NamedMemory
from conformance.explore.recipes import Shot
from conformance.explore.shots import build_shot
from conformance.oracle.memory import ExposedRegions, held_by
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk, ErrVers, Silent
from conformance.oracle.requester.reassembly import reassemble
from conformance.oracle.responder.expectation import may_answer
from conformance.oracle.responder.expected import expected
from conformance.oracle.responder.state import state_of
from conformance.oracle.verdict import Judgement
from conformance.tester.case import Deviation
from conformance.tester.client.liveness import problem_with
from reports.record import Verdict
from rpcrdma.errors import DecodeError
from rpcrdma.fabric.clock import VirtualClock
from rpcrdma.ulp.rpc import decode_call
from rpcrdma.wire import _generated_testprog as testprog
from rpcrdma.wire import decode_any_header, v2

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.explore.caution import Caution
    from conformance.oracle.responder.expectation import Expectation, ResponderState
    from conformance.tester.client.harness import Harness
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call
    from rpcrdma.ulp.bindings import UpperLayer
    from targets.profile import Profile

__all__ = ["Battery", "Fired", "expectation_of", "fire_all", "in_process", "wrong_results"]

_DEAD: Final = "the device has died"
_NOT_SERVED: Final = "the device does not serve a good call any more"
_REJOINED: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"
_HELD: Final = may_answer(Silent, "rfc8166.2.2.2.reply-xid-is-the-calls", 1)
"""The test program answers HOLD when it is told to, so nobody waits for that."""

_XID: Final = slice(0, 4)
_VERSION: Final = slice(4, 8)


@dataclass(frozen=True, slots=True)
class Fired:
    """One message and what came of it.

    Attributes:
        octets: as sent.
        what: the message in words.
        allowed: alternatives in words.  outcomes: what came, in order, in words.
        verdict: of this message.  reason: why, unless it passed.
        violated: requirements that are broken.
    """

    octets: bytes
    what: str
    allowed: tuple[str, ...]
    outcomes: tuple[str, ...]
    verdict: Verdict
    reason: str = ""
    violated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A message ready to be sent; `call` is what it was built as, if its results are known."""

    octets: bytes
    what: str
    layer: UpperLayer
    call: Call | None = None

    @property
    def xid(self) -> int:
        """rdma_xid."""
        return int.from_bytes(self.octets[_XID])


@dataclass(slots=True)
class _Line:
    """A connection and the memory exposed on it.

    Attributes:
        refused: whether its last message was answered by an error, behind which a device may end
            the connection (D-155); it may have served what came meanwhile.
    """

    peer: Peer
    fenced: FencedPeer = field(init=False)
    memory: ExposedRegions = field(default_factory=ExposedRegions)
    named: NamedMemory | None = None
    refused: bool = False

    def __post_init__(self) -> None:
        self.fenced = FencedPeer(self.peer)

    def load(self, message: Shot | bytes) -> _Loaded:
        """Make a message and its memory."""
        if isinstance(message, Shot):
            call = build_shot(message, self.peer)
            self._expose(call)
            good = not call.mutations and message.call != "garbage"
            return _Loaded(call.octets, str(call), call.request.layer, call if good else None)
        if self.named is None:
            self.named = NamedMemory(self.peer, self.memory)
        octets = self.named.translate(message)
        return _Loaded(octets, f"{len(octets)} octets", self.peer.workload.null().layer)

    def _expose(self, call: Call) -> None:
        for chunk in call.read_chunks:
            for item in chunk.segments:
                self.memory.expose(item.region, read=True)
        for chunk in call.result_chunks:
            for item in chunk.segments:
                self.memory.expose(item.region, write=True)


def fire_all(
    harness: Harness,
    messages: Sequence[Shot | bytes],
    on_fired: Callable[[Fired], None] = lambda fired: None,
    *,
    destructive: bool = False,
) -> tuple[Fired, ...]:
    """Fire all of them; a lost connection is replaced.

    Args:
        harness: of a running target.
        messages: in order.
        on_fired: is told of each; what was not sent has the verdict N/A.
        destructive: send also what may bring a device down that is not in this process.

    Returns:
        Those that failed; the last is NULL, without octets, if the device does not serve it
        afterwards.

    Raises:
        Inconclusive: the device does not serve even before.
    """
    # Not `begin`, which would use XIDs again: a device may remember which Calls cost a connection.
    harness.go_on()
    battery = Battery(harness, None if destructive or in_process(harness) else caution())
    failed: list[Fired] = []
    try:
        for message in messages:
            fired = battery.fire(message)
            on_fired(fired)
            failed += [fired] if fired.verdict is Verdict.FAIL else []
        problem = battery.dead()
    except Deviation as error:
        problem = harness.life.death() or error.reason
    finally:
        harness.end()
    if problem:
        wanted = ("a reply to NULL",)
        reason = _DEAD if harness.life.death() else _NOT_SERVED
        fired = Fired(b"", "NULL", wanted, (problem,), Verdict.FAIL, reason)
        on_fired(fired)
        failed.append(fired)
    return tuple(failed)


def in_process(harness: Harness) -> bool:
    """Whether the device lives in this process, where nothing of anybody's can be damaged.

    There alone time is virtual.
    """
    return isinstance(harness.session.fabric.clock, VirtualClock)


class Battery:
    """The connections from which messages are fired, one for each version (D-56)."""

    def __init__(
        self, harness: Harness, danger_of: Caution | None, patience: Profile | None = None
    ) -> None:
        """Have a good call answered on the first of them.

        Args:
            harness: of a running target.
            danger_of: says why a message is kept back; None: none is.
            patience: the target's profile with other times to wait for what answers a message.

        Raises:
            Inconclusive: the device does not serve even before.
        """
        self._harness = harness
        self._danger_of = danger_of
        self._patience = patience or harness.profile
        self._last = self._made(harness.ready_peer())
        self._lines = {self._last.peer.version: self._last}
        self._cost: set[int] = set()  # XIDs of messages that cost a connection

    def fire(self, message: Shot | bytes) -> Fired:
        """Send one message, and judge what comes; what may do harm is not sent, and N/A."""
        line = self._last = self._line(_version_of(message))
        loaded = line.load(message)
        octets, what = loaded.octets, loaded.what
        longest = self._harness.device.receive_length
        if len(octets) > longest:
            octets = octets[:longest]
            what = f"{what}, cut to {longest} octets, all that the device claims to receive"
        danger = self._danger_of and self._danger_of(octets, line.memory, loaded.layer)
        if danger:
            return Fired(octets, what, (), (), Verdict.NA, danger)
        state = state_of(self._harness.device, loaded.layer, line.memory)
        expectation = expectation_of(octets, state)
        quiet = any(item.kind.outcome is Silent for item in expectation.allowed)
        whole = loaded.call if loaded.call is not None and octets == loaded.octets else None
        came = line.fenced.exchange(whole or octets, loaded.xid, may_be_silent=quiet)
        if line.refused and isinstance(came[0], Disconnected):
            return self.fire(message)  # on another connection, which ends over this one alone
        line.refused = isinstance(came[0], ErrChunk | ErrVers)
        repeated = loaded.xid in self._cost
        if not line.peer.connected:
            self._cost.add(loaded.xid)
        held = held_by(came[0], line.memory)
        refusal = line.peer.workload.refusal
        judgement = judge_answer(expectation, came[0], held, repeated=repeated, refusal=refusal)
        verdict, reason, violated = judgement.verdict, judgement.reason, judgement.violated
        if whole is not None and verdict is Verdict.PASS and isinstance(came[0], Answered):
            wrong = wrong_results(whole, came[0], line.memory)
            if wrong is not None:
                verdict, reason, violated = wrong.verdict, wrong.reason, wrong.violated
        if verdict is not Verdict.FAIL and (surplus := line.fenced.surplus()):
            verdict, reason, violated = Verdict.FAIL, surplus, ()
        allowed = tuple(str(item) for item in expectation.allowed)
        outcomes = tuple(str(item) for item in came)
        return Fired(octets, what, allowed, outcomes, verdict, reason, violated)

    def dead(self) -> str:
        """What shows that the device does not serve any more; empty if it does."""
        if died := self._harness.life.death():
            return died
        claimed = self._last.peer.version in self._harness.profile.claims.versions
        if claimed and self._last.peer.connected:
            problem = problem_with(self._last.peer)
            if not problem or self._last.peer.connected or not self._last.refused:
                return problem
        self._make_room()
        return problem_with(self._harness.connect())

    def _line(self, version: int) -> _Line:
        line = self._lines.get(version)
        if line is None or not line.peer.connected:
            self._make_room()
            line = self._lines[version] = self._made(self._connected(version))
        return line

    def _made(self, peer: Peer) -> _Line:
        peer.profile = self._patience
        return _Line(peer)

    def _connected(self, version: int) -> Peer:
        """A connection for a version; a good Call settles it if the device claims to speak it."""
        peer = self._harness.connect(version=version)
        if version in self._harness.profile.claims.versions:
            problem_with(peer)
        return peer

    def _make_room(self) -> None:
        """End the others where the device claims to bear one connection only."""
        if len(self._lines) >= self._harness.profile.claims.connections:
            self._harness.end()
            self._lines.clear()


def _version_of(message: Shot | bytes) -> int:
    """For which version a message's connection is: octets of any other go where One is spoken."""
    if isinstance(message, Shot):
        return message.version
    return v2.VERSION if int.from_bytes(message[_VERSION]) == v2.VERSION else 1


def expectation_of(octets: bytes, state: ResponderState) -> Expectation:
    """What a device may do with a message; a Call that it holds back when told to is no exception.

    Args:
        octets: the message.
        state: of the device and of the tester's memory.
    """
    expectation = expected(octets, state)
    if _is_held(octets):
        return replace(expectation, allowed=(*expectation.allowed, _HELD))
    return expectation


def _is_held(octets: bytes) -> bool:
    """Whether a Call asks the test program for a Reply that comes later: when it is released."""
    try:
        _, end = decode_any_header(octets)
        call, _ = decode_call(octets[end:])
    except DecodeError:
        return False
    return (call.program, call.procedure) == (testprog.TEST_PROGRAM, testprog.TEST_V1.TEST_HOLD)


def wrong_results(call: Call, answer: Answered, memory: ExposedRegions) -> Judgement | None:
    """What is wrong with the results of a good call; None if nothing is.

    Args:
        call: as it was built and sent.
        answer: an allowed one.
        memory: of the tester, where the results are.
    """
    reason = _results(call, answer, memory)
    if not reason:
        return None
    return Judgement(Verdict.FAIL, reason, statements((_REJOINED,), call.version))


def _results(call: Call, answer: Answered, memory: ExposedRegions) -> str:
    """What is wrong with the results of a good call; empty if nothing is."""
    reply = held_by(answer, memory) if answer.is_long else answer.payload
    if reply is None:
        return "the Reply chunk says that it holds more than was offered"
    put = reassemble(
        call.unreduced, reply, answer.body.rdma_writes, memory.contents, call.request.layer
    )
    if put.fault or put.payload is None:
        return put.fault or "the Write chunks say that they hold more than was offered"
    return call.request.check(call.unreduced, put.payload)
