"""Verifications where packets were lost, doubled, exchanged or damaged on their way.

    verify.recovery.served(peer, call)         the right answer, or the end of the connection
    verify.recovery.stored(peer, call, data)   the same, and the argument arrived whole
    verify.recovery.all_served(peer, calls)    several calls in flight
    verify.recovery.at_rest(peer)              nothing else comes

RFC 8166 builds on connections that put right what a network does wrong, to some degree (4.5.5).  So
what is delivered must be right and come once; a device that gives up the connection over a
single fault is of little use, but wrong in nothing: that is a warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import Answered, Disconnected
from conformance.tester.client import build
from conformance.verify import accepted, answers, blame, chunks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call
    from conformance.verify.blame import Ids

__all__ = ["LOSS", "all_served", "at_rest", "served", "stored"]

LOSS: Final = "what happens to packets may cost the connection, and the oracle sees messages only"
"""Why such a case accepts more than the oracle allows."""

_FENCES: Final = 2
"""Small calls one after another: what a device sends late comes before the second is answered."""


def served(peer: Peer, call: Call, *, breaks: Ids = ()) -> bool:
    """The call is served rightly, once; the loss of the connection is a warning.

    Returns:
        Whether it was served.
    """
    outcome = answers.awaited(
        peer,
        call,
        Answered,
        tolerated=(Disconnected,),
        breaks=breaks,
        statuses=accepted.SERVED,
    )
    chunks.untouched(call)
    if not isinstance(outcome, Answered):
        return False
    chunks.right(peer, call, outcome, breaks=breaks)
    at_rest(peer, breaks=breaks)
    return True


def stored(peer: Peer, call: Call, data: bytes, *, breaks: Ids = ()) -> bool:
    """A `store` of `data` is served rightly and its argument arrived whole, or as `served`."""
    outcome = answers.awaited(
        peer,
        call,
        Answered,
        tolerated=(Disconnected,),
        breaks=breaks,
        statuses=accepted.SERVED,
    )
    if not isinstance(outcome, Answered):
        return False
    chunks.arrived(peer, call, outcome, data, breaks=breaks)
    at_rest(peer, breaks=breaks)
    return True


def all_served(peer: Peer, calls: Sequence[Call], *, breaks: Ids = ()) -> bool:
    """Calls in flight are each served rightly and once, in any order, or as `served`."""
    for call in calls:
        accepted.note(
            peer, call, (Answered,), (Disconnected,), accepted.SERVED, blame.ids_of(breaks)
        )
    waiting = {call.xid: call for call in calls}
    while waiting:
        outcome = peer.receive_new()
        if isinstance(outcome, Disconnected):
            peer.case.let_pass(f"This is of little use: {outcome}.", blame.ids_of(breaks))
            return False
        expected = isinstance(outcome, Answered) and outcome.xid in waiting
        left = ", ".join(call.request.title for call in waiting.values())
        sentence = f"each call is answered once ({left} left)"
        answers.that(expected, sentence, actual=str(outcome), breaks=breaks)
        if isinstance(outcome, Answered):
            chunks.right(peer, waiting.pop(outcome.xid), outcome, breaks=breaks)
    at_rest(peer, breaks=breaks)
    return True


def at_rest(peer: Peer, *, breaks: Ids = ()) -> None:
    """Small calls are answered next, and nothing else comes."""
    for _ in range(_FENCES):
        call = build.null_call(peer)
        peer.send(call)
        answers.served(peer, call, breaks=breaks)
    late = peer.waiting()
    answers.that(
        not late,
        "nothing comes that answers no call",
        actual=", ".join(str(outcome) for outcome in late),
        breaks=breaks,
    )
