"""Mutants of the client: Replies that invalidate memory of their Call (xcharext 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.core.actions import CallFailed, Failure
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire.rpc import xid_of
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import Memory, OutgoingCall

BEARS = "xcharext.3.2.announcer-bears-invalidation"


def _withdrawn(call: OutgoingCall) -> bool:
    return any(memory.withdrawn for memory in call.segments())


@mutant(breaks=BEARS)
class DropsRepliesThatInvalidate(Requester):
    """Announces that it bears remote invalidation, and drops the Replies that come with it."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        if event.invalidated is not None:
            return [self._receive_again]
        return super()._receive(event, now)


@mutant(breaks=BEARS)
class FailsCallsWhoseMemoryWasInvalidated(Requester):
    """Takes memory that a Reply has invalidated for a fault, which fails the Call."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        if call.answer is not None and _withdrawn(call):
            call.answer = None
            call.failure = CallFailed(call.token, Failure.BAD_REPLY, "memory is missing")
        return super()._end(call)


@mutant(breaks=BEARS)
class InvalidatesTwice(Requester):
    """Invalidates again what a Reply has invalidated; that fails, and so it hangs up."""

    def _invalidated(self, event: events.Invalidated, now: float) -> list[Action]:
        _, memory = self._memory[event.key]
        failed = event.failed or memory.withdrawn
        return super()._invalidated(msgspec.structs.replace(event, failed=failed), now)


@mutant(breaks=BEARS)
class LosesWhatInvalidatedMemoryHolds(Requester):
    """Hands up zeroes in place of the results in memory that a Reply has invalidated."""

    def _invalidated(self, event: events.Invalidated, now: float) -> list[Action]:
        _, memory = self._memory[event.key]
        data = bytes(len(event.data)) if memory.withdrawn else event.data
        return super()._invalidated(msgspec.structs.replace(event, data=data), now)


@mutant(breaks=BEARS)
class OffersInvalidatedMemoryAgain(Requester):
    """Offers memory that a Reply has invalidated in the next Call, as if it were still valid."""

    before: Sequence[Memory] = ()

    def _sent(self, call: OutgoingCall) -> list[Action]:
        memory = call.segments()
        for old, new in zip(self.before, memory, strict=False):
            if old.withdrawn and old.segment is not None and new.segment is not None:
                stale, fresh = (one.handle.to_bytes(4) for one in (old.segment, new.segment))
                call.message = call.message.replace(fresh, stale)
        self.before = memory or self.before
        return super()._sent(call)


@mutant(breaks="v2.2.2.memory-is-fenced-when-complete")
class LeavesTheRestOfInvalidatedMemoryExposed(Requester):
    """Takes a Reply that invalidates one handle of its Call to have invalidated all arguments."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        if _withdrawn(call):
            for _, group in call.reads:
                for memory in group:
                    memory.safe = memory.safe or not memory.withdrawn
        return super()._end(call)


@mutant(
    breaks="xcharext.3.2.either-send-if-announced",
    also_trips=dict.fromkeys(
        (
            "v2.1.",
            "v2.2.2.memory-is-fenced-when-complete",
            "v2.4.2.header-layout",
            "v2.5.first-message-has-version-two",
            "xcharext.3.1.long-call-beyond-the-size",
        ),
        "no Call with Write chunks is answered by the plain Replies of other cases",
    ),
)
class WaitsForRepliesThatInvalidate(Requester):
    """Drops plain Replies to Calls with Write chunks in Version Two: others might be on the way."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        call = self._calls.get(xid_of(event.data)) if len(event.data) >= TWO.header else None
        is_two = self.options.dialect is TWO
        if is_two and call is not None and call.writes and event.invalidated is None:
            return [self._receive_again]
        return super()._receive(event, now)


@mutant(breaks="xcharext.3.2.either-send-if-announced")
class ExpectsInvalidationToStay(Requester):
    """Drops plain Replies to Calls with chunks once a Reply of the connection has invalidated."""

    seen = False

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        call = self._calls.get(xid_of(event.data)) if len(event.data) >= TWO.header else None
        if event.invalidated is not None:
            self.seen = True
        elif self.seen and call is not None and call.segments():
            return [self._receive_again]
        return super()._receive(event, now)
