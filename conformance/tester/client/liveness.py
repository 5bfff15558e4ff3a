"""Whether the device serves: a good call before each case, and after it.

What cannot be brought about before a case makes it inconclusive; a device that has stopped serving
after it is a FAIL of that case, whatever the case itself found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import (
    Answered,
    Called,
    ErrChunk,
    ErrVers,
    InvalidOption,
    OptionReceived,
    Unexpected,
)
from conformance.tester.case import Deviation
from conformance.tester.client import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

__all__ = ["problem_with", "still_serves"]

_LATE_ANSWERS: Final = 512
"""More than any case leaves unanswered."""

_MESSAGES: Final = (Answered, ErrVers, ErrChunk, InvalidOption, OptionReceived, Unexpected)


def problem_with(peer: Peer) -> str:
    """Make a good call; empty if it was answered, else what came instead.

    Messages about other calls may come first: as many as there are, but not without end.  Whether
    they were due is for the case to say, not for this.
    """
    call = build.null_call(peer)
    peer.send(call)
    outcome = peer.receive()
    for _ in range(_LATE_ANSWERS):
        # A backward Call may have the very XID (bidir 1.3.4.1).
        late = isinstance(outcome, _MESSAGES) and outcome.xid != call.xid
        if not late and not isinstance(outcome, Called):
            break
        outcome = peer.receive()
    if isinstance(outcome, Answered) and outcome.xid == call.xid:
        reply = outcome.rpc
        return "" if reply and reply.succeeded else f"NULL was answered by {outcome}"
    return f"NULL got {outcome}"


def still_serves(peer: Peer | None, connect: Callable[[], Peer]) -> None:
    """Check that a good call is answered: on `peer` if it is connected, else on a new connection.

    Raises:
        Deviation: it is not.
    """
    fresh = peer is None or not peer.connected
    chosen = connect() if peer is None or fresh else peer
    if fresh:
        problem = problem_with(chosen)
    else:
        chosen.post_receives()  # a case may have left none
        problem = problem_with(chosen)
        if problem and not chosen.connected:
            problem = problem_with(connect())
    if problem:
        raise Deviation(
            f"After the case the device does not serve a good call any more: {problem}.",
            expected=("a reply to NULL",),
            actual=problem,
            unanswered=True,
        )
