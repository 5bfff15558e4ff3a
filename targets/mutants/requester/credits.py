"""Mutants of the client: credits, and how many calls are in flight (rfc8166 section 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.requester.outgoing import Phase
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.endpoint.requester.requester import Requester
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall

BEYOND = "rfc8166.3.3.1.no-call-beyond-the-grant"


@mutant(breaks="rfc8166.3.3.3.first-reply-before-second-call")
class CallsBeforeTheFirstReply(Allowance):
    """Takes what it requests for granted until the first reply comes."""

    @property
    def limit(self) -> int:
        return self.requested if self.granted is None else min(self.granted, self.requested)


@mutant(breaks=BEYOND)
class CallsBeyondTheGrant(Allowance):
    """Has as many calls in flight as it requests, whatever is granted."""

    @property
    def limit(self) -> int:
        return 1 if self.granted is None else self.requested


@mutant(breaks="rfc8166.3.3.1.grant-may-shrink")
class KeepsTheLargestGrant(Allowance):
    """Never gives back what was granted once."""

    def granted_by_reply(self, value: int) -> None:
        self.granted = max(self.granted or 1, value)


@mutant(breaks="rfc8166.3.3.1.credit-value-is-not-a-countdown")
class AddsUpGrants(Allowance):
    """Adds each grant to those before."""

    def granted_by_reply(self, value: int) -> None:
        self.granted = (self.granted or 0) + value


@mutant(breaks=BEYOND)
class TakesZeroForNoLimit(Allowance):
    """Takes a grant of zero for leave to make any number of calls."""

    def granted_by_reply(self, value: int) -> None:
        self.granted = value or self.requested


@mutant(
    breaks="rfc8166.3.3.1.every-call-requests-credits",
    also_trips={"rfc8166.3.3.1.new-calls-within-lower-value": "a request for zero is none"},
)
class RequestsNoCredits(RequestRules):
    """Requests zero credits in every call."""

    def requested(self, credits: int) -> int:  # noqa: A002  # the word of the documents
        return 0


@mutant(
    breaks="rfc8166.2.2.2.reply-retires-the-xid",
    also_trips=dict.fromkeys(
        ("rfc8166.3.3.1.no-call-beyond-the-grant", "rfc8166.4.5.error-completes-the-rpc"),
        "an answer to no call gives back a credit",
    ),
)
class TakesCreditsFromRepeatedReplies(Requester):
    """Takes back a credit for every reply, also for one that it has had before."""

    def _take_answered(self, xid: int) -> OutgoingCall | None:
        if xid not in self._calls and self.allowance.outstanding > 1:
            self.allowance.give_back(1)
        return super()._take_answered(xid)


@mutant(breaks=BEYOND)
class TakesAnswersToCallsThatWait(Requester):
    """Ends a call that waits for a credit by an answer with its XID, which gives one back."""

    def _take_answered(self, xid: int) -> OutgoingCall | None:
        call = self._calls.get(xid)
        if call is not None and call.phase is Phase.QUEUED:
            self.allowance.give_back(call.sends)
            return call
        return super()._take_answered(xid)
