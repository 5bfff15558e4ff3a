"""Mutants of the client: which messages tell a grant, and which calls take one (rfc8166 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.requester.requester import Requester
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.faults import FaultFound
    from rpcrdma.wire import RdmaError, RdmaMsg, RdmaNomsg, TransportHeader


@mutant(breaks="rfc8166.3.3.1.new-calls-within-lower-value")
class SendsCallsThatWereGivenUp(Requester):
    """Leaves calls that are given up in the queue, and then waits for no reply to them."""

    def _cancel(self, event: events.CallCancelled, now: float) -> list[Action]:
        waiting = tuple(self._queue)
        actions = super()._cancel(event, now)
        self._queue.extend(call for call in waiting if call not in self._queue)
        return actions


@mutant(breaks="rfc8166.3.3.1.new-calls-within-lower-value")
class ReusesCreditsOfCallsGivenUp(Requester):
    """Takes the credit of a call for free as soon as the call is given up."""

    def _cancel(self, event: events.CallCancelled, now: float) -> list[Action]:
        actions = super()._cancel(event, now)
        for xid in tuple(self._abandoned):
            self._take_answered(xid)
        return actions


@mutant(breaks="rfc8166.3.3.3.first-reply-before-second-call")
class HeedsGrantsOfBadReplies(Requester):
    """Takes the grant of a reply whose lists are wrong, which fails its call."""

    def _answered(
        self,
        header: TransportHeader,
        body: RdmaMsg | RdmaNomsg,
        payload: bytes,
        fault: FaultFound | None,
    ) -> list[Action]:
        if fault is not None:
            self.allowance.granted_by_reply(header.rdma_credit)
        return super()._answered(header, body, payload, fault)


@mutant(breaks="rfc8166.3.3.3.first-reply-before-second-call")
class HeedsGrantsOfStrayReplies(Requester):
    """Takes the grant of a reply to no call."""

    def _answered(
        self,
        header: TransportHeader,
        body: RdmaMsg | RdmaNomsg,
        payload: bytes,
        fault: FaultFound | None,
    ) -> list[Action]:
        if header.rdma_xid not in self._calls:
            self.allowance.granted_by_reply(header.rdma_credit)
        return super()._answered(header, body, payload, fault)


@mutant(breaks="rfc8166.2.2.2.reply-retires-the-xid")
class WaitsAfterErrorsToNobody(Requester):
    """Sends nothing of what waits for a credit when an error has given one back for nobody."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        if xid in self._calls or xid not in self._abandoned:
            return super()._refused(xid, body)
        self._take_answered(xid)
        return []
