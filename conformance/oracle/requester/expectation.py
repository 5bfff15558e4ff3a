"""What may become of a Call once a message has arrived at its Requester, and the comparison.

A reaction is what shows above the transport of a Requester: its Call completes, ends with an error,
or stays as it is; or the connection ends.  `conformance.oracle.requester.reaction` says which of
these the documents allow for given octets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from conformance.oracle.responder.expectation import Judgement
from reports.record import Verdict
from rpcrdma.wire import RdmaSegment

__all__ = ["AllowedReaction", "Contents", "Reaction", "ReactionExpectation"]

Contents: TypeAlias = Callable[[tuple[RdmaSegment, ...]], bytes | None]
"""What the Requester's memory holds in these segments, joined; None if nobody knows."""


_REJOINED: Final = ("rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",)


class Reaction(Enum):
    """What a Requester does with the Call that a message is about."""

    COMPLETED = "the Call completes"
    FAILED = "the Call ends with an error"
    WAITING = "the Call stays as it is"
    CLOSED = "the connection ends"


@dataclass(frozen=True, slots=True)
class AllowedReaction:
    """One alternative, with what it rests on, as `Allowed` for a Responder."""

    reaction: Reaction
    requirements: tuple[str, ...]
    interpretations: tuple[str, ...] = ()
    warning: bool = False

    def __str__(self) -> str:
        return f"{self.reaction.value}{' (warning)' if self.warning else ''}"


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
            wrong is behind it.
        is_error: whether it is an RDMA_ERROR that ends the Call for good.
        settles: of a Call that may be over already: whether it is over after this in any case.
    """

    fault: str
    allowed: tuple[AllowedReaction, ...]
    xid: int | None = None
    payload: bytes | None = None
    grant: int | None = None
    is_valid_reply: bool = False
    may_be_first: bool = False
    is_error: bool = False
    settles: bool = False

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
        return frozenset(item.reaction for item in self.allowed)

    @property
    def requirements(self) -> tuple[str, ...]:
        """Every requirement that an alternative rests on, each once."""
        return tuple(dict.fromkeys(name for item in self.allowed for name in item.requirements))

    def judge(self, reaction: Reaction, payload: bytes | None = None) -> Judgement:
        """Compare what was seen with what is allowed.

        Args:
            reaction: what became of the Call.
            payload: for a completion, the unreduced RPC reply that was delivered; None if nobody
                could look.
        """
        fits = [item for item in self.allowed if item.reaction is reaction]
        if not fits:
            wanted = "; or ".join(str(item) for item in self.allowed)
            reason = f"{self.fault or 'a good Reply'}: expected that {wanted}; {reaction.value}"
            readings = (name for item in self.allowed for name in item.interpretations)
            first = self.allowed[0].requirements
            return Judgement(Verdict.FAIL, reason, first, tuple(dict.fromkeys(readings)))
        best = min(fits, key=lambda item: item.warning)
        if reaction is Reaction.COMPLETED and payload is not None and self.payload is not None:
            difference = _difference(payload, self.payload)
            if difference:
                return Judgement(Verdict.FAIL, difference, _REJOINED)
        if best.warning:
            reason = f"{self.fault}: {reaction.value}, which is tolerated"
            return Judgement(Verdict.WARN, reason, best.requirements, best.interpretations)
        return Judgement(Verdict.PASS, interpretations=best.interpretations)


def _difference(got: bytes, wanted: bytes) -> str:
    if got == wanted:
        return ""
    if len(got) != len(wanted):
        return f"the Reply that was delivered has {len(got)} octets instead of {len(wanted)}"
    place = next(index for index, octet in enumerate(got) if octet != wanted[index])
    return f"octet {place} of the Reply that was delivered is {got[place]:#04x}"
