"""A good Call after a message, as a fence: what comes is sorted by which of the two it answers.

    DESIGN: silence is tested by order, not by sleeping

Who has answered the fence has read what came before it.  How long to wait for the answer to the
message itself, and what else may come, is for the caller to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from conformance.oracle.outcome import answered_xid
from conformance.tester.client import build

if TYPE_CHECKING:
    from conformance.oracle.outcome import Outcome
    from conformance.tester.client.peer import Peer

__all__ = ["AnswerPlace", "Fence"]


class AnswerPlace(Enum):
    """What an outcome answers."""

    MESSAGE = auto()
    FENCE = auto()
    ANOTHER = auto()  # of the messages that were sent before
    NOTHING = auto()  # silence, the end of the connection, or no answer at all


@dataclass(frozen=True, slots=True)
class Fence:
    """The XIDs by which answers are sorted.

    Attributes:
        message: XID of the message.
        xid: of the Call after it; that of the message again if no Call was sent.
    """

    message: int
    xid: int

    @classmethod
    def behind(cls, peer: Peer, message: int) -> Fence:
        """Send a NULL Call after the message with this XID, and under another one."""
        call = build.null_call(peer)
        while call.xid == message:
            call = build.null_call(peer)
        peer.send(call)
        return cls(message, call.xid)

    def place(self, outcome: Outcome) -> AnswerPlace:
        """What an outcome answers, by its XID."""
        xid = answered_xid(outcome)
        if xid is None:
            return AnswerPlace.NOTHING
        if xid == self.message:
            return AnswerPlace.MESSAGE
        return AnswerPlace.FENCE if xid == self.xid else AnswerPlace.ANOTHER
