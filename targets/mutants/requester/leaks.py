"""Mutants of the client: Receives that are lost over messages that complete no call.

rfc8166 section 3.3.1  RPC-over-RDMA Credits (a Receive for each Reply that is awaited)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import CallFailed, Deliver, Failure
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.errors import DecodeError
from rpcrdma.wire import Procedure, decode_any_header
from rpcrdma.wire.rpc import xid_of
from targets.mutants.base import mutant
from targets.mutants.losing import is_procedure, without_receives

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action

EXPECTED: Final = "rfc8166.3.3.1.receives-for-expected-replies"


@mutant(breaks=EXPECTED)
class LosesReceivesByUnknownXids(Requester):
    """Posts no Receive again for a Reply under an XID that no call has."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        known = len(event.data) >= 4 and xid_of(event.data) in self._calls
        actions = super()._receive(event, now)
        return actions if known else without_receives(actions)


@mutant(breaks=EXPECTED)
class LosesReceivesByBadHeaders(Requester):
    """Posts no Receive again for a message whose header it cannot decode."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        try:
            decode_any_header(event.data)
        except DecodeError:
            return without_receives(actions)
        return actions


@mutant(breaks=EXPECTED)
class LosesReceivesByRefusals(Requester):
    """Posts no Receive again for an RDMA_ERROR that ends a call."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        refused = any(one.failure is Failure.REFUSED_CHUNKS for one in _failures(actions))
        return without_receives(actions) if refused else actions


@mutant(breaks=EXPECTED)
class LosesEverySecondReceiveByErrors(Requester):
    """Posts a Receive again for every second RDMA_ERROR only."""

    _odd = False

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        if not is_procedure(event.data, Procedure.RDMA_ERROR):
            return actions
        self._odd = not self._odd
        return without_receives(actions) if self._odd else actions


@mutant(breaks=EXPECTED)
class LosesReceivesByBadReplies(Requester):
    """Posts no Receive again for a Reply that breaks a rule and ends its call with a failure."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        bad = any(one.failure is Failure.BAD_REPLY for one in _failures(actions))
        return without_receives(actions) if bad else actions


@mutant(breaks=EXPECTED)
class LosesReceivesByDoneAndMsgp(Requester):
    """Posts no Receive again for an RDMA_MSGP or an RDMA_DONE that it drops."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        obsolete = any(
            is_procedure(event.data, one) for one in (Procedure.RDMA_MSGP, Procedure.RDMA_DONE)
        )
        return without_receives(actions) if obsolete else actions


def _failures(actions: Iterable[Action]) -> list[CallFailed]:
    """The calls that have failed at once; those with memory fail when that is safe."""
    told = [one.event for one in actions if isinstance(one, Deliver)]
    return [event for event in told if isinstance(event, CallFailed)]
