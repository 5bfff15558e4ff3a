"""Mutants: what failures and the loss of connections leave behind (rfc8166 section 4.5.3 to 4.5.5).

Some of these share something between the connections of a device, as real ones do by mistake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.responder import Responder
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import FixedWords

NO_ROOM = (
    Fault.WRITE_CHUNK_TOO_SHORT,
    Fault.REPLY_CHUNK_TOO_SHORT,
    Fault.REPLY_CHUNK_MISSING,
)
SURVIVES = "rfc8166.4.5.5.rpc-survives-connection-loss"


@mutant(breaks="rfc8166.4.5.3.err-chunk-after-reconnection")
class ForgetsLostReplies(Responder):
    """Does not remember which calls have cost a connection."""

    def is_known_loss(self, call: IncomingCall) -> bool:
        return False


@mutant(
    breaks=SURVIVES,
    also_trips=dict.fromkeys(
        (
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.5.2.writes-precede-the-reply",
            "rfc8166.4.5.3.",
            "rfc8166.8.1.1.memory-belongs-to-one-connection",
        ),
        "the good call after the loss, with which a case ends, is refused",
    ),
)
class RefusesCallsAfterLosses(Responder):
    """Refuses every call on any connection once a connection was lost over an RDMA error."""

    def is_known_loss(self, call: IncomingCall) -> bool:
        return bool(self._lost.count)


@mutant(
    breaks="rfc8166.4.5.3.invalid-chunk-is-a-remote-access-error",
    also_trips=dict.fromkeys(
        (
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.5.2.writes-precede-the-reply",
            "rfc8166.4.5.3.",
            "rfc8166.4.5.5.rpc-survives-connection-loss",
            "rfc8166.8.1.1.memory-belongs-to-one-connection",
        ),
        "a case that goes on after a loss meets the loss of its next connection",
    ),
)
class ClosesOtherConnections(Responder):
    """Closes every connection on which something comes after another was lost."""

    def judge_load(self, in_progress: int) -> None:
        if self._lost.count:
            raise FaultFound(Fault.RDMA_FAILED)


@mutant(
    breaks="rfc8166.4.5.3.invalid-chunk-is-a-remote-access-error",
    also_trips=dict.fromkeys(
        (
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.5.2.writes-precede-the-reply",
            "rfc8166.4.5.3.err-chunk-after-reconnection",
            "rfc8166.4.5.5.rpc-survives-connection-loss",
            "rfc8166.8.1.1.memory-belongs-to-one-connection",
        ),
        "the device is dead before the case is over",
    ),
)
class DiesOfAccessErrors(Responder):
    """Dies when an RDMA Read or Write fails."""

    def _work_failed(self, event: events.WorkFailed, now: float) -> list[Action]:
        if event.reason == "remote access error":
            raise RuntimeError(event.reason)
        return super()._work_failed(event, now)


@mutant(breaks="rfc8166.4.5.3.small-receive-is-a-length-error")
class DiesOfSmallReceives(Responder):
    """Dies when the Requester's Receive is too small for a reply."""

    def _work_failed(self, event: events.WorkFailed, now: float) -> list[Action]:
        if event.reason != "remote access error":
            raise RuntimeError(event.reason)
        return super()._work_failed(event, now)


@mutant(breaks="rfc8166.4.5.4.close-when-reply-cannot-be-sent")
class KeepsSilentWithoutRoom(Responder):
    """Neither answers nor closes when the chunks of a call have no room for its results."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        return [] if fault in NO_ROOM else super().send_error(words, fault)


@mutant(breaks="rfc8166.3.3.1.credit-value-is-not-a-countdown")
class CountsCallsThatAreOver(Responder):
    """Takes all calls that have come on a connection to be in progress."""

    def judge_load(self, in_progress: int) -> None:
        come = vars(self)["come"] = vars(self).get("come", 0) + 1
        super().judge_load(max(in_progress, come))


@mutant(breaks=SURVIVES)
class BlamesEveryCallForALoss(Responder):
    """Remembers all calls under way for those that have cost the connection."""

    def _work_failed(self, event: events.WorkFailed, now: float) -> list[Action]:
        for _, call in self._work:
            self._lost.remember(call.xid, call.likeness)
        return super()._work_failed(event, now)


@mutant(breaks="rfc8166.2.2.2.reply-xid-is-the-calls")
class KnowsLostCallsByTheirXid(Responder):
    """Takes whatever has the XID of a call that cost a connection for that call."""

    def is_known_loss(self, call: IncomingCall) -> bool:
        return any(xid == call.xid for xid, _ in vars(self._lost)["_known"])
