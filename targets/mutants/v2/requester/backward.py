"""Mutants of the client: what its server calls back in Version Two (v2 section 4.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.backward.duplex import ClientDuplex
from rpcrdma.endpoint.backward.responder import BackwardReplyRules
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire import RdmaSegment, WriteChunk, fixed_words
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall

NOWHERE: Final = WriteChunk((RdmaSegment(0x0BAD, 64, 0),))


def _is_two(message: bytes) -> bool:
    return len(message) >= ONE.header and fixed_words(message).version == TWO.number


@mutant(
    breaks="v2.4.2.2.client-answers-backward-calls",
    also_trips={
        "v2.2.2.backward-messages-grow-too": because.DROPPED,
        "v2.4.2.2.backward-credits-are-separate": because.DROPPED,
        "xcharext.3.1.receives-as-large-as-announced": because.DROPPED,
    },
)
class DropsBackwardCallsInTwo(ClientDuplex):
    """Drops backward Calls in Version Two."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        return self.drop(event) if _is_two(event.data) else super().to_backward(event, now)


@mutant(breaks="v2.2.2.backward-messages-grow-too")
class DropsLongBackwardCalls(ClientDuplex):
    """Drops backward Calls of more than 1024 octets in Version Two."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        is_long = len(event.data) > ONE.threshold and _is_two(event.data)
        return self.drop(event) if is_long else super().to_backward(event, now)


@mutant(breaks="v2.4.2.2.backward-credits-are-separate")
class CountsBackwardCreditsInTwo(ClientDuplex):
    """Takes the credits that a backward Call of Version Two requests for a grant."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        if _is_two(event.data) and isinstance(self.forward, Requester):
            self.forward.allowance.granted_by_reply(fixed_words(event.data).credit)
        return super().to_backward(event, now)


@mutant(breaks="v2.4.2.2.backward-messages-are-version-two")
class RepliesBackwardInVersionOne(BackwardReplyRules):
    """Answers backward Calls of Version Two by Replies of Version One."""

    def reply_version(self, call: IncomingCall) -> int:
        return ONE.number


@mutant(breaks="v2.4.2.2.backward-messages-without-chunks")
class RepliesBackwardByChunks(BackwardReplyRules):
    """Returns a Write chunk in backward Replies of Version Two, which nobody has offered."""

    def reply_writes(self, writes: Sequence[WriteChunk]) -> tuple[WriteChunk, ...]:
        return (*writes, NOWHERE) if TWO.number in self.dialects else tuple(writes)
