"""One connection to a server that is fuzzed, on which several messages may be in flight.

Each message is judged by itself, whenever its answer comes.  What the tester does meanwhile may
leave a judgement undefined; these are dropped, and all others stay:

- Memory was withdrawn while a message was in flight: the device may have used it before or not, so
  that what the oracle allows in either case is right, and the results are not looked at.
- The tester did what may cost the connection (`PlayedLine.costs` says what): its loss, and silence
  of messages whose answers were on their way, are nobody's fault.
- The tester has told, when it connected, that it bears remote invalidation (RFC 8797): a Reply may
  invalidate the memory that another Call in flight tells of, too.
- More Calls are in flight than were granted: the device need not have a Receive for them
  (rfc8166 section 3.3.1).  An answer that does come must be right.
- A connection is lost over one message: those in flight with it have no answers by that alone.
- Messages in flight have one XID: an answer under it may be to any of them.
- Two Calls in flight offer the same room for results: nobody can say whose it holds.

    rfc8166 section 3.3.1  RPC-over-RDMA Credits
    rfc8166 section 4.5    Error Handling
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from conformance.explore.answers import judge_answer
from conformance.explore.firing import Fired, expectation_of, wrong_results
from conformance.oracle.memory import held_by
from conformance.oracle.outcome import (
    Answered,
    Called,
    Disconnected,
    ErrChunk,
    ErrVers,
    Silent,
    answered_xid,
)
from conformance.oracle.responder.state import state_of
from conformance.oracle.verdict import Judgement
from conformance.tester.case import Inconclusive
from conformance.tester.client import build
from conformance.tester.client.fence import Fence
from conformance.tester.client.liveness import problem_with
from fuzz.live.server.memory import StepMemory
from reports.record import Verdict
from rpcrdma.errors import LocalProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.oracle.device import Device
    from conformance.oracle.outcome import Outcome
    from conformance.oracle.responder.expectation import Expectation
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Request
    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["Flying", "PlayedLine"]

_MOST: Final = 1024
"""Messages that are looked at before those in flight are judged; more than can be in flight."""

_LISTENING_S: Final = 0.1
"""Seconds in which a device does what it begins by itself; an answer takes it less than that."""

_OVERRUN: Final = "more Calls were in flight than were granted"
_SHARED: Final = "a Reply may have invalidated what another Call in flight told of"


@dataclass(slots=True)
class Flying:
    """A message that was sent and has not been judged.

    Attributes:
        octets: as sent.  what: in words.
        expectations: what is allowed: by the memory as it was when it was sent, and as it was after
            each change since.
        layer: binding of what is called.
        call: what it was built as, if its results can be looked at.
    """

    octets: bytes
    what: str
    expectations: list[Expectation]
    layer: UpperLayer
    call: Call | None = None

    @property
    def xid(self) -> int:
        """rdma_xid."""
        return int.from_bytes(self.octets[:4])

    @property
    def may_be_silent(self) -> bool:
        """Whether no answer need come."""
        return any(item.kind.outcome is Silent for one in self.expectations for item in one.allowed)


@dataclass(slots=True)
class PlayedLine:
    """A connection.

    Attributes:
        peer: the tester's end.
        device: what the profile claims.
        on_call: is given what the device calls backward.
        memory: that messages tell of.
        flying: messages in flight, in order.
        costs: why the connection may be lost by what the tester did; empty if it may not.
        invalidated: whether Replies may invalidate memory of the tester.
        gone: whether the tester's end sends and hears nothing any more.
    """

    peer: Peer
    device: Device
    on_call: Callable[[Called], None]
    memory: StepMemory = field(init=False)
    flying: list[Flying] = field(default_factory=list)
    costs: str = ""
    invalidated: bool = False
    gone: bool = False
    _asked: Counter[int] = field(default_factory=Counter)
    _answered: Counter[int] = field(default_factory=Counter)
    _refused: bool = False  # by an error, behind which a device may end the connection (D-155)

    def __post_init__(self) -> None:
        self.memory = StepMemory(self.peer)

    @property
    def is_open(self) -> bool:
        """Whether messages can go over it."""
        return self.peer.connected and not self.gone

    def expectation(self, octets: bytes, layer: UpperLayer) -> Expectation:
        """What is allowed about a message, by the memory as it is."""
        self.memory.look()
        return expectation_of(octets, state_of(self.device, layer, self.memory.exposed))

    def send(self, flying: Flying, invalidate: int | None = None) -> None:
        """Send a message, and do not wait for its answer."""
        self.flying.append(flying)
        self._asked[flying.xid] += 1
        self.peer.send(flying.octets, invalidate=invalidate)
        if len(self.flying) > self.peer.granted:
            self.costs = self.costs or _OVERRUN
        elif self.invalidated and len(self.flying) > 1:
            self.costs = self.costs or _SHARED

    def memory_changed(self) -> None:
        """What is in flight may meet the memory as it was, or as it is now."""
        for one in self.flying:
            one.expectations.append(self.expectation(one.octets, one.layer))

    def settle(self) -> list[Fired]:
        """Wait for the answers to all that is in flight, and judge them."""
        flying, self.flying = self.flying, []
        if not flying:
            return []
        found, end = self._gather(flying)
        fired = [self._judged(one, found.get(one.xid, []), end, flying) for one in _by_xid(flying)]
        if surplus := self._surplus():
            fired[-1] = replace(fired[-1], verdict=Verdict.FAIL, reason=surplus, violated=())
        if self.peer.connected and self.costs in (_OVERRUN, _SHARED):
            self.costs = ""
        return fired

    def serve(self, request: Request, seconds: float) -> bytes:
        """Make a short good Call while nothing is in flight; the payload of its Reply.

        Args:
            request: what is called.
            seconds: that are waited for whatever comes.

        Raises:
            Inconclusive: it has none, or cannot be called as each slot of the session waits.
        """
        try:
            call = build.short(self.peer, request)
        except LocalProtocolError as error:
            raise Inconclusive(f"{request.title} cannot be called: {error}") from error
        self._asked[call.xid] += 1
        self.peer.send(call)
        for _ in range(_MOST):
            outcome = self.peer.receive(seconds)
            if isinstance(outcome, Silent | Disconnected):
                break
            if self.take(outcome) == call.xid and isinstance(outcome, Answered):
                return outcome.payload
        raise Inconclusive(f"{request.title} is not served: {outcome}")

    def listen(self) -> None:
        """Take what comes while nothing is in flight, until nothing does for a while."""
        seconds = max(self.peer.profile.grace, _LISTENING_S)
        for _ in range(_MOST):
            outcome = self.peer.receive(seconds)
            if isinstance(outcome, Silent | Disconnected):
                return
            self.take(outcome)

    def last_look(self) -> list[Fired]:
        """See that a good Call is served on a connection that has no reason to be lost.

        What a device keeps of each message that it refuses, such as a Receive, shows only so.
        """
        if not self.is_open or self.costs:
            return []
        problem = problem_with(self.peer)
        if not problem or (self._refused and not self.peer.connected):
            return []
        reason = f"a good Call after all that: {problem}"
        return [Fired(b"", "NULL", ("a Reply",), (problem,), Verdict.FAIL, reason)]

    def take(self, outcome: Outcome) -> int | None:
        """Take what has come; returns the XID of what it answers, None if it answers nothing."""
        if isinstance(outcome, Called):
            self.on_call(outcome)
            return None
        xid = answered_xid(outcome)
        if xid is not None:
            self._answered[xid] += 1
        return xid

    def _gather(self, flying: list[Flying]) -> tuple[dict[int, list[Outcome]], Outcome]:
        """What answers each XID in flight, and what ended the waiting."""
        peer = self.peer
        found: dict[int, list[Outcome]] = {}
        open_ = Counter(one.xid for one in flying)
        due = Counter(one.xid for one in flying if not one.may_be_silent)
        if len(flying) < peer.granted and not self.costs:
            fence = Fence.behind(peer, flying[-1].xid).xid
            self._asked[fence] += 1
            due[fence] += 1
            open_[fence] += 1
        end: Outcome = Silent(0.0)
        for _ in range(_MOST):
            if not open_.total():
                break
            is_due = due.total() and not self.costs
            end = peer.receive(peer.profile.deadline if is_due else peer.profile.grace)
            if isinstance(end, Silent | Disconnected):
                break
            xid = self.take(end)
            if xid is not None:
                found.setdefault(xid, []).append(end)
                open_[xid] = max(open_[xid] - 1, 0)
                due[xid] = max(due[xid] - 1, 0)
        return found, end

    def _judged(
        self, one: Flying, answers: list[Outcome], end: Outcome, flying: list[Flying]
    ) -> Fired:
        if not answers and not isinstance(end, Silent | Disconnected):
            end = Silent(self.peer.profile.grace)  # all else was answered
        came = answers or [end]
        judgements = [self._judgement(one, outcome, flying) for outcome in came]
        # What was answered several times is as wrong as its worst answer.
        worst = next((each for each in judgements if each.verdict is Verdict.FAIL), judgements[0])
        self._refused |= any(isinstance(outcome, ErrChunk | ErrVers) for outcome in came)
        allowed = dict.fromkeys(str(item) for each in one.expectations for item in each.allowed)
        return Fired(
            one.octets,
            one.what,
            tuple(allowed),
            tuple(str(outcome) for outcome in came),
            worst.verdict,
            worst.reason,
            worst.violated,
        )

    def _judgement(self, one: Flying, outcome: Outcome, flying: list[Flying]) -> Judgement:
        judgement = self._best(one, outcome)
        if judgement.verdict is Verdict.FAIL and (excuse := self._excuse(one, outcome, flying)):
            return Judgement(Verdict.INCONC, excuse)
        if judgement.verdict is Verdict.PASS:
            return self._wrong_results(one, outcome) or judgement
        return judgement

    def _best(self, one: Flying, outcome: Outcome) -> Judgement:
        """The judgement by that state of the memory by which the outcome is most in order."""
        held = held_by(outcome, self.memory.exposed)
        judgements = [
            judge_answer(each, outcome, held, repeated=False, refusal=self.peer.workload.refusal)
            for each in one.expectations
        ]
        passed = [each for each in judgements if each.verdict is not Verdict.FAIL]
        return (passed or judgements)[0]

    def _wrong_results(self, one: Flying, outcome: Outcome) -> Judgement | None:
        """What is wrong with the results of a good Call, where they are as the device left them."""
        if one.call is None or not isinstance(outcome, Answered) or not self._is_clear(one):
            return None
        return wrong_results(one.call, outcome, self.memory.exposed)

    def _is_clear(self, one: Flying) -> bool:
        """Whether the memory is as the answer has left it."""
        return len(one.expectations) == 1

    def _excuse(self, one: Flying, outcome: Outcome, flying: list[Flying]) -> str:
        """Why an outcome that is not allowed is not held against the device; empty if it is."""
        if isinstance(outcome, Disconnected | Silent):
            if self.costs:
                return self.costs
            if isinstance(outcome, Disconnected) and self._refused:
                return "an error was sent before, after which a device may end the connection"
            others = (each for each in flying if each is not one)
            if isinstance(outcome, Disconnected) and any(
                self._best(each, outcome).verdict is not Verdict.FAIL for each in others
            ):
                return "the connection may be lost over another message in flight"
            return ""
        if self.costs == _SHARED and isinstance(outcome, ErrChunk):
            return _SHARED
        if isinstance(outcome, Answered) and outcome.is_long:
            if not self._is_clear(one):
                return "the room for the Reply was withdrawn meanwhile"
            if len(flying) > 1:
                return "other Calls in flight may have offered the same room"
        return ""

    def _surplus(self) -> str:
        """Which XIDs were answered more often than asked, in words."""
        over = [xid for xid, count in self._answered.items() if count > self._asked[xid] > 0]
        words = "; ".join(
            f"{self._answered[xid]} answers to {self._asked[xid]} messages of one XID"
            for xid in over
        )
        for xid in over:
            self._asked[xid] = self._answered[xid]
        return words


def _by_xid(flying: list[Flying]) -> list[Flying]:
    """The last message of each XID, with what is allowed about all of that XID."""
    kept: dict[int, Flying] = {}
    for one in flying:
        if (before := kept.get(one.xid)) is not None:
            one.expectations = [*before.expectations, *one.expectations]
        kept[one.xid] = one
    return list(kept.values())
