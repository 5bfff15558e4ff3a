"""The listening side of the tester: connections, calls, replies.

    service.begin(case)                              # a new case: everybody is hung up on
    call = service.next_call(where=...)              # the rest is served as it should be
    service.reply(call, service.draft(call).changed(credits=0))
    result = service.serve_until(act)

Nothing happens but inside a call of this class, each of which ends by a deadline.  Waiting gives a
device in the same process its turns; new connections are accepted inside any wait.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_ONE
from conformance.oracle.sizes import THRESHOLD_ONE, THRESHOLD_TWO
from conformance.tester.case import CaseLog, Deviation, Inconclusive, NoSuchCall
from conformance.tester.claimed import claimed_operations, device_of
from conformance.tester.server.judging import Judging
from conformance.tester.server.line import Line, Welcome
from conformance.tester.server.options import Options, refusal
from conformance.tester.server.reading import read_call
from conformance.tester.server.reception import Reception
from conformance.tester.server.replies import Replies
from conformance.tester.server.reply import AnyAnswer, ReplyDraft, draft_error
from conformance.tester.server.turns import Turns
from rpcrdma.wire import ErrChunk, ErrorBody
from rpcrdma.wire.transmission import BrokenGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from conformance.oracle.requester.state import RequesterState
    from conformance.oracle.verdict import BrokenRule
    from conformance.tester.server.received import ReceivedCall
    from conformance.tester.server.reply import CallAnswer
    from conformance.tester.server.served import ServedAct
    from rpcrdma.fabric.base import Address, ConnectionRequest, Fabric
    from rpcrdma.ulp.bindings import DataItem, ReplyExpectation, UpperLayerFactory
    from rpcrdma.wire.transmission import Arrived
    from targets.base import RunningAct
    from targets.profile import Profile

__all__ = ["GRANT", "Service", "anything"]

GRANT: Final = 32
"""Credits that every reply grants unless told otherwise."""

MOST_DEADLINES: Final = 12
"""An act may take so many times the deadline, in each of which a call has come."""


def anything(_call: ReceivedCall) -> bool:
    """The predicate that every message fulfils."""
    return True


class Service:
    """The tester as a server.

    Attributes:
        profile: the device's.
        case: notes of the running case.  grant: credits that every reply grants.
        reply_threshold: most octets of a reply sent inline; set both before a connection is made.
        welcome: how the next connections are accepted.
        lines: connections of the running case, the oldest first.  received: its messages, likewise.
        call_threshold: most octets of a call sent inline; for connections made afterwards.
        threshold_of_two: likewise of Version Two, if the client has told of no larger Receives.
        options: what comes in Version Two beside calls, and is sent there.
        replies: which are due; knows what program is behind each connection.
        divert: is shown each message first; what it takes is no forward call (bidir).
        change: makes of the right reply to a call the one that goes out, where a case has no own.
        starting: whether the client is about to do something; else it need not be waited for.
    """

    def __init__(
        self, fabric: Fabric, address: Address, make_program: UpperLayerFactory, profile: Profile
    ) -> None:
        self.profile = profile
        self.case = CaseLog()
        self.lines: list[Line] = []
        self.received: list[ReceivedCall] = []
        self.options = Options(self)
        self._clock = fabric.clock
        self._make_program = make_program
        self._unclaimed: deque[ReceivedCall] = deque()
        self.replies = Replies()
        self._judging = Judging(device_of(profile))
        self.starting: Callable[[], bool] = lambda: True
        self._defaults()
        self._reception = Reception(fabric, address, self._answer)
        self._turns = Turns(self._clock, self._reception, lambda: self.lines, self._receive)

    def _defaults(self) -> None:
        self.grant = GRANT
        self.reply_threshold = THRESHOLD_ONE
        self.call_threshold = THRESHOLD_ONE
        self.threshold_of_two = THRESHOLD_TWO
        self.welcome = Welcome(version_one_only=VERSION_ONE in self.profile.claims.versions)
        self.divert: Callable[[Line, bytes], bool] = lambda _line, _octets: False
        self.change: Callable[[ReceivedCall, ReplyDraft], ReplyDraft] = lambda _call, draft: draft

    # -- life

    @property
    def address(self) -> Address:
        """Where it listens."""
        return self._reception.address

    @property
    def mishap(self) -> str:
        """Why the latest connection could not be accepted; empty if none failed."""
        return self._reception.mishap

    def begin(self, case: CaseLog, *, keep_connections: bool = False) -> None:
        """Begin a case: forget the last one and, unless told otherwise, hang up."""
        kept = [line for line in self.lines if line.connected] if keep_connections else []
        for line in (one for one in self.lines if one not in kept):
            line.close()
        self.case = case
        self.lines = kept
        for number, line in enumerate(kept, start=1):
            line.number, line.case = number, case
        self.received = []
        self._unclaimed.clear()
        self.options.forget()
        self.replies.forget(kept)
        self._judging.forget(kept)
        self._defaults()

    def recover(self) -> None:
        """Serve again as a server should: good grants, and an answer to all that still waits."""
        self._defaults()
        for line in self.lines:
            line.reposts = True
        self.answer_all()

    def close(self) -> None:
        """Hang up and stop listening.  Twice is allowed."""
        self._reception.close()
        for line in self.lines:
            line.close()

    # -- what the client has done

    @property
    def violations(self) -> tuple[BrokenRule, ...]:
        """Rules that messages of this case broke."""
        return tuple(self._judging.violations)

    @property
    def served(self) -> Sequence[ServedAct]:
        """Acts of this case that were served until they ended, the oldest first."""
        return self._judging.served

    def done(self) -> None:
        """What the client was told to do is done, and nothing else is going on."""
        self._judging.done()

    def state_of(self, line: Line) -> RequesterState:
        """What the oracle knows of the client on a connection."""
        return self._judging.state_of(line)

    def arguments(self, call: ReceivedCall) -> tuple[DataItem, ...]:
        """Arguments of a call that may be reduced; none if it cannot be decoded."""
        return self.replies.arguments(call, self.line_of(call))

    def expectation(self, call: ReceivedCall) -> ReplyExpectation:
        """The largest reply that a call can have; nothing if it cannot be decoded."""
        return self.replies.expectation(call, self.line_of(call))

    # -- connections

    @property
    def line(self) -> Line:
        """The newest connection.

        Raises:
            Inconclusive: there has been none in this case.
        """
        if not self.lines:
            raise Inconclusive("the client has not connected")
        return self.lines[-1]

    @property
    def connected(self) -> bool:
        """Whether any connection stands."""
        return any(line.connected for line in self.lines)

    def line_of(self, call: ReceivedCall) -> Line:
        """The connection on which a call came."""
        return self.lines[call.line - 1]

    def drop(self, line: Line | None = None) -> None:
        """End one connection, or all of them; their calls can no longer be answered."""
        for one in self.lines if line is None else (line,):
            one.drop()
        self._turns.once()  # so that the client knows of it before it is told to do anything

    def next_connection(self, timeout: float | None = None) -> Line:
        """Wait for one more connection than there has been; calls wait meanwhile.

        Raises:
            Inconclusive: the client does not connect.
        """
        known = len(self.lines)
        seconds = self.profile.connect_deadline if timeout is None else timeout
        self._turns.until(lambda: len(self.lines) > known, seconds)
        if len(self.lines) == known:
            mishap = self.mishap and f" ({self.mishap})"
            raise Inconclusive(f"the client did not connect within {seconds:g} s{mishap}")
        return self.lines[-1]

    # -- calls

    def next_call(
        self, where: Callable[[ReceivedCall], bool] = anything, timeout: float | None = None
    ) -> ReceivedCall:
        """The next message that fulfils a predicate, unanswered; the others are served.

        Raises:
            NoSuchCall: none comes.
        """
        seconds = self.profile.deadline if timeout is None else timeout
        end = self._clock.now() + seconds
        while True:
            while self._unclaimed:
                call = self._unclaimed.popleft()
                if where(call):
                    return call
                self.serve(call)
            if self._clock.now() >= end:
                self._judging.gave_up(self.lines)
                raise NoSuchCall(f"the client made no such call within {seconds:g} s")
            self._turns.once()

    def waiting(
        self, seconds: float | None = None, until: Callable[[], bool] | None = None
    ) -> tuple[ReceivedCall, ...]:
        """What arrives until nothing does for the grace period, or within so many seconds.

        Nothing is answered; what nobody has claimed stays so for a later `next_call`.  What is due
        is waited for before: `until`, or what the client was told to begin.
        """
        if seconds is None:
            here = until or (lambda: bool(self._unclaimed) or not self.starting())
            start, deadline = self.profile.start, self.profile.deadline
            # Where a profile says how long beginning takes, longer waiting may end a client's call.
            self._turns.until(here, start + deadline if until else start or deadline)
            self._turns.until_quiet(
                lambda: len(self.received), self.profile.grace, self.profile.deadline
            )
            self._judging.settled()
        else:
            self._turns.until(until or (lambda: False), seconds)
        return tuple(self._unclaimed)

    def in_flight(self, line: Line | None = None) -> tuple[ReceivedCall, ...]:
        """Calls that have arrived on a connection (by default the newest) and are unanswered."""
        number = (self.line if line is None else line).number
        return tuple(
            call
            for call in self.received
            if call.line == number and call.body is not None and not call.answered
        )

    # -- serving

    def serve_until(self, act: RunningAct, timeout: float | None = None) -> ServedAct:
        """Answer everything until an act has ended; returns how it ended.

        Raises:
            Deviation: it does not end.
        """
        seconds = self.profile.deadline if timeout is None else timeout
        for _ in range(MOST_DEADLINES):
            before = len(self.received)
            ended = self.serve_while(lambda: act.poll() is None, seconds)
            if ended or len(self.received) == before:
                break
        result = act.poll()
        if result is None:
            self._judging.gave_up(self.lines)
            raise Deviation(
                f"The client did not end what it was told to do within {seconds:g} s.",
                expected=("the end of the act, well or badly",),
                actual=f"nothing, after {len(self.received)} messages",
                unanswered=True,
            )
        return self._judging.ended(result)

    def serve_while(self, goes_on: Callable[[], bool], timeout: float | None = None) -> bool:
        """Answer everything as long as a condition holds; returns whether it has ceased to."""
        end = self._clock.now() + (self.profile.deadline if timeout is None else timeout)
        while goes_on():
            while self._unclaimed:
                self.serve(self._unclaimed.popleft())
            if self._clock.now() >= end:
                return not goes_on()
            self._turns.once()
        return True

    def serve(self, call: ReceivedCall) -> None:
        """Answer a call as it should be; what is no call is left alone."""
        if call.answered or call.body is None:
            return
        line = self.line_of(call)
        if call.unreduced is None:
            if line.connected:
                self.error(call, ErrChunk())
            return
        if call.group is not None:
            # v2 3.1: an operation that nobody has been told of is refused.
            refused = AnyAnswer((refusal(call.xid, self.grant),), self.grant)
            self.reply(call, refused if line.respond is None else line.respond(call))
            return
        for one, draft in self._drafts(call):
            self.reply(one, self.change(one, draft))

    def draft(self, call: ReceivedCall) -> ReplyDraft:
        """The right reply to a call, for changing and for `reply`.

        Raises:
            Inconclusive: there is none: it is no call, or its program answers later.
        """
        for one, draft in self._drafts(call):
            if one is call:
                return draft
        raise Inconclusive(f"there is no reply to {call}")

    def reply(self, call: ReceivedCall, answer: CallAnswer | None = None) -> None:
        """Send a reply (by default the right one); it counts as the call's answer."""
        chosen = self.draft(call) if answer is None else answer
        line = self.line_of(call)
        line.place(chosen.placements)
        *first, last = chosen.sends
        for octets in first:
            self.send(octets, line)
        self.send(last, line, chosen.invalidate)
        line.granted = chosen.granted
        call.answered = True

    def error(self, call: ReceivedCall, error: ErrorBody, *, version: int | None = None) -> None:
        """Answer a call by an RDMA_ERROR, in its own version unless told otherwise."""
        self.reply(call, draft_error(call, self.grant, error).changed(version=version))

    def send(self, octets: bytes, line: Line | None = None, invalidate: int | None = None) -> None:
        """Send any octets on a connection (by default the newest); they answer nothing."""
        chosen = self.line if line is None else line
        self._judging.sending(chosen, octets)
        chosen.send(octets, invalidate=invalidate)

    def answer_all(self) -> None:
        """Answer, as it should be, every call that has not been answered."""
        self._unclaimed.clear()
        for call in (one for one in self.received if self.line_of(one).connected):
            self.serve(call)

    def _drafts(self, call: ReceivedCall) -> Iterable[tuple[ReceivedCall, ReplyDraft]]:
        line = self.line_of(call)
        open_calls = {one.xid: one for one in self.in_flight(line)}
        threshold = self.reply_threshold
        if call.version != VERSION_ONE:
            # xcharext 3.1: a client that has told of larger Receives may offer no Reply chunk.
            threshold = max(self.threshold_of_two, self.state_of(line).told.octets or 0)
        return self.replies.drafts(call, line, open_calls, self.grant, threshold)

    # -- what comes in

    def _receive(self, line: Line, arrived: Arrived) -> None:
        if isinstance(arrived, BrokenGroup):
            self._judging.received_broken(arrived)
            return
        if self.divert(line, octets := arrived.octets):
            return
        if self.options.take(line, octets):
            self._judging.received_option(line, octets)
            return
        in_flight = tuple(call.xid for call in self.in_flight(line))
        layouts, seconds = self.state_of(line).announced, self.profile.deadline
        call = read_call(line, len(self.received), arrived, in_flight, layouts, seconds)
        self.received.append(call)
        self._unclaimed.append(call)
        self._judging.received(line, call)

    def _answer(self, request: ConnectionRequest) -> None:
        welcome = self.welcome
        if welcome.refuse:
            request.reject(welcome.private_data)
            return
        connection = request.accept(welcome.parameters, self.profile.connect_deadline)
        known, grace = claimed_operations(self.profile), self.profile.grace
        line = Line(len(self.lines) + 1, connection, welcome, known, self.case, grace)
        program = self._make_program()
        self.replies.open(line, program)
        thresholds = (self.call_threshold, self.reply_threshold)
        self._judging.open(line, program, thresholds, serves_two=not welcome.version_one_only)
        self.lines.append(line)
