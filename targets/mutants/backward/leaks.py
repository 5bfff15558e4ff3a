"""Mutants: Receives that are lost over backward messages, at either end (bidir section 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.duplex import ClientDuplex, Duplex
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.backward.responder import BackwardResponder
from rpcrdma.endpoint.core.actions import Send
from rpcrdma.wire import fixed_words
from rpcrdma.wire.rpc import xid_of
from rpcrdma.wire.versions import FIXED_WORDS
from targets.mutants.base import mutant
from targets.mutants.losing import ERR_CHUNK, sends_error, without_receives

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action

HANDLED = "bidir.2.1.2.as-many-calls-as-granted-are-handled"
FOR_CALLS = "bidir.2.2.2.server-posts-receives-for-its-forward-grant"


@mutant(breaks=HANDLED)
class LosesReceivesByRefusedBackwardCalls(BackwardResponder):
    """Posts no Receive again for a backward Call that it answers by ERR_CHUNK."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        return without_receives(actions) if sends_error(actions, ERR_CHUNK) else actions


@mutant(breaks=HANDLED)
class LosesReceivesBySmallBackwardMessages(ClientDuplex):
    """Posts no Receive again for a message that is too small for its headers."""

    def drop(self, event: events.MessageReceived) -> list[Action]:
        return without_receives(super().drop(event))


@mutant(breaks=HANDLED)
class LosesEverySecondReceiveByBackwardErrors(BackwardResponder):
    """Posts a Receive again for every second backward Call only that fails as an RPC."""

    _odd = False

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        sent = [one.data for one in actions if isinstance(one, Send)]
        # accept_stat, behind the header, the XID, msg_type, reply_stat and an empty verifier
        if not any(data[48:52].strip(b"\\0") or data[52:56] == b"" for data in sent):
            return actions
        self._odd = not self._odd
        return without_receives(actions) if self._odd else actions


@mutant(breaks=FOR_CALLS)
class LosesReceivesByStrayBackwardReplies(BackwardRequester):
    """Posts no Receive again for a backward Reply that ends no Call."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        known = len(event.data) >= 4 and xid_of(event.data) in self._sent
        actions = super()._receive(event, now)
        return actions if known else without_receives(actions)


@mutant(breaks=FOR_CALLS)
class LosesReceivesByBadBackwardReplies(BackwardRequester):
    """Posts no Receive again for a Reply to its Call that it cannot take."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        before = len(self._sent)
        known = len(event.data) >= 4 and xid_of(event.data) in self._sent
        actions = super()._receive(event, now)
        return without_receives(actions) if known and len(self._sent) == before else actions


@mutant(breaks=FOR_CALLS)
class PostsReceivesTwiceForRefusals(BackwardRequester):
    """Posts a Receive, which it has posted before the Call, for each error about one."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        is_error = len(event.data) >= FIXED_WORDS and fixed_words(event.data).is_error
        refuses = is_error and xid_of(event.data) in self._sent
        actions = super()._receive(event, now)
        return [self._receive_more, *actions] if refuses else actions


@mutant(breaks="bidir.2.1.2.directions-are-accounted-separately")
class CountsRefusedBackwardCallsForward(ClientDuplex):
    """Takes a forward credit for each backward Call that it refuses, and keeps it."""

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super().to_backward(event, now)
        if sends_error(actions, ERR_CHUNK):
            self.forward.allowance.outstanding += 1  # type: ignore[attr-defined]  # a Requester
        return actions


@mutant(breaks=FOR_CALLS)
class LosesReceivesBySmallMessages(Duplex):
    """Posts no Receive again for every fourth message that is too small for its headers."""

    _count = 0

    def drop(self, event: events.MessageReceived) -> list[Action]:
        self._count += 1
        actions = super().drop(event)
        return actions if self._count % 4 else without_receives(actions)
