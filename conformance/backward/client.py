"""The tester as a client that is called back.

    client = BackwardClient.of(peer)       not announced yet
    client.announce()                      now Calls may come
    client.provoke(3)                      has the device make three
    called = client.next_call()            the next, judged by `conformance.oracle.backward`
    client.answer(called)                  the right Reply; `credits`: what it grants
    client.send(octets, ErrChunk, breaks=ids)    anything else, which is dropped or gets an error
    client.hung_up()                       whether the device ended the connection over that
    client.no_call("why none may come")    silence of the backward direction for the grace period
    client.serve(request)                  a forward Call, whatever comes backward meanwhile
    again = client.on(other_peer)          the same client after a reconnection

    bidir section 1.3.4.1  XIDs with Bi-direction
    bidir section 2.2.3    In the Absence of Backward Direction Support

Calls that arrive while a forward Reply is awaited are kept for `next_call`.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.backward import build as build_backward
from conformance.backward.choice import backward_workload_for
from conformance.backward.workload import ForwardOnly, carry_out
from conformance.catalogue.inheritance import statements
from conformance.oracle.backward import InFlight, broken_rules
from conformance.oracle.marks import marks_by
from conformance.oracle.outcome import (
    Answered,
    Called,
    Disconnected,
    ErrChunk,
    ErrVers,
    InvalidOption,
    Silent,
)
from conformance.oracle.sizes import THRESHOLD_TWO
from conformance.oracle.verdict import broken_ids, readings_of
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.client import build
from conformance.tester.sent import Message
from conformance.verify import accepted
from conformance.verify.words import SENTENCES
from rpcrdma.wire import v2
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from conformance.backward.build import BackwardMessage
    from conformance.backward.workload import BackwardWorkload, Steps
    from conformance.oracle.outcome import Outcome
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Request
    from rpcrdma.ulp.backprog import Tally

__all__ = ["BackwardClient"]

_ANSWERS: Final = (ErrChunk, ErrVers, InvalidOption, Answered)


class BackwardClient:
    """One client on one connection.

    Attributes:
        peer: the connection.  workload: what has the device call.
        in_flight: Calls that came and were not answered, by XID.
        granted: the largest grant on this connection; one before any (D-42).
        refused: errors about what was sent by `send`, which D-40 and D-41 allow.
    """

    def __init__(self, peer: Peer, workload: BackwardWorkload) -> None:
        self.peer = peer
        self.workload = workload
        self.in_flight: dict[int, Called] = {}
        self.granted = 1
        self.refused: list[Outcome] = []
        self._doubtful: dict[int, tuple[type[Outcome], ...]] = {}
        self._unseen: list[Message] = []
        self._blamed: tuple[str, ...] = ()
        self._blames_repetition = True
        self._kept: deque[Called] = deque()
        peer.takes_calls = True

    @classmethod
    def of(cls, peer: Peer) -> BackwardClient:
        """A client that the device has not heard of.

        Raises:
            Unsupported: the binding provokes no backward Calls.
        """
        return cls(peer, backward_workload_for(peer.profile))

    @classmethod
    def forward_only(cls, peer: Peer) -> BackwardClient:
        """A client that announces nothing, of whatever binding."""
        return cls(peer, ForwardOnly())

    def on(self, peer: Peer) -> BackwardClient:
        """The same client on another connection."""
        return BackwardClient(peer, self.workload)

    # -- forward Calls

    def introduce(self) -> None:
        """Make this client known, and announce nothing."""
        self._carry_out(self.workload.introduce())

    def announce(self) -> None:
        """Say that this client takes backward Calls here."""
        self._carry_out(self.workload.announce())

    def provoke(self, calls: int = 1, length: int = 0) -> None:
        """Have the device make Calls to this client."""
        self._carry_out(self.workload.provoke(calls, length))

    def tally(self) -> Tally:
        """What the device says has become of its Calls."""
        return self.workload.read_tally(self.serve(self.workload.tally()).payload)

    def serve(
        self, request: Request, *, xid: int | None = None, breaks: verify.Ids = ()
    ) -> verify.Reply:
        """Make a short forward Call and wait for its right Reply."""
        call = build.call(self.peer, request, xid=xid)
        self.peer.send(call)
        return self.served(call, breaks=breaks)

    def served(self, call: Call, *, breaks: verify.Ids = ()) -> verify.Reply:
        """Wait for the right Reply to a forward Call that was sent."""
        self._note_served(call, breaks)
        return self._any_served({call.xid: call}, breaks)

    def all_served(self, calls: Iterable[Call], *, breaks: verify.Ids = ()) -> None:
        """Wait for the right Replies to forward Calls that were sent, in any order."""
        waiting = {call.xid: call for call in calls}
        for call in waiting.values():
            self._note_served(call, breaks)
        while waiting:
            self._any_served(waiting, breaks)

    # -- backward Calls

    def next_call(self, *, breaks: verify.Ids = ()) -> Called:
        """The next backward Call; `breaks` is what a device breaks that makes none."""
        expected = ("a backward Call",)
        while not self._kept:
            outcome = self.peer.receive()
            self.peer.case.expected, self.peer.case.actual = expected, str(outcome)
            if not self._keep(outcome):
                raise Deviation(
                    f"No backward Call came: {outcome}.",
                    expected=expected,
                    actual=str(outcome),
                    breaks=verify.blamed(outcome, self.peer.version, breaks),
                    unanswered=True,
                )
        return self._kept.popleft()

    def calls(self, most: int) -> tuple[Called, ...]:
        """The Calls that come until the device is silent for the grace period, or `most` have come.

        Raises:
            Inconclusive: none came.
        """
        found: list[Called] = []
        while len(found) < most:
            # The first is due, since the device was asked to; the others may wait for a Reply.
            called = self._poll(None if found else self.peer.profile.deadline)
            if called is None:
                break
            found.append(called)
        if not found:
            raise Inconclusive("the device makes no backward Call, though it was asked to")
        return tuple(found)

    def together(self, number: int) -> tuple[Called, ...]:
        """So many Calls in flight at one time.

        Raises:
            Inconclusive: none came.
            Unsupported: the device makes fewer at a time, as it may.
        """
        found = self.calls(number)
        if len(found) < number:
            raise Unsupported(f"the device makes {len(found)} of {number} Calls at a time")
        return found

    def no_call(self, why: str, *, breaks: verify.Ids = ()) -> None:
        """No backward Call comes within the grace period."""
        called = self._poll()
        if called is not None:
            raise Deviation(
                f"A backward Call came where none may come ({why}): {called}.",
                expected=("no backward Call",),
                actual=str(called),
                breaks=verify.ids_of(breaks),
            )

    def answer(self, called: Called, *, credits: int = build_backward.CREDITS) -> None:  # noqa: A002  # the word of the documents
        """Send the right Reply to a Call."""
        self.peer.send(self.reply(called, credits=credits).octets)
        self.in_flight.pop(called.xid, None)
        self.granted = max(self.granted, credits)

    def reply(self, called: Called, *, credits: int = build_backward.CREDITS) -> BackwardMessage:  # noqa: A002  # likewise
        """The right Reply to a Call, not sent."""
        return build_backward.reply(called, self.workload.answer(called.payload), credits=credits)

    def send(
        self,
        octets: bytes,
        *answers: type[Outcome],
        breaks: verify.Ids = (),
        by_repeating: bool = True,
    ) -> None:
        """Send anything; nothing counts as answered by it.

        Args:
            octets: the message.
            answers: kinds that may answer it, if it is not dropped; a Reply must be an RPC error.
            breaks: what a device breaks that shows any other effect of it.
            by_repeating: whether that is broken, too, by a Call that is sent again.
        """
        sent = Message(int.from_bytes(octets[:4]), octets, "a message that must have no effect")
        self._doubtful[sent.xid] = (*self._doubtful.get(sent.xid, ()), *answers)
        self._unseen.append(sent)
        self._blamed = verify.ids_of(breaks)
        self._blames_repetition = by_repeating
        kinds: tuple[type[Outcome], ...] = (Silent, *answers)
        accepted.note(self.peer, sent, kinds, (), accepted.REFUSED, self._blamed)
        self.peer.send(octets)

    def answer_perhaps(
        self, called: Called, octets: bytes, *answers: type[Outcome], breaks: verify.Ids = ()
    ) -> None:
        """Send what a device may take for the Reply to a Call, and may drop.

        Args:
            called: the Call; it does not count as being in flight any more.
            octets: the message.
            answers: kinds that may answer it, if it is neither taken nor dropped.
            breaks: what a device breaks that shows any other effect of it.
        """
        self.in_flight.pop(called.xid, None)
        self.send(octets, *answers, breaks=breaks)

    def went_on(self) -> bool:
        """Whether another Call comes within the grace period; `next_call` hands it over."""
        called = self._poll()
        if called is not None:
            self._kept.appendleft(called)
        return called is not None

    def hung_up(self, *, tolerated: verify.Ids = (), told_of_memory: bool = False) -> bool:
        """Whether the device has ended the connection over what was sent; a warning if tolerated.

        A forward Call shows it: what it takes is on the wire after what was sent.  A device that
        was told of memory may learn only later that it must not reach it: within the grace period.
        """
        allowed, warned = ((), (Disconnected,)) if tolerated else ((Disconnected,), ())
        for sent in self._unseen:
            accepted.note(self.peer, sent, allowed, warned, breaks=self._blamed)
        self._unseen.clear()
        call = build.null_call(self.peer)
        self._note_served(call)
        self.peer.send(call)
        timeout: float | None = None
        while True:
            outcome = self.peer.receive(timeout)
            if timeout is not None and isinstance(outcome, Silent):
                return False
            self.peer.case.expected, self.peer.case.actual = ("a Reply",), str(outcome)
            if isinstance(outcome, Answered) and outcome.xid == call.xid:
                verify.right(self.peer, call, outcome)
                if not told_of_memory:
                    return False
                timeout = self.peer.profile.grace
                continue
            if isinstance(outcome, Disconnected):
                if tolerated:
                    reason = f"{outcome} for a message that should cost no more than itself."
                    self.peer.case.let_pass(reason, verify.ids_of(tolerated))
                return True
            if not self._keep(outcome):
                raise Deviation(
                    f"This belongs to neither direction: {outcome}.",
                    expected=("a Reply to the good Call", "the end of the connection"),
                    actual=str(outcome),
                )

    def _note_served(self, call: Call, breaks: verify.Ids = ()) -> None:
        """Note that only the right Reply is accepted of a forward Call."""
        broken = verify.ids_of(breaks)
        accepted.note(self.peer, call, (Answered,), (), accepted.SERVED, broken)

    def _any_served(self, waiting: dict[int, Call], breaks: verify.Ids) -> verify.Reply:
        """The right Reply to one of several forward Calls, which then waits no longer."""
        expected = ("the Reply to the forward Call",)
        while True:
            outcome = self.peer.receive()
            self.peer.case.expected, self.peer.case.actual = expected, str(outcome)
            if isinstance(outcome, Answered) and outcome.xid in waiting:
                return verify.right(self.peer, waiting.pop(outcome.xid), outcome, breaks=breaks)
            misnamed = self._misnamed(outcome, waiting)
            if misnamed or not self._keep(outcome):
                first = next(iter(waiting.values()))
                raise Deviation(
                    f"{first.request.title} was not answered: {outcome}.",
                    expected=expected,
                    actual=str(outcome),
                    breaks=misnamed or verify.blamed(outcome, self.peer.version, breaks),
                    unanswered=True,
                )

    def _misnamed(self, outcome: Outcome, waiting: Container[int]) -> tuple[str, ...]:
        """What a Reply breaks that says that it is a Call, or comes under another XID."""
        rules: tuple[str, ...] = ()
        if isinstance(outcome, Called) and outcome.xid in waiting and outcome.rpc is None:
            rules = ("bidir.1.3.reply-is-told-by-its-msg-type",)
        elif isinstance(outcome, Answered) and outcome.xid not in self._doubtful:
            rules = ("bidir.1.3.4.reply-xid-is-the-calls",)
        return statements(rules, self.peer.version)

    def _carry_out(self, steps: Steps) -> None:
        carry_out(steps, lambda request: self.serve(request).payload, self._pause)

    def _pause(self, seconds: float) -> None:
        called = self._poll(seconds)
        if called is not None:
            self._kept.appendleft(called)

    def _poll(self, seconds: float | None = None) -> Called | None:
        """The next Call that comes within so many seconds, or within the grace period."""
        if self._kept:
            return self._kept.popleft()
        while True:
            outcome = self.peer.receive(seconds or self.peer.profile.grace)
            self.peer.case.expected, self.peer.case.actual = ("silence",), str(outcome)
            if isinstance(outcome, Silent):
                return None
            if not self._keep(outcome):
                raise Deviation(
                    f"This belongs to neither direction: {outcome}.",
                    expected=("a backward Call", "silence"),
                    actual=str(outcome),
                )
            if self._kept:
                return self._kept.popleft()

    def _keep(self, outcome: Outcome) -> bool:
        """Judge and keep a backward Call; whether the outcome is of the backward direction."""
        if isinstance(outcome, _ANSWERS) and outcome.xid in self._doubtful:
            self._judge_doubtful(outcome, self._doubtful[outcome.xid])
            self.refused.append(outcome)
            return True
        if not isinstance(outcome, Called):
            return False
        version, own = self.peer.version, self.peer.profile.claims.reply_inline_threshold
        threshold = THRESHOLD_TWO if version == v2.VERSION else own
        in_flight = {xid: before.payload for xid, before in self.in_flight.items()}
        before = InFlight(in_flight, self.granted, self.peer.takes_chunks)
        broken = broken_rules(outcome, before, threshold, version)
        if broken:
            self.peer.case.interpretations += readings_of(broken)
            is_repeated = in_flight.get(outcome.xid) == outcome.payload
            blamed = () if is_repeated and not self._blames_repetition else self._blamed
            raise Deviation(
                f"A backward Call is not as it must be: {'; '.join(r.detail for r in broken)}.",
                expected=("a backward Call as bidir 2.5 has it",),
                actual=str(outcome),
                breaks=tuple(dict.fromkeys((*blamed, *broken_ids(broken)))),
                marks=marks_by(outcome, broken),
            )
        self.in_flight[outcome.xid] = outcome
        self._kept.append(outcome)
        return True

    def _judge_doubtful(self, outcome: Outcome, answers: tuple[type[Outcome], ...]) -> None:
        """What answers a message that must have no effect is of a kind that the case accepts."""
        executed = isinstance(outcome, Answered) and not is_refusal(outcome)
        if executed or not isinstance(outcome, answers):
            raise Deviation(
                f"A message that must have no effect was answered: {outcome}.",
                expected=("silence", *(SENTENCES[kind] for kind in dict.fromkeys(answers))),
                actual=str(outcome),
                breaks=self._blamed,
            )
        if isinstance(outcome, Answered):
            verify.recommend_garbage_args(self.peer, outcome)


def is_refusal(answer: Answered) -> bool:
    """Whether a Reply says that its Call was not executed."""
    return answer.rpc is not None and not answer.rpc.succeeded
