"""Mutants: remote invalidation by a server, and backward Calls (xcharext 3.2, 3.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.duplex import ClientDuplex
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.backward.responder import BackwardCallRules, BackwardReplyRules
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire import RdmaSegment, WriteChunk
from rpcrdma.wire.properties import BackwardSupport
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action, Send
    from rpcrdma.endpoint.core.events import MessageReceived
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import FixedWords

CALL_OF_NOTHING = 72
"""Octets of a backward Call without arguments: both headers."""

NOWHERE = WriteChunk((RdmaSegment(0x0BAD, 64, 0),))
OWN = "xcharext.3.2.only-memory-of-that-call"


@mutant(
    breaks="xcharext.3.2.plain-send-unless-announced",
    also_trips={"rfc8166.3.4.3": "it does so in either version"},
)
class InvalidatesByDefault(Responder):
    """Invalidates memory of a Call though the client has not said that it bears it."""

    def invalidated(self, call: IncomingCall) -> int | None:
        return next(iter(call.handles), None)


@mutant(breaks=OWN)
class InvalidatesMemoryOfOtherCalls(Responder):
    """Invalidates memory of another Call in progress, if there is one."""

    def invalidated(self, call: IncomingCall) -> int | None:
        own = super().invalidated(call)
        if not self.may_invalidate:
            return own
        others = (handle for one in self._executing.calls() for handle in one.handles)
        return next(others, own)


@mutant(breaks="xcharext.3.2.plain-send-unless-announced")
class InvalidatesOnWhileACallIsInProgress(Responder):
    """Heeds it only when no Call is in progress that its memory may not be invalidated any more."""

    def heed(self, version: int, send_limit: int, peer: PropertyValues) -> None:
        before = self.may_invalidate and self.is_busy
        super().heed(version, send_limit, peer)
        self.may_invalidate = self.may_invalidate or before


@mutant(breaks="xcharext.3.2.either-send-if-announced")
class AnswersNothingThatMayBeInvalidated(Responder):
    """Sends no Reply where it may invalidate memory."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        return [] if self.may_invalidate else super().transmit(writes, send)


@mutant(breaks="xcharext.3.3.none-keeps-the-server-silent")
class CallsWhoTakesNoCalls(BackwardRequester):
    """Calls a client back that has said that it takes no backward Calls."""

    def is_served(self) -> bool:
        return True


@mutant(breaks="xcharext.4.4.new-values-replace-the-old")
class CallsAsIsAnnouncedFirst(BackwardRequester):
    """Keeps to the support for backward Calls that was told first, if that was all there is."""

    def heed(self, version: int, send_limit: int, peer: PropertyValues) -> None:
        told = self.peer
        super().heed(version, send_limit, peer)
        if told is not None and told.backward is BackwardSupport.BKREQSUP_GENL:
            self.peer = replace(peer, backward=told.backward)


@mutant(
    breaks="xcharext.3.3.inline-keeps-chunks-away",
    also_trips={"v2.4.2.2.backward": "Version Two itself keeps chunks from who says nothing"},
)
class UsesChunksTowardsAnybody(BackwardRequester):
    """Makes backward Calls by chunks in Version Two, whatever the client has said of them."""

    def takes_chunks(self) -> bool:
        return self._chunked is not None and self.peer is not None


@mutant(
    breaks="xcharext.3.3.announced-support-is-there",
    also_trips={
        "v2.2.2.backward-messages-grow-too": because.DROPPED,
        "v2.4.2.2.client-answers-backward-calls": because.DROPPED,
    },
)
class DropsBackwardCallsWithArguments(ClientDuplex):
    """Announces support for backward Calls, and drops those with arguments in Version Two."""

    def to_backward(self, event: MessageReceived, now: float) -> list[Action]:
        is_two = event.data[4:8] == TWO.number.to_bytes(4, "big")
        if is_two and len(event.data) > CALL_OF_NOTHING:
            return self.drop(event)
        return super().to_backward(event, now)


@mutant(
    breaks="xcharext.3.3.reply-no-wider-than-its-call",
    also_trips={"v2.4.2.2.backward-messages-without-chunks": "no Reply is without the chunk"},
)
class RepliesWiderThanTheCall(BackwardReplyRules):
    """Returns a Reply chunk in backward Replies of Version Two, which nobody has offered."""

    def returned_reply_chunk(self, chunk: WriteChunk | None) -> WriteChunk | None:
        is_two = TWO.number in self.dialects
        return NOWHERE if is_two else super().returned_reply_chunk(chunk)


@mutant(breaks="xcharext.3.3.general-support-includes-chunks")
class RefusesBackwardChunks(BackwardCallRules):
    """Announces general support for backward Calls, and refuses those with chunks."""

    def takes_chunks(self, words: FixedWords) -> bool:
        return False
