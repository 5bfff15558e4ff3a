"""Mutants: which messages end a backward Call, and which half gets them (bidir 1.3.4 and 1.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.actions import PostReceive
from rpcrdma.endpoint.backward_requester import BackwardRequester
from rpcrdma.endpoint.call_rules import MINIMUM_HEADER, fixed_words
from rpcrdma.endpoint.direction import DirectionRules, Half
from rpcrdma.endpoint.duplex import Duplex
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint import events
    from rpcrdma.endpoint.actions import Action
    from rpcrdma.endpoint.backchannel import BackwardCall
    from rpcrdma.wire import TransportHeader

MATCHED = "bidir.1.3.4.reply-is-matched-by-xid"


@mutant(breaks=MATCHED)
class TakesBackwardRepliesInOrder(BackwardRequester):
    """Takes any Reply for that to its oldest Call."""

    def find(self, xid: int) -> BackwardCall | None:
        """See `BackwardRequester`."""
        known = super().find(xid)
        return known or next((call for call in self.in_flight), None)


@mutant(breaks=MATCHED)
class TakesMalformedReplies(BackwardRequester):
    """Takes whatever has the msg_type and the XID of a Reply, whatever else is in it."""

    def judge_reply(self, header: TransportHeader, payload: bytes) -> bool:
        """See `BackwardRequester`."""
        return True


@mutant(
    breaks="bidir.1.3.4.xid-goes-with-the-msg-type",
    also_trips={"bidir.2.1.2": "the next Call comes as if the first had been answered"},
)
class TakesCallsForReplies(Duplex):
    """Takes a forward Call under the XID of a backward one for its Reply, beside serving it."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        """See `Duplex`."""
        message = event.data
        as_reply = message[: MINIMUM_HEADER + 4] + bytes((0, 0, 0, 1)) + bytes(16)
        return self.to_backward(type(event)(as_reply), now) + super().to_forward(event, now)


@mutant(
    breaks="bidir.1.3.4.1.xid-spaces-are-independent",
    also_trips="a forward Call under the XID of a backward one gets no Reply",
)
class ExpectsForwardXidsToDiffer(DirectionRules):
    """Takes a message under a small XID, as its own are, for one of the backward direction."""

    def sort(self, message: bytes) -> Half:
        """See `DirectionRules`."""
        small = len(message) >= MINIMUM_HEADER and fixed_words(message).xid < 0x1000
        return Half.BACKWARD if small else super().sort(message)


@mutant(
    breaks="bidir.1.5.2.forward-direction-is-undisturbed",
    also_trips="forward Calls are lost while backward ones are in flight",
)
class ServesOneDirectionAtATime(Duplex):
    """Drops forward Calls while a backward Call is in flight."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        """See `Duplex`."""
        if isinstance(self.backward, BackwardRequester) and self.backward.in_flight:
            return [PostReceive(self.initial_receives[0])]
        return super().to_forward(event, now)
