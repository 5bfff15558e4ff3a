"""What may become of a Call once a message has arrived at its Requester, and the comparison.

A reaction is what shows above the transport of a Requester: its Call completes, ends with an error,
or stays as it is; or the connection ends.  `conformance.oracle.requester.reaction` says which of
these the documents allow for given octets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, TypeAlias

from conformance.oracle.verdict import (
    Alternative,
    BrokenRule,
    Ids,
    Judgement,
    Wording,
    alternative,
    best_of,
    broken_rule,
)
from rpcrdma.wire import RdmaSegment

__all__ = ["Contents", "Reaction", "ReactionExpectation", "may_react", "together"]

Contents: TypeAlias = Callable[[tuple[RdmaSegment, ...]], bytes | None]
"""What the Requester's memory holds in these segments, joined; None if nobody knows."""


_REJOINED: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"


class Reaction(Enum):
    """What a Requester does with the Call that a message is about."""

    COMPLETED = "the Call completes"
    FAILED = "the Call ends with an error"
    WAITING = "the Call stays as it is"
    CLOSED = "the connection ends"

    def __str__(self) -> str:
        return self.value


def may_react(
    reaction: Reaction,
    rules: str | Ids,
    version: int,
    readings: tuple[str, ...] = (),
    *,
    warning: bool = False,
) -> Alternative[Reaction]:
    """One reaction that the documents allow; see `alternative`."""
    return alternative(reaction, rules, version, readings, warning=warning)


@dataclass(frozen=True, slots=True)
class ReactionExpectation:
    """What a Requester may do about one message.

    Attributes:
        fault: what is wrong with the message, empty if nothing is.
        allowed: the alternatives; the first is what the documents ask for most plainly.
        xid: of the outstanding Call that the message is about.  None: it is about none; every Call
            stays as it is.
        payload: the unreduced RPC reply that a completion delivers; None if it is not known.
        grant: credit value that the Requester may take from the message; None if none.
        is_valid_reply: whether that grant must be obeyed, and is a valid first one.
        may_be_first: whether it may be taken for the first one: the header is right, and what is
            wrong is after it.
        is_error: whether it is an RDMA_ERROR that ends the Call for good.
        settles: of a Call that may be over already: whether it is over after this in any case.
        version: by whose ids a result that was delivered wrongly is told.
    """

    fault: str
    allowed: tuple[Alternative[Reaction], ...]
    xid: int | None = None
    payload: bytes | None = None
    grant: int | None = None
    is_valid_reply: bool = False
    may_be_first: bool = False
    is_error: bool = False
    settles: bool = False
    version: int = 1

    @property
    def may_end(self) -> bool:
        """Whether the Call may be over after this."""
        return bool(self.reactions - {Reaction.WAITING})

    @property
    def must_end(self) -> bool:
        """Whether the Call is over after this, well or not."""
        return Reaction.WAITING not in self.reactions

    @property
    def reactions(self) -> frozenset[Reaction]:
        """The kinds of what is allowed, warnings included."""
        return frozenset(item.kind for item in self.allowed)

    @property
    def ids(self) -> Ids:
        """Every statement that an alternative rests on, each once."""
        return tuple(dict.fromkeys(name for item in self.allowed for name in item.ids))

    def judge(self, reaction: Reaction, payload: bytes | None = None) -> Judgement:
        """Compare what was seen with what is allowed.

        Args:
            reaction: what became of the Call.
            payload: for a completion, the unreduced RPC reply that was delivered; None if nobody
                could look.
        """
        about = self.fault or "a good Reply"
        return best_of(
            self.allowed,
            lambda kind: kind is reaction,
            lambda: self._broken(reaction, payload),
            lambda: Wording(
                f"{about}: expected that {{wanted}}; {reaction}",
                f"{self.fault}: {reaction}, which is tolerated",
            ),
        )

    def _broken(self, reaction: Reaction, payload: bytes | None) -> tuple[BrokenRule, ...]:
        """What is wrong with a completion, if somebody could look at what it delivered."""
        if reaction is not Reaction.COMPLETED or payload is None or self.payload is None:
            return ()
        difference = _difference(payload, self.payload)
        return (broken_rule(_REJOINED, difference, self.version),) if difference else ()


def together(found: Sequence[ReactionExpectation]) -> ReactionExpectation:
    """What a Requester may do about several things at once: a group that a message has broken.

    Args:
        found: what it may do about each; the message comes last.
    """
    *before, last = found
    allowed = (*last.allowed, *(item for one in before for item in one.allowed))
    faults = (one.fault for one in found if one.fault)
    return replace(last, fault="; ".join(faults), allowed=tuple(dict.fromkeys(allowed)))


def _difference(got: bytes, wanted: bytes) -> str:
    if got == wanted:
        return ""
    if len(got) != len(wanted):
        return f"the Reply that was delivered has {len(got)} octets instead of {len(wanted)}"
    place = next(index for index, octet in enumerate(got) if octet != wanted[index])
    return f"octet {place} of the Reply that was delivered is {got[place]:#04x}"
