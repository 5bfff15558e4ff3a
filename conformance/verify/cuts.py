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
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from conformance.catalogue.inheritance import statements
from conformance.oracle.marks import marks_of_judgement
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk, Silent, answered_xid
from conformance.oracle.responder.expected import expected
from conformance.tester.case import Deviation
from conformance.tester.client import mutate
from conformance.tester.client.fence import AnswerPlace, Fence
from conformance.verify import accepted, blame
from reports.record import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from conformance.oracle.outcome import Outcome
    from conformance.oracle.responder.expectation import Expectation
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

__all__ = ["anywhere", "together"]

LAYOUT: Final = "rfc8166.4.rpc-layout-is-unchanged"


@dataclass(frozen=True, slots=True)
class _Sent:
    """A cut Call, and what may come of it."""

    call: Call
    wanted: Expectation

    def judge(self, peer: Peer, outcome: Outcome) -> None:
        """Compare what came with what may."""
        allowed = tuple(str(item) for item in self.wanted.allowed)
        peer.case.expected, peer.case.actual = allowed, str(outcome)
        judgement = self.wanted.judge(outcome)
        peer.case.interpretations += judgement.interpretations
        if judgement.verdict is Verdict.WARN:
            peer.case.let_pass(f"{self.call}: {judgement.reason}.", judgement.violated)
        elif judgement.verdict is Verdict.FAIL:
            headless = isinstance(outcome, Answered) and outcome.rpc is None
            ids = statements((LAYOUT,), self.call.version) if headless else judgement.violated
            raise Deviation(
                f"{self.call} was answered wrongly: {judgement.reason}.",
                expected=allowed,
                actual=str(outcome),
                breaks=blame.blamed(outcome, self.call.version, ids),
                marks=marks_of_judgement(outcome, judgement),
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
    cuts = _Cuts()
    for length in lengths:
        after = cuts.send(peer, mutate.truncate(make(peer), length))
        if after is _After.ANOTHER:
            peer = connect()
            after = cuts.send(peer, mutate.truncate(make(peer), length))
        if after is not _After.SERVED:
            peer = connect()
    cuts.end(peer)


def together(wrong: Mapping[int, Deviation]) -> None:
    """Fail for everything that was wrong; one reason is told for all that break the same rules.

    Args:
        wrong: what was found, by the length in octets.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for length in sorted(wrong):
        groups.setdefault(wrong[length].breaks, []).append(length)
    if not groups:
        return
    first = wrong[min(wrong)]
    raise Deviation(
        " ".join(
            f"Cut to {', '.join(map(str, lengths))} octets: {wrong[lengths[0]].reason}"
            for lengths in groups.values()
        ),
        expected=first.expected,
        actual=first.actual,
        marks=first.marks,
        breaks=tuple(dict.fromkeys(one for breaks in groups for one in breaks)),
    )


class _After(Enum):
    """How the good Call ended that was sent after a cut one."""

    SERVED = auto()
    LOST = auto()
    """The connection is lost, by the cut Call."""
    ANOTHER = auto()
    """The connection is lost, after the error that an earlier one got: send this one again."""


def _expecting(peer: Peer, call: Call) -> _Sent:
    """Ask the oracle about a cut Call, and note what it says."""
    wanted = expected(call.octets, peer.state)
    accepted.note_expected(peer, call, wanted)
    return _Sent(call, wanted)


class _Cuts:
    """The cut Calls that may still be answered, and what was wrong with those that were."""

    def __init__(self) -> None:
        self._waiting: dict[int, _Sent] = {}
        self._wrong: dict[int, Deviation] = {}
        self._refused = False

    def send(self, peer: Peer, call: Call) -> _After:
        """Send one, and a good Call after it."""
        xid = call.xid
        self._waiting[xid] = sent = _expecting(peer, call)
        peer.send(call)
        fence = Fence.behind(peer, xid)
        while True:
            outcome = peer.receive()
            if isinstance(outcome, Answered) and fence.place(outcome) is AnswerPlace.FENCE:
                return _After.SERVED
            if isinstance(outcome, Disconnected):
                return self._lost(peer, sent, outcome)
            self._take(peer, outcome)

    def _lost(self, peer: Peer, sent: _Sent, outcome: Disconnected) -> _After:
        """Judge the end of a connection, which may follow upon the error that is due (D-155)."""
        unanswered, refused = sent.call.xid in self._waiting, self._refused
        self._waiting.clear()
        self._refused = False
        if unanswered and refused:
            return _After.ANOTHER
        if unanswered:
            self._judge(peer, sent, outcome)
        return _After.LOST

    def end(self, peer: Peer) -> None:
        """Wait for late answers, and fail for all that are wrong."""
        while self._waiting:
            outcome = peer.receive(peer.profile.grace)
            if isinstance(outcome, Silent):
                break
            if isinstance(outcome, Disconnected):
                last = next(reversed(self._waiting.values()))
                self._lost(peer, last, outcome)
                break
            self._take(peer, outcome)
        for sent in self._waiting.values():
            self._judge(peer, sent, Silent(peer.profile.grace))
        together(self._wrong)

    def _take(self, peer: Peer, outcome: Outcome) -> None:
        """Judge what comes for one of the cut Calls."""
        xid = answered_xid(outcome)
        sent = self._waiting.pop(xid, None) if xid is not None else None
        if sent is None:
            raise Deviation(
                f"Something else came than answers to the Calls: {outcome}.",
                expected=("a Reply to the good Call",),
                actual=str(outcome),
                breaks=blame.blamed(outcome, peer.version, ()),
                unanswered=xid is None,
            )
        self._refused = self._refused or isinstance(outcome, ErrChunk)
        self._judge(peer, sent, outcome)

    def _judge(self, peer: Peer, sent: _Sent, outcome: Outcome) -> None:
        try:
            sent.judge(peer, outcome)
        except Deviation as found:
            self._wrong[len(sent.call.octets)] = found
