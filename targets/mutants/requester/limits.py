"""Mutants of the client: grants, thresholds, and who connects (rfc8166 sections 2.2.3 and 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import Action, Disconnect
from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.retransmission import Retransmission
from rpcrdma.ulp import rpc
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.events import CallRequested
    from rpcrdma.wire import TransportHeader

LATEST: Final = {"rfc8166.3.3.": because.TOO_HIGH}
LATE: Final = 30
"""So many calls must have been planned before a mutant changes its mind."""


@mutant(breaks="rfc8166.3.3.1.latest-grant-counts", also_trips=LATEST)
class KeepsTheFirstGrant(Allowance):
    """Keeps to the first grant on a connection."""

    def granted_by_reply(self, value: int) -> None:
        if self.granted is None:
            self.granted = value


@mutant(breaks="rfc8166.3.3.1.new-calls-within-lower-value")
class CallsBeyondItsRequest(Allowance):
    """Has as many calls in flight as are granted, though it has requested fewer credits."""

    @property
    def limit(self) -> int:
        return self.granted or 1


@mutant(breaks="rfc8166.3.3.1.credits-travel-in-rdma-credit", also_trips=LATEST)
class ReadsGrantsFromTheFirstWord(Requester):
    """Takes the first word of a reply for its grant."""

    def _judge(self, message: bytes) -> list[Action]:
        return super()._judge(message[:8] + message[:4] + message[12:])


@mutant(breaks="rfc8166.3.3.1.credit-values-may-change")
class HangsUpOverSmallerGrants(Requester):
    """Ends the connection when a grant is smaller than the one before."""

    def _take_plain_reply(self, header: TransportHeader, message: bytes) -> list[Action] | None:
        if header.rdma_credit < (self.allowance.granted or 0):
            return [Disconnect("the server has taken credits away")]
        return super()._take_plain_reply(header, message)


@mutant(breaks="rfc8166.3.3.sender-respects-receive-resources", also_trips=LATEST)
class LetsOneMoreCallThrough(Allowance):
    """Has one call more in flight than is granted."""

    def try_take(self, sends: int) -> bool:
        if self.granted is None or self.outstanding != self.limit:
            return super().try_take(sends)
        self.outstanding += sends
        return True


@mutant(breaks="rfc8166.3.3.3.one-credit-at-first")
class CountsOnTwoCreditsAtFirst(Allowance):
    """Makes two calls on a new connection before the first reply."""

    @property
    def limit(self) -> int:
        return 2 if self.granted is None else min(self.granted, self.requested)


@mutant(
    breaks="rfc8166.3.3.2.threshold-is-the-smaller-end",
    also_trips={"rfc8166.4.2.4.streams-fit-the-threshold-together": because.TOO_LONG},
)
class TakesItsOwnSendForTheThreshold(CallPlanner):
    """Sends inline whatever fits its own Sends, which are of 2048 octets."""

    @property
    def threshold(self) -> int:
        return 2048


@mutant(breaks="rfc8166.3.3.2.threshold-is-constant")
class RaisesItsThreshold(CallPlanner):
    """Sends longer messages inline once many short ones have been answered."""

    _asked = 0

    @property
    def threshold(self) -> int:
        self._asked += 1
        return super().threshold if self._asked < LATE else 4096


@mutant(
    breaks="rfc8166.3.3.3.1024-octets-unless-known",
    also_trips={"rfc8166.3.3.sender-respects-receive-resources": because.TOO_LONG},
)
class DoesNotCountHeaders(CallPlanner):
    """Takes 1024 octets for the limit of the Payload stream alone."""

    @property
    def threshold(self) -> int:
        return super().threshold + ONE.header


@mutant(breaks="rfc8166.2.2.3.requester-opens-the-connection")
class WaitsForTheServerToConnect(Retransmission):
    """Opens no connection for a call of procedure 0, and waits until there is one."""

    @property
    def unfinished(self) -> tuple[CallRequested, ...]:
        return tuple(
            call for call in super().unfinished if rpc.decode_call(call.payload)[0].procedure
        )
