"""How acts of a client ended, with what the tester had sent meanwhile, and what a case takes.

The notes are compared with what the oracle allows (`conformance.proof.requester_comparison`); no
run against a device looks at them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from conformance.oracle.requester.expectation import Reaction
from targets.base import ActResult

if TYPE_CHECKING:
    from conformance.oracle.requester.expectation import ReactionExpectation

__all__ = ["CallVerdict", "ServedAct", "may_complete"]

_GOES_ON: Final = frozenset({Reaction.COMPLETED, Reaction.WAITING})
_ENDS: Final = frozenset({Reaction.FAILED, Reaction.CLOSED})


def may_complete(expectation: ReactionExpectation) -> bool:
    """Whether the Call that a message is about may still complete."""
    return bool(expectation.reactions & _GOES_ON)


@dataclass(frozen=True, slots=True)
class ServedAct(ActResult):
    """How an act ended that the tester has served.

    Attributes:
        sent: what the client might do about each message that was sent since the act before ended.
        went_on: whether another Call came after one that had to end with an error.
        accepted: the ends that the verifications of the case accept, True for a good one; empty if
            none has looked at it.
    """

    sent: tuple[ReactionExpectation, ...] = ()
    went_on: bool = False
    accepted: set[bool] = field(default_factory=set, compare=False)

    def takes(self, *, done: bool) -> None:
        """Note that a verification accepts a good end, or a bad one."""
        self.accepted.add(done)

    @property
    def allowed(self) -> frozenset[bool]:
        """The ends that the oracle allows, True for a good one, and False for a bad one.

        An act ends well if each of its Calls may complete; that of a message that changes nothing
        is completed by another.  It ends badly if one of its Calls may.  Where another Call came
        after one that was refused, either is right: NFSv4 recovers its state and asks once more, or
        can do without what a first Call was to tell it.
        """
        well = self.went_on or all(may_complete(each) for each in self.sent)
        plain = (item.kind for each in self.sent for item in each.allowed if not item.warning)
        ends = {True} if well else set()
        return frozenset(ends | ({False} if _ENDS.intersection(plain) else set()))


@dataclass(frozen=True, slots=True)
class CallVerdict:
    """What a verification made of one message of a client.

    Attributes:
        problem: that it finds with the message, in words; empty if it accepts the message.
        breaks: the requirements that are broken then; empty: all that the case cites.
    """

    problem: str
    breaks: tuple[str, ...] = ()
