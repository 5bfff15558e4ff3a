"""What a Responder has granted: a case sends no more, unless it is about that.

    verify.granted.require(peer, 3)            three Calls may be in flight
    await_answer(peer, is_due=True)            before one more is sent, if one may be
    settle(peer)                               before what must not overtake what was sent

rfc8166 section 3.3.1  RPC-over-RDMA Credits (an overrun may cost the connection)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import Disconnected, Silent
from conformance.tester.client import build
from conformance.tester.sent import REQUESTED_CREDITS
from conformance.verify.answers import served
from targets.base import Unsupported

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

__all__ = ["await_answer", "require", "settle"]

PATIENCE: Final = 3
"""Calls in a row that bring no larger grant, after which none is expected: a server may start with
a small one, and let it grow."""


def require(peer: Peer, calls: int) -> None:
    """See that so many Calls may be in flight; a grant that grows by Replies is waited for.

    Raises:
        Unsupported: the device grants fewer.
    """
    best, in_vain = peer.granted, 0
    while peer.granted < calls and in_vain < PATIENCE:
        call = build.null_call(peer, credits=max(calls, REQUESTED_CREDITS))
        peer.send(call)
        served(peer, call)
        in_vain = 0 if peer.granted > best else in_vain + 1
        best = max(best, peer.granted)
    if peer.granted < calls:
        raise Unsupported(f"the device grants {best} credits, and {calls} are needed")


def await_answer(peer: Peer, *, is_due: bool) -> None:
    """Of a device that grants one credit, await the answer to what was sent before anything else.

    Args:
        peer: on which a message was sent that may be answered.
        is_due: whether an answer may come at all; else it gets the grace period.
    """
    if peer.granted > 1:
        return
    outcome = peer.receive(None if is_due else peer.profile.grace)
    if not isinstance(outcome, Silent):
        peer.put_aside(outcome)


def settle(peer: Peer) -> None:
    """Let a grace period pass in which nothing comes: what was sent has been taken up by then.

    A device may take up what comes together in any order (rfc8166 3.3.1).
    """
    while not isinstance(outcome := peer.receive_new(peer.profile.grace), Silent | Disconnected):
        peer.put_aside(outcome)
