"""Mutants: credits and Receives of the backward direction (bidir sections 2.1.2, 2.2 and 2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.core.actions import Disconnect, Send
from rpcrdma.endpoint.responder.call_rules import MINIMUM_HEADER
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire import fixed_words
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.backchannel import Backchannel, BackwardCall
    from rpcrdma.endpoint.core.credits import Allowance

WITHIN = "bidir.2.1.2.backward-calls-within-the-grant"


@mutant(
    breaks=WITHIN,
    also_trips={"bidir.2.2.2": "more Calls come at once than the tester has Receives for"},
)
class CallsBackWithoutCredit(BackwardRequester):
    """Makes all backward Calls at once, whatever was granted."""

    def may_send(self, sends: int) -> bool:
        self.allowance.outstanding += sends
        return True


@mutant(breaks=WITHIN)
class AddsBackwardGrantsUp(BackwardRequester):
    """Adds each backward grant to those before it."""

    def grant(self, value: int) -> None:
        super().grant((self.allowance.granted or 0) + value)


@mutant(breaks=WITHIN)
class NeverLowersTheBackwardGrant(BackwardRequester):
    """Goes by the largest backward grant there was."""

    def grant(self, value: int) -> None:
        super().grant(max(self.allowance.granted or 0, value))


@mutant(breaks=WITHIN)
class TakesTheBackwardGrantAlong(BackwardRequester):
    """Begins a connection with what the same client has granted on the one before."""

    def bind(self, channel: Backchannel) -> None:
        super().bind(channel)
        before: Allowance = vars(channel).get("before", self.allowance)
        self.allowance.granted = before.granted
        vars(channel)["before"] = self.allowance


@mutant(breaks="bidir.2.1.2.backward-credits-work-like-forward-ones")
class HeedsTheFirstBackwardGrantOnly(BackwardRequester):
    """Takes the first backward grant for the last word."""

    def grant(self, value: int) -> None:
        if self.allowance.granted is None:
            super().grant(value)


@mutant(
    breaks="bidir.2.1.2.directions-are-accounted-separately",
    also_trips={WITHIN: "forward Calls let backward ones out"},
)
class TakesForwardRequestsForGrants(Duplex):
    """Takes the credits that a forward Call requests for a grant of backward ones."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if isinstance(self.backward, BackwardRequester) and len(event.data) >= MINIMUM_HEADER:
            self.backward.grant(fixed_words(event.data).credit)
        return super().to_forward(event, now)


@mutant(breaks="bidir.2.1.2.forward-grant-is-unchanged")
class TakesForwardCreditsForBackwardCalls(Duplex):
    """Grants a forward credit less for each backward Call in flight."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super().to_forward(event, now)
        busy = len(self.backward.in_flight) if isinstance(self.backward, BackwardRequester) else 0
        return [
            Send(action.key, _granting_less(action.data, busy))
            if isinstance(action, Send)
            else action
            for action in actions
        ]


def _granting_less(message: bytes, less: int) -> bytes:
    credit = max(fixed_words(message).credit - less, 1)
    return message[:8] + credit.to_bytes(4) + message[12:]


@mutant(
    breaks="bidir.2.2.2.server-posts-a-receive-for-each-backward-call",
    also_trips={
        "bidir.2.2.2": "the Receives that Replies take are missing after a repetition, too"
    },
)
class PostsNoReceiveForBackwardReplies(BackwardRequester):
    """Lets backward Replies use up the Receives of forward Calls."""

    def receive_for(self, call: BackwardCall) -> list[Action]:
        return []


@mutant(
    breaks="bidir.2.4.runt-credit-is-ignored",
    also_trips={WITHIN: "a message of an unknown msg_type is dropped like one that is too small"},
)
class UsesTheCreditOfRunts(Duplex):
    """Takes the credit value of a message that is too small for a grant."""

    def drop(self, event: events.MessageReceived) -> list[Action]:
        if isinstance(self.backward, BackwardRequester) and len(event.data) >= MINIMUM_HEADER:
            self.backward.grant(fixed_words(event.data).credit)
        return super().drop(event)


@mutant(
    breaks="bidir.2.4.runt-has-no-effect",
    also_trips={WITHIN: "a message of an unknown msg_type is dropped like one that is too small"},
)
class TakesRuntsForReplies(Duplex):
    """Has a message that is too small end the backward Call under its XID."""

    def drop(self, event: events.MessageReceived) -> list[Action]:
        whole = event.data[:MINIMUM_HEADER] + event.data[:4] + _REPLY
        return self.to_backward(type(event)(whole), 0.0)


@mutant(
    breaks="bidir.2.1.2.values-may-differ",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.",
            "bidir.2.1.2.",
            "bidir.2.2.2.server-posts-a-receive-for-each-backward-call",
            "bidir.2.2.2.server-posts-receives-for-its-forward-grant",
            "bidir.2.3.waits-indefinitely",
        ),
        because.CONNECTION_GONE,
    ),
)
class HangsUpOverOtherGrants(Duplex):
    """Ends the connection over a backward grant that is not what it requested."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if fixed_words(event.data).credit != _REQUESTED:
            return [Disconnect("a grant differs")]
        return super().to_backward(event, now)


@mutant(breaks="bidir.2.1.receives-posted-before-sends")
class PostsNoReceiveBehindRunts(Duplex):
    """Does not post a Receive again that a message took which is too small."""

    def drop(self, event: events.MessageReceived) -> list[Action]:
        return []


@mutant(
    breaks="bidir.2.2.2.server-posts-receives-for-its-forward-grant",
    also_trips={
        "bidir.2.2.2": "no connection has as many Receives as were granted",
        "rfc8166.3.3.1": "the Receives that it granted beyond sixteen are not there",
    },
)
class PostsHalfOfItsReceives(Responder):
    """Posts half as many Receives as it grants forward credits."""

    @property
    def initial_receives(self) -> tuple[int, ...]:
        return (self.options.thresholds.call,) * (self.options.receives // 2)


_REQUESTED = 8

_REPLY = bytes((0, 0, 0, 1)) + bytes(16)
"""A successful Reply without results, from its msg_type on."""


@mutant(breaks="bidir.2.4.runt-is-dropped")
class HangsUpOverRunts(Duplex):
    """Ends the connection over a message that is too small."""

    def drop(self, event: events.MessageReceived) -> list[Action]:
        return [Disconnect("a message is too small")]
