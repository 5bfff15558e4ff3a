"""A client with two calls in flight, of which one is disturbed again and again.

    disturbed = Disturbed.of(service, client, breaks=ID)
    disturbed.send(make)                what completes no call, in place of a Reply or before it
    disturbed.use_all_credits()         as many Replies at once as the client has calls in flight

    rfc8166 section 3.3.1  RPC-over-RDMA Credits (a Receive for each Reply that is awaited)
    rfc8166 section 4.5    Error Handling

On this connection a message that finds no Receive is lost, and the connection with it.  A client
with two calls in flight has two Receives at least: one for what disturbs it, and one for the Reply
after that.  When its next call comes it has read both, and must have two again.  What may end the
call, and may not, is followed by a Reply only if the call goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.requester.expectation import Reaction
from conformance.oracle.requester.reaction import expected_reaction
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.server.line import Welcome
from conformance.verify import calls
from rpcrdma.fabric.completion import CompletionStatus
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from conformance.oracle.requester.expectation import ReactionExpectation
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient
    from conformance.tester.server.line import Line
    from conformance.tester.server.useless import Made
    from targets.base import RunningAct

__all__ = ["ENOUGH", "Disturbed", "unless_ended"]

ENOUGH: Final = 48
"""Calls at once that are enough, however many a client may have in flight."""

TIMES: Final = 3
"""How often a client is sent as many messages as it requests credits: a client that loses every
second Receive, and reads each Reply as it comes, is noticed only when it has none left."""

SPARE: Final = 8
"""Receives that a client may have beside those for what it requests."""

_TWO_IN_FLIGHT: Final = 2

_LACKING: Final = CompletionStatus.RNR_RETRY_EXCEEDED.value
"""How a Send ends that has found no Receive."""


class Disturbed:
    """A client that has been told to make many calls, two at a time.

    Attributes:
        rounds: messages that use up all Receives of the client, if it posts none again.
    """

    def __init__(self, service: Service, act: RunningAct, breaks: tuple[str, ...]) -> None:
        self.service = service
        self._act = act
        self._breaks = breaks
        self._kept = service.next_call()
        self._line = service.line_of(self._kept)
        self.rounds = _rounds(self._kept.credits)
        self._current = self._beside()

    @classmethod
    def of(cls, service: Service, client: ActingClient, breaks: tuple[str, ...]) -> Disturbed:
        """On a new connection, where a Send waits once for a Receive, and not for ever.

        Args:
            service: where the client has connected.
            client: with as many calls to make as it takes.
            breaks: what a client breaks whose connection is lost over the lack of a Receive.
        """
        one_only = service.welcome.version_one_only
        # Who is sent more than it has called for needs time to post a Receive again.
        service.welcome = Welcome(rnr_retry=1, version_one_only=one_only)
        service.drop()
        service.waiting(service.profile.grace)
        service.grant = _TWO_IN_FLIGHT
        calls.done(client.serve_good_act())
        return cls(service, client.begin(ActKind.MANY, count=_rounds(ENOUGH) + ENOUGH), breaks)

    def send(self, make: Made) -> None:
        """Send one message; the call that it is about is over afterwards, one way or another.

        Raises:
            Deviation: the connection is lost, or a call goes on that is over.
            Inconclusive: the client makes no further call.
        """
        service, call = self.service, self._current
        octets = make(service, call)
        expectation = expected_reaction(octets, service.state_of(self._line))
        about = expectation.xid == call.xid
        service.send(octets, self._line)
        following = None
        if about and expectation.may_end:
            must_end = expectation.must_end
            patience = service.profile.deadline if must_end else service.profile.grace
            following = self._follows(patience)
            if following is None and must_end:
                self._goes_on(expectation)
        if following is None:
            service.reply(call)
        else:
            call.answered = True
        self._current = following or self._next(service.profile.deadline)

    def use_all_credits(self) -> None:
        """Let the client have as many calls in flight as it likes, and answer all at once.

        Raises:
            Deviation: the connection is lost.
        """
        service = self.service
        service.grant = ENOUGH
        service.reply(self._current)
        service.waiting()
        for call in service.in_flight(self._line):
            service.reply(call)
        result = service.serve_until(self._act)
        for served in service.served:
            served.accepted.update(served.allowed)  # how single calls end is for other cases
        self._stands(f"Replies to all calls in flight ({result})")

    def _beside(self) -> ReceivedCall:
        """A second call in flight, at the beginning."""
        try:
            return self.service.next_call(timeout=self.service.profile.grace)
        except Inconclusive as error:
            raise Unsupported("the client has one call in flight at a time") from error

    def _next(self, seconds: float) -> ReceivedCall:
        found = self._follows(seconds)
        if found is None:
            raise Inconclusive("the client does not have two calls in flight")
        return found

    def _follows(self, seconds: float) -> ReceivedCall | None:
        """The next call of this connection, if it comes in time."""
        service = self.service
        try:
            call = service.next_call(timeout=seconds)
        except Inconclusive:
            call = None
        if call is None or call.line != self._line.number:
            self._stands("messages that complete no call")
        return call

    def _stands(self, after: str) -> None:
        """See that no message was lost for want of a Receive.

        Raises:
            Deviation: one was, and the connection with it.
            Unsupported: the client has ended the connection of its own accord.
        """
        unless_ended(self._line)
        calls.stands(self._line, after, self._breaks)

    def _goes_on(self, expectation: ReactionExpectation) -> None:
        """What must have ended a call has not, unless the client makes no calls any more."""
        if self._act.poll() is not None:
            raise Inconclusive("the client gives up what it was told to do over one failure")
        raise Deviation(
            f"A call goes on after what must end it: {expectation.fault}.",
            expected=tuple(str(one) for one in expectation.allowed),
            actual=str(Reaction.WAITING),
            breaks=expectation.allowed[0].ids,
        )


def unless_ended(line: Line) -> None:
    """Go on, unless the client has ended the connection over a message, and not lost it.

    Raises:
        Unsupported: it has, which other cases judge: nothing is seen of its Receives.
    """
    if not line.connected:
        line.look()  # the Send for which the connection ended may not have been looked at
    lost = line.lost or ("" if line.connected else "ended by the client")
    if lost and not line.fell_asleep and _LACKING not in lost:
        raise Unsupported(f"the client ends the connection over such a message ({lost})")


def _rounds(credits: int) -> int:  # noqa: A002  # the word of the documents
    """Messages that use up the Receives of a client that requests so many credits."""
    return TIMES * min(credits, ENOUGH) + SPARE
