"""The verification of Calls that are cut: each may be answered as the oracle allows, and no other.

    verify.cuts.anywhere(peer, connect, lengths, make)

Each cut Call is followed by a good one; an answer that comes late is known by its XID and judged
all the same.  So silence takes no waiting but once, at the end.

    rfc8166 section 4.5    Error Handling
    rfc8166 section 4.5.2  XDR Errors
    bidir section 2.4      Backward Direction Message Size
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.catalogue.inheritance import statements
from conformance.oracle.outcome import Answered, Disconnected, Silent, answered_xid
from conformance.oracle.responder.expected import expected
from conformance.tester.acceptance import Acceptance
from conformance.tester.case import Deviation
from conformance.tester.client import mutate
from conformance.tester.client.fence import AnswerPlace, Fence
from conformance.verify import blame
from reports.record import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.oracle.outcome import Outcome
    from conformance.oracle.responder.expectation import Expectation
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

__all__ = ["anywhere"]

LAYOUT: Final = "rfc8166.4.rpc-layout-is-unchanged"


@dataclass(frozen=True, slots=True)
class _Sent:
    """A cut Call, and what may come of it."""

    call: Call
    wanted: Expectation

    def judge(self, peer: Peer, outcome: Outcome) -> None:
        """Compare what came with what may."""
        peer.case.expected = tuple(str(item) for item in self.wanted.allowed)
        peer.case.actual = str(outcome)
        judgement = self.wanted.judge(outcome)
        peer.case.interpretations += judgement.interpretations
        if judgement.verdict is Verdict.WARN:
            peer.case.let_pass(f"{self.call}: {judgement.reason}.", judgement.violated)
        elif judgement.verdict is Verdict.FAIL:
            headless = isinstance(outcome, Answered) and outcome.rpc is None
            ids = statements((LAYOUT,), self.call.version) if headless else judgement.violated
            raise Deviation(
                f"{self.call} was answered wrongly: {judgement.reason}.",
                expected=peer.case.expected,
                actual=str(outcome),
                breaks=blame.blamed(outcome, self.call.version, ids),
            )


def anywhere(
    peer: Peer,
    connect: Callable[[], Peer],
    lengths: Iterable[int],
    make: Callable[[Peer], Call],
) -> None:
    """A Call that is cut to each of some lengths is answered as the oracle allows, or dropped.

    Args:
        peer: where good Calls are served.
        connect: makes the next connection where a cut Call may cost one.
        lengths: in octets.
        make: a good Call, which is as long as the longest of them at least.
    """
    waiting: dict[int, _Sent] = {}
    for length in lengths:
        call = mutate.truncate(make(peer), length)
        state = peer.state
        wanted = expected(call.octets, state)
        good = tuple(item.kind for item in wanted.allowed if not item.warning)
        warned = tuple(item.kind for item in wanted.allowed if item.warning)
        peer.case.acceptances.append(Acceptance(call, state, good, warned))
        waiting[call.xid] = _Sent(call, wanted)
        peer.send(call)
        if not _goes_on(peer, call, waiting):
            waiting.clear()
            peer = connect()
    while waiting:
        outcome = peer.receive(peer.profile.grace)
        if isinstance(outcome, Silent):
            break
        _judge(peer, outcome, waiting)
    for sent in waiting.values():
        sent.judge(peer, Silent(peer.profile.grace))


def _goes_on(peer: Peer, call: Call, waiting: dict[int, _Sent]) -> bool:
    """Whether a good Call behind a cut one is answered; else the connection is lost lawfully."""
    fence = Fence.behind(peer, call.xid)
    while True:
        outcome = peer.receive()
        if isinstance(outcome, Answered) and fence.place(outcome) is AnswerPlace.FENCE:
            return True
        if isinstance(outcome, Disconnected):
            if (
                call.xid in waiting
            ):  # else it has its answer, after which a device may close (D-155)
                waiting[call.xid].judge(peer, outcome)
            return False
        _judge(peer, outcome, waiting)


def _judge(peer: Peer, outcome: Outcome, waiting: dict[int, _Sent]) -> None:
    """Judge what comes for one of the cut Calls."""
    xid = answered_xid(outcome)
    sent = waiting.pop(xid, None) if xid is not None else None
    if sent is None:
        raise Deviation(
            f"Something else came than answers to the Calls: {outcome}.",
            expected=("a Reply to the good Call",),
            actual=str(outcome),
            breaks=blame.blamed(outcome, peer.version, ()),
            unanswered=xid is None,
        )
    sent.judge(peer, outcome)
