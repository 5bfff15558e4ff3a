"""What answers one message, told by order: a good call follows it as a fence.

    DESIGN: silence is tested by order, not by sleeping

Who has answered the fence has read what came before it.  A device may answer calls in any order,
so what has not come then gets the profile's grace period if it may stay away, and the deadline if
it is due.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import Called, Disconnected, Outcome, Silent, answered_xid
from conformance.tester.client.fence import AnswerPlace, Fence

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

__all__ = ["FencedPeer"]

_MOST_ANSWERS: Final = 64
"""That are looked at for one message; a device that sends more has been seen through."""

_PAIR: Final = 2
"""Calls that are in flight with a fence."""


@dataclass(slots=True)
class FencedPeer:
    """A connection on which each message is answered before the next is sent.

    Attributes:
        peer: the connection.
        asked: how often each XID was sent.  answered: how often it came.
    """

    peer: Peer
    asked: Counter[int] = field(default_factory=Counter)
    answered: Counter[int] = field(default_factory=Counter)

    def exchange(self, sent: Call | bytes, xid: int, *, may_be_silent: bool) -> list[Outcome]:
        """Send a message; what answers it, in order.

        Args:
            sent: the message.
            xid: its rdma_xid.
            may_be_silent: whether it is allowed that nothing comes.

        Returns:
            Its answers, or else the one outcome that says that there is none: silence, or the end
            of the connection.
        """
        peer = self.peer
        self.asked[xid] += 1
        peer.send(sent)
        found: list[Outcome] = []
        fence = Fence(xid, xid)
        if peer.granted >= _PAIR:
            fence = Fence.behind(peer, xid)
            self.asked[fence.xid] += 1
            found = self._until(AnswerPlace.FENCE, fence, peer.profile.deadline)
        if not any(self._settles(item, fence) for item in found):
            # Overtaken by the fence's answer, or not coming at all.
            seconds = peer.profile.grace if may_be_silent else peer.profile.deadline
            found += self._until(AnswerPlace.MESSAGE, fence, seconds)
        answers = [item for item in found if not isinstance(item, Silent | Disconnected)]
        return answers or found[-1:]

    def _settles(self, outcome: Outcome, fence: Fence) -> bool:
        """Whether nothing more is waited for."""
        is_answer = fence.place(outcome) is AnswerPlace.MESSAGE
        return is_answer or isinstance(outcome, Disconnected)

    def surplus(self) -> str:
        """Which XIDs were answered more often than asked since the last look, in words."""
        over = [xid for xid, count in self.answered.items() if count > self.asked[xid] > 0]
        words = "; ".join(
            f"{self.answered[xid]} answers to {self.asked[xid]} messages of XID {xid:#010x}"
            for xid in over
        )
        self.asked.update({xid: self.answered[xid] - self.asked[xid] for xid in over})
        return words

    def _until(self, last: AnswerPlace, fence: Fence, seconds: float) -> list[Outcome]:
        """What answers the message until `last` has been answered; what ended the waiting else."""
        found: list[Outcome] = []
        for _ in range(_MOST_ANSWERS):
            outcome = self.peer.receive(seconds)
            if isinstance(outcome, Silent | Disconnected):
                return [*found, outcome]
            if isinstance(outcome, Called):
                continue  # of the device's own
            place, xid = fence.place(outcome), answered_xid(outcome)
            if place in (AnswerPlace.MESSAGE, AnswerPlace.NOTHING):
                found.append(outcome)  # what answers nothing has come instead of an answer
            if xid is not None:
                self.answered[xid] += 1
            if place is last:
                return found
        return [*found, Silent(seconds)]
