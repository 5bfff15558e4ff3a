"""Mutants of the client: errors, nonsense and lost connections (rfc8166 section 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.actions import Disconnect, PostReceive, Send
from rpcrdma.endpoint.faults import FaultFound
from rpcrdma.endpoint.requester import Requester
from rpcrdma.endpoint.retransmission import Retransmission
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint import events
    from rpcrdma.endpoint.actions import Action, ApplicationEvent
    from rpcrdma.wire import RdmaError


@mutant(breaks="rfc8166.4.5.error-is-permanent")
class RepeatsRefusedCalls(Requester):
    """Sends a call again that was answered by an error."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        call = self._calls.get(xid)
        return [] if call is None else [Send(next(self._keys), call.message)]


@mutant(breaks="rfc8166.4.5.error-completes-the-rpc")
class WaitsBehindErrors(Requester):
    """Ignores errors, and goes on waiting for a reply."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        return []


@mutant(breaks="rfc8166.4.5.bad-reply-header-discarded")
class HangsUpOverNonsense(Requester):
    """Ends the connection when a message cannot be a reply."""

    def _receive(self, event: events.MessageReceived, _now: float) -> list[Action]:
        again = PostReceive(self.options.thresholds.reply)
        try:
            return [again, *self._judge(event.data)]
        except FaultFound as found:
            return [Disconnect(str(found))]


@mutant(breaks="rfc8166.4.5.5.rpc-survives-connection-loss")
class GivesUpWithTheConnection(Retransmission):
    """Lets every call fail whose connection is lost."""

    def is_sent_again(self, event: ApplicationEvent) -> bool:
        """See `Retransmission`."""
        return False
