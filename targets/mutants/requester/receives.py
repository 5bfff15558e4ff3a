"""Mutants of the client: its Receives, and how long arguments stay (rfc8166 2.3.2, 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import Invalidate, PostReceive, Register
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.requester.outgoing import Memory, OutgoingCall, Phase
from rpcrdma.endpoint.requester.plan import CallPlan
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.fabric.base import Access
from rpcrdma.ulp.testprog import TestProgram
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action


_NEVER_SAFE: Final = Memory(0, Register(0, 1, Access.REMOTE_READ))


def _nobody() -> OutgoingCall:
    """A call that never ends, to which memory is ascribed that is taken back from another."""
    nobody = OutgoingCall(0, 0, TestProgram(), b"", plan=CallPlan(MessageForm.LONG, b"", ()))
    nobody.reads = [(0, [_NEVER_SAFE])]
    return nobody


@mutant(breaks="rfc8166.3.3.1.receives-for-expected-replies")
class PostsEverySecondReceiveAgain(Requester):
    """Posts a Receive again for every second reply."""

    _odd = False

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        self._odd = not self._odd
        if self._odd:
            return actions
        return [action for action in actions if not isinstance(action, PostReceive)]


@mutant(
    breaks="rfc8166.2.3.2.receives-posted-before-sends",
    also_trips=dict.fromkeys(
        (
            "bidir.2.1.2.directions-are-accounted-separately",
            "rfc8166.3.3.1.new-calls-within-lower-value",
            "rfc8166.3.3.2.threshold-is-constant",
        ),
        "a reply that finds no Receive, or too short a one, is lost or waits",
    ),
)
class PostsNoReceiveAgain(Requester):
    """Posts no Receive again while calls are in flight."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        return [action for action in actions if not isinstance(action, PostReceive)]


@mutant(
    breaks="rfc8166.3.3.3.receives-1024-octets",
    also_trips={
        "rfc8166.4.3.3.reply-chunk-when-reply-may-not-fit": "a reply of just that length is lost"
    },
)
class PostsSlightlyShortReceives(Requester):
    """Posts Receives of 1000 octets."""

    @property
    def initial_receives(self) -> tuple[int, ...]:
        return (1000,) * self.options.credits


@mutant(breaks="rfc8166.3.3.3.one-exchange-of-1024-octets")
class ShortensTheFirstReceive(Requester):
    """Posts a Receive of 512 octets for the first reply on a connection."""

    @property
    def initial_receives(self) -> tuple[int, ...]:
        return (512, *super().initial_receives[1:])


@mutant(breaks="rfc8166.3.5.receives-posted-and-large-enough")
class PostsReceivesLikeTheLast(Requester):
    """Posts each Receive again as long as the message was that has come."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        again = PostReceive.of(len(event.data))
        return [
            again if isinstance(action, PostReceive) else action
            for action in super()._receive(event, now)
        ]


@mutant(
    breaks="rfc8166.3.4.5.1.read-memory-released-after-reply",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.3.header-describes-the-memory",
            "rfc8166.3.4.5.same-position-throughout-a-chunk",
            "rfc8166.4.3.1.read-list-groups-by-position",
            "rfc8166.4.7.read-list-encoding",
        ),
        "what cannot be read makes no call",
    ),
)
class TakesSegmentsBackAtOnce(Requester):
    """Takes back the memory of an argument of several segments when its call has been sent."""

    def _enqueue(self, call: OutgoingCall) -> list[Action]:
        actions = super()._enqueue(call)
        several = [group for _, group in call.reads if len(group) > 1]
        for memory in (one for group in several for one in group):
            if not memory.safe:
                memory.safe = True
                self._memory[memory.key] = (_nobody(), memory)
                actions.append(Invalidate(memory.key))
        return actions


@mutant(breaks="rfc8166.2.3.2.read-memory-freed-after-next-send")
class TakesArgumentsBackAtAnyMessage(Requester):
    """Takes any message for the end of all reading, and takes the arguments of all calls back."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        waiting = [call for call in self._calls.values() if call.phase is Phase.SENT]
        for memory in (one for call in waiting for _, group in call.reads for one in group):
            if not memory.safe:
                memory.safe = True
                self._memory[memory.key] = (_nobody(), memory)
                actions.append(Invalidate(memory.key))
        return actions
