"""Mutants of the client: wrong only the second time, or with something else under way.

rfc8166 section 3.3.1  RPC-over-RDMA Credits
rfc8166 section 4.5.5  RPC-over-RDMA Transport Errors
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import CallFailed, Failure
from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.retransmission import Retransmission
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import CallRequested
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.wire import RdmaError

SURVIVES: Final = "rfc8166.4.5.5.rpc-survives-connection-loss"
LATEST: Final = "rfc8166.3.3.1.latest-grant-counts"


@mutant(breaks="rfc8166.3.3.1.grant-may-shrink")
class IgnoresAGrantOfOne(Allowance):
    """Leaves the limit as it is when the grant shrinks to exactly one."""

    def granted_by_reply(self, value: int) -> None:
        if value != 1 or self.granted is None:
            Allowance.granted_by_reply(self, value)


@mutant(breaks=LATEST)
class GrowsMoreThanItMay(Allowance):
    """Goes back to the largest grant of all when a grant has shrunk and then grows a little."""

    def granted_by_reply(self, value: int) -> None:
        largest = max(vars(self).get("largest", 0), value)
        vars(self)["largest"] = largest
        before = self.granted
        grows = before is not None and before < value < largest
        Allowance.granted_by_reply(self, largest if grows else value)


CUT_OFF: Final = {
    "rfc8166.4.4.1.memory-protected-before-upper-layer-access": (
        "an act does not end that was lost with the connection that a look at memory has cost"
    ),
    "rfc8166.4.5.bad-reply-header-discarded": (
        "an act does not end that was lost with the connection that a result has cost"
    ),
}


@mutant(
    breaks=SURVIVES,
    also_trips={
        **dict.fromkeys(
            ("bidir.2.1.receives-posted-before-sends", "bidir.2.2.1."),
            "there is no next connection, and so no backward Call on it",
        ),
        **CUT_OFF,
    },
)
class ForgetsLostCalls(Retransmission):
    """Neither makes a call again whose connection is lost nor tells its application."""

    def connection_lost(self) -> tuple[CallFailed, ...]:
        _forget_all(self)
        return super().connection_lost()


@mutant(
    breaks=SURVIVES,
    also_trips=dict.fromkeys(
        ("rfc8166.3.3.3.", "rfc8166.4.4.1.memory-protected-before-upper-layer-access"),
        "an act does not end of which a call is not made again",
    ),
)
class RepeatsTheOldestCallOnly(Retransmission):
    """Makes only the oldest of several lost calls again."""

    @property
    def unfinished(self) -> tuple[CallRequested, ...]:
        return super().unfinished[:1]


@mutant(
    breaks=SURVIVES,
    also_trips={
        "bidir.2.2.1.each-forward-call-has-its-own-receive": (
            "a call fails that is in flight on the second connection that is lost"
        ),
        **CUT_OFF,
    },
)
class SurvivesOneLossOnly(Retransmission):
    """Forgets, without a word, the calls of the second connection that it loses."""

    def connection_lost(self) -> tuple[CallFailed, ...]:
        lost = vars(self).get("lost", 0) + bool(self.unfinished)
        vars(self)["lost"] = lost
        if lost > 1:
            _forget_all(self)
        return super().connection_lost()


@mutant(breaks=SURVIVES)
class SurvivesNoLossAfterTooMany(Retransmission):
    """Forgets each call whose connection is lost, once it has given up one after many losses."""

    def connection_lost(self) -> tuple[CallFailed, ...]:
        if "gave_up" in vars(self):
            _forget_all(self)
        given_up = super().connection_lost()
        if given_up:
            vars(self)["gave_up"] = True
        return given_up


def _forget_all(calls: Retransmission) -> None:
    for call in calls.unfinished:
        calls.forget(call.token)


@mutant(
    breaks="rfc8166.4.5.error-completes-the-rpc",
    also_trips={
        "rfc8166.3.3.1.receives-for-expected-replies": "an act does not end whose call goes on"
    },
)
class EndsTheOldestCall(Requester):
    """Takes an ERR_CHUNK, with several calls in flight, for one about the oldest of them."""

    def _fail(self, call: OutgoingCall, failure: Failure, detail: str) -> list[Action]:
        if failure is Failure.REFUSED_CHUNKS:
            call = next(iter(self._calls.values()))
        return super()._fail(call, failure, detail)


@mutant(breaks="rfc8166.4.5.error-completes-the-rpc")
class HearsOneErrorOnly(Requester):
    """Drops every error of a connection after the first."""

    _heard = False

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        heard, self._heard = self._heard, True
        return [] if heard else super()._refused(xid, body)


@mutant(breaks="rfc8166.4.5.error-completes-the-rpc")
class LosesACreditByEachError(Requester):
    """Counts a call that an error has ended as in flight for ever, but for the first."""

    _errors = 0

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        self._errors += 1
        known = xid in self._calls
        actions = super()._refused(xid, body)
        if known and self._errors > 1:
            self.allowance.outstanding += 1
        return actions
