"""Messages of any kind in flight on one connection, each answered as the documents allow.

    traffic = Traffic.on(connect, breaks=ID)     a connection that knows its grant
    traffic.send(call)                           a good Call, which must be served
    traffic.send_odd(message)                    anything else: the oracle says what may come of it
    traffic.hold(call), traffic.release(call)    a good Call that waits, and what ends that
    traffic.settle()                             all that must be answered has been
    traffic.use_all_credits()                    as many Calls at once as are granted

    rfc8166 section 3.3.1  RPC-over-RDMA Credits (a grant is backed by Receives)
    rfc8166 section 4.5    Error Handling

Answers may come in any order.  What may be dropped is known to have been taken when a good Call
behind it has been answered; an answer to it may still come later, and is then judged.

A Send that finds no Receive costs the connection, so that a device shows what it has posted.  With
a device that grants one credit there is no room for a Call behind what may be dropped: there the
grace period shows that, Sends wait for a Receive, and only a device that has none left is noticed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from conformance.oracle.marks import marks_of_judgement, marks_of_kind
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    ErrChunk,
    ErrVers,
    Outcome,
    Silent,
    answered_xid,
)
from conformance.oracle.responder.answer_rules import broken_answer_rules
from conformance.oracle.responder.expected import expected
from conformance.tester.case import Deviation
from conformance.tester.client import build
from conformance.tester.sent import Message
from conformance.verify import accepted, chunks, granted
from conformance.verify.answers import expect
from conformance.verify.blame import Ids, blamed, ids_of
from reports.record import Verdict
from rpcrdma.fabric.completion import CompletionStatus
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.oracle.responder.expectation import Expectation
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

__all__ = ["ENOUGH", "Traffic"]

ENOUGH: Final = 96
"""Calls at once that are enough to show a grant, however large; each takes a Receive here."""

_TRIES: Final = 4
"""Times that a message is tried alone: a device may go by what other messages have left in its
buffers."""

_BORNE: Final[WeakKeyDictionary[object, dict[tuple[str, int], bool]]] = WeakKeyDictionary()
"""By the workload, of which each run has its own: what is known of messages alone, by version."""

_ENDS: Final = "the device ends the connection over such a message: {}"

_BESIDE_A_HELD_CALL: Final = 3
"""Credits that it takes for a message, a Call behind it, and the Call that waits."""


@dataclass(slots=True)
class _Odd:
    """A message that is no good Call, and what may come of it.

    Attributes:
        message: that was sent.
        expectation: what the oracle says.
        taken: whether a Call behind it has been answered.
    """

    message: Call | Message
    expectation: Expectation
    taken: bool = False

    @property
    def is_awaited(self) -> bool:
        """Whether something must come."""
        return not self.may_be(Silent)

    def may_be(self, kind: type[Outcome]) -> bool:
        """Whether this may come of it, with a warning or without."""
        return any(one.kind.outcome is kind for one in self.expectation.allowed)


class Traffic:
    """What is in flight on one connection.

    Args:
        peer: on which a Reply has come.
        breaks: what a device breaks by which something remains unanswered.
    """

    def __init__(self, peer: Peer, breaks: Ids) -> None:
        self.peer = peer
        self._breaks = ids_of(breaks)
        self._calls: dict[int, Call] = {}
        self._held: dict[int, Call] = {}
        self._odd: dict[int, _Odd] = {}
        self._warned: set[tuple[str, ...]] = set()
        self._is_refused = False
        self._going_on: set[int] = set()
        self._stays = False

    @classmethod
    def on(cls, connect: Callable[..., Peer], breaks: Ids) -> Traffic:
        """A new connection, on which a first Call has been answered.

        Args:
            connect: makes it.
            breaks: see above.
        """
        peer = connect(rnr_retry=0)
        if _first_grant(peer) == 1:
            peer.disconnect()
            peer = connect()
            _first_grant(peer)
        return cls(peer, breaks)

    @classmethod
    def borne(
        cls, connect: Callable[..., Peer], kinds: Mapping[str, Callable[[Peer], Call | Message]]
    ) -> tuple[str, ...]:
        """The kinds of messages that a device deals with as it must where only good Calls come.

        What it does wrong with one, once or several times, has a case of its own (section 3.3.1);
        cases about several kinds would fail for it again and again.  It is found out once in a run.

        Args:
            connect: makes a connection, one for each kind.
            kinds: what makes such a message, by name.

        Raises:
            Unsupported: there are none.
        """
        traffic = cls.on(connect, breaks=())
        clock = traffic.peer.connection.clock
        began = clock.now()
        known = _BORNE.setdefault(traffic.peer.workload, {})
        for name, make in kinds.items():
            if (name, traffic.peer.version) in known:
                continue
            known[name, traffic.peer.version] = cls.on(connect, breaks=()).bears(make)
        traffic.peer.case.asides.append((began, clock.now()))
        good = tuple(name for name in kinds if known[name, traffic.peer.version])
        traffic.peer.disconnect()
        if not good:
            raise Unsupported(f"the device does not go on after {' or '.join(kinds)} alone")
        return good

    def bears(self, make: Callable[[Peer], Call | Message]) -> bool:
        """Whether the device deals with a message as it must; it is for other cases to fail."""
        self.peer.judged = False
        acceptances = self.peer.case.acceptances
        count = len(acceptances)
        try:
            for _ in range(_TRIES):
                self.send_odd(make(self.peer))
                self.settle()
                self.send(build.small_call(self.peer))
        except (Deviation, Unsupported):
            return False
        finally:
            del acceptances[count:]
            self.peer.disconnect()
        return True

    @property
    def credits(self) -> int:
        """How many Calls may be in flight, as far as the tester makes use of it."""
        return min(self.peer.granted, ENOUGH)

    def send(self, call: Call) -> None:
        """Send a good Call, which must be served, when there is a credit for it."""
        self._make_room()
        accepted.note(self.peer, call, (Answered,), statuses=accepted.SERVED, breaks=self._breaks)
        self._calls[call.xid] = call
        self.peer.send(call)

    def hold(self, call: Call) -> None:
        """Send a good Call that is answered only when another has come.

        Raises:
            Unsupported: the device grants too few credits for anything beside it.
        """
        granted.require(self.peer, _BESIDE_A_HELD_CALL)
        self.send(call)
        self._held[call.xid] = self._calls.pop(call.xid)
        self.send(_null(self.peer))  # who has answered it has taken the other before
        self._await_answers()

    def release(self, call: Call) -> None:
        """Send the Call for which those that were held wait: all of them are served."""
        self.send(call)
        self._calls |= self._held
        self._held.clear()
        self._await_answers()

    def send_odd(self, message: Call | Message) -> None:
        """Send what is no good Call: what comes of it is for the oracle to say.

        Of optional messages there is one at a time (D-54).
        """
        if isinstance(message, Message) and any(
            isinstance(one.message, Message) and not one.taken for one in self._odd.values()
        ):
            self.settle()
        self._make_room()
        octets, *later = message.sends
        found = expected(octets, self.peer.state, *later)
        accepted.note_expected(self.peer, message, found, self._breaks)
        self._odd[message.xid] = _Odd(message, found)
        self.peer.send(message)

    def settle(self) -> None:
        """Wait until all that must be answered has been, and what may be dropped was taken.

        After an error a good Call shows that the device goes on.
        """
        untaken = [one for one in self._odd.values() if not one.is_awaited and not one.taken]
        if untaken and self.credits == 1:
            self._wait_out()
        elif untaken:
            self._send_null()
        self._await_answers()
        if self._is_refused:
            self._send_null()
            self._await_answers()
            self._see_that_it_stays()
        for one in untaken:
            one.taken = True

    def _see_that_it_stays(self) -> None:
        """See that an error is not the end of the connection (D-155), once on each.

        Whoever ends it may serve before what had come meanwhile: Linux does, now and then.
        """
        if self._stays:
            return
        outcome = self.peer.receive(self.peer.profile.grace)
        if _is_of_choice(outcome):
            raise Unsupported(_ENDS.format(outcome))
        if not isinstance(outcome, Silent):
            self._take(outcome)
        self._stays = True

    def use_all_credits(self) -> None:
        """Have as many good Calls in flight as are granted: each is served."""
        self.send(_null(self.peer))
        self._await_answers()
        count = self.credits
        self.peer.post_receives(count)
        for _ in range(count):
            self.send(_null(self.peer))
        self._await_answers()

    def _wait_out(self) -> None:
        """See what comes within the grace period, where no Call may be in flight beside it."""
        while self._odd:
            outcome = self.peer.receive(self.peer.profile.grace)
            if isinstance(outcome, Silent):
                return
            self._take(outcome)

    def _send_null(self) -> None:
        call = _null(self.peer)
        self._calls[call.xid] = call
        if self._is_refused:
            self._going_on.add(call.xid)
        self.peer.send(call)

    def _make_room(self) -> None:
        untaken = sum(not one.is_awaited and not one.taken for one in self._odd.values())
        if len(self._awaited()) + len(self._held) + untaken >= self.credits:
            self.settle()

    def _awaited(self) -> list[Call | Message]:
        odd = (one.message for one in self._odd.values() if one.is_awaited)
        return [*self._calls.values(), *odd]

    def _await_answers(self) -> None:
        while self._awaited():
            self._take(self.peer.receive())

    def _take(self, outcome: Outcome) -> None:
        case = self.peer.case
        case.expected = tuple(dict.fromkeys(f"an answer to {one.title}" for one in self._awaited()))
        case.actual = str(outcome)
        xid = answered_xid(outcome)
        if xid in self._calls and isinstance(outcome, Answered):
            chunks.right(self.peer, self._calls.pop(xid), outcome, breaks=self._breaks)
            self._is_refused = self._is_refused and xid not in self._going_on
        elif xid in self._odd:
            self._judge(self._odd.pop(xid).expectation, outcome)
        else:
            self._refuse(outcome)

    def _judge(self, expectation: Expectation, outcome: Outcome) -> None:
        judgement = expectation.judge(outcome)
        case = self.peer.case
        case.interpretations += judgement.interpretations
        if judgement.verdict is Verdict.FAIL:
            raise Deviation(
                f"{judgement.reason}.",
                expected=tuple(str(one) for one in expectation.allowed),
                actual=str(outcome),
                breaks=judgement.violated,
                marks=marks_of_judgement(outcome, judgement),
            )
        self._is_refused = self._is_refused or isinstance(outcome, ErrChunk | ErrVers)
        if judgement.verdict is Verdict.WARN and judgement.violated not in self._warned:
            self._warned.add(judgement.violated)
            case.let_pass(f"{judgement.reason}.", judgement.violated)

    def _refuse(self, outcome: Outcome) -> None:
        """What has come answers nothing, or a good Call not as it must."""
        if _is_of_choice(outcome) and self._may_end():
            raise Unsupported(_ENDS.format(outcome))
        waiting = self._awaited()
        titles = ", ".join(dict.fromkeys(one.title for one in waiting))
        raise Deviation(
            f"{len(waiting)} messages await their answers ({titles}), and this came: {outcome}.",
            expected=self.peer.case.expected,
            actual=str(outcome),
            breaks=blamed(outcome, self.peer.version, self._broken_by(outcome)),
            unanswered=answered_xid(outcome) is None,
            marks=marks_of_kind(outcome),
        )

    def _may_end(self) -> bool:
        """Whether a device may end the connection: over a message, or after its error (D-155).

        Not over an error after which it has served a good Call.
        """
        return self._is_refused or any(one.may_be(Disconnected) for one in self._odd.values())

    def _broken_by(self, outcome: Outcome) -> tuple[str, ...]:
        """What is broken by what answers nothing, or comes where an answer must come."""
        odd = next((one for one in self._odd.values() if one.is_awaited), None)
        first = odd.message if odd else next(iter(self._calls.values()), None)
        wrong = () if first is None else broken_answer_rules(outcome, first.xid, first.version)
        if wrong:
            return wrong[0].ids
        owed = odd.expectation.allowed[0].ids if odd else ()
        # Who says nothing to a message, or ends the connection over it, does not lack a Receive.
        lacks = isinstance(outcome, Disconnected) and not _is_of_choice(outcome)
        return self._breaks if self._breaks and (lacks or not owed) else owed


def _is_of_choice(outcome: Outcome) -> bool:
    """Whether the device has ended the connection, and not the lack of a Receive."""
    lacking = CompletionStatus.RNR_RETRY_EXCEEDED.value
    return isinstance(outcome, Disconnected) and lacking not in outcome.how


def _null(peer: Peer) -> Call:
    """A good Call that asks for all that there is."""
    return build.null_call(peer, credits=ENOUGH)


def _first_grant(peer: Peer) -> int:
    call = _null(peer)
    peer.send(call)
    return expect(peer, call, Answered).credits
