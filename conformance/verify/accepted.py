"""Notes for the comparison with the oracle: which answers a verification accepts to a message.

rfc8166 section 4.5  Error Handling
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import ErrChunk, ErrVers, InvalidOption
from conformance.oracle.responder.expectation import (
    ANY_CODE,
    ANY_STATUS,
    REFUSAL_STATUSES,
    REPLIES,
    Answer,
)
from conformance.tester.acceptance import Acceptance
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.oracle.outcome import Outcome
    from conformance.oracle.responder.expectation import Expectation
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Message
    from rpcrdma.wire._generated_rtrext import ReportedError

__all__ = [
    "ANY",
    "ERRORS",
    "GARBAGE",
    "MAY_CLOSE",
    "RATHER_REFUSED",
    "REFUSED",
    "SERVED",
    "SERVED_OR_REFUSED",
    "UNEXECUTED",
    "Statuses",
    "note",
    "note_expected",
]


@dataclass(frozen=True, slots=True)
class Statuses:
    """The statuses of a Reply that a verification accepts, where it accepts a Reply.

    Attributes:
        allowed: without a warning.
        tolerated: with one.
    """

    allowed: frozenset[RpcOutcome]
    tolerated: frozenset[RpcOutcome] = frozenset()


ERRORS: Final = (ErrChunk, ErrVers, InvalidOption)
"""Kinds of answer that may be the last of their connection."""

MAY_CLOSE: Final = "D-155"
"""The reading by which they may."""

_GARBAGE: Final = frozenset({RpcOutcome.GARBAGE_ARGS})
_SUCCESS: Final = frozenset({RpcOutcome.SUCCESS})

ANY: Final = Statuses(ANY_STATUS)
SERVED: Final = Statuses(_SUCCESS)
GARBAGE: Final = Statuses(_GARBAGE)
UNEXECUTED: Final = Statuses(REFUSAL_STATUSES)
REFUSED: Final = Statuses(_GARBAGE, REFUSAL_STATUSES - _GARBAGE)
RATHER_REFUSED: Final = Statuses(_GARBAGE, ANY_STATUS - _GARBAGE)
SERVED_OR_REFUSED: Final = Statuses(_GARBAGE | _SUCCESS)


def note(
    peer: Peer,
    message: Call | Message,
    allowed: Iterable[type[Outcome]],
    tolerated: Iterable[type[Outcome]] = (),
    statuses: Statuses = ANY,
    breaks: tuple[str, ...] = (),
    codes: frozenset[ReportedError] = ANY_CODE,
) -> None:
    """Note in the log of the case what is accepted as the answer to a message.

    Args:
        peer: where it was sent.
        message: that was sent.
        allowed: kinds of outcome.
        tolerated: kinds that bring a warning.
        statuses: of the Replies among them.
        breaks: requirements that any other answer breaks.
        codes: errors that reports among them may name.
    """
    good = [Answer(kind, statuses.allowed, codes) for kind in allowed]
    warned = [Answer(kind, statuses.allowed, codes) for kind in tolerated]
    if statuses.tolerated:
        replies = (kind.outcome for kind in good if kind.outcome in REPLIES)
        warned += [Answer(kind, statuses.tolerated) for kind in replies]
    peer.case.acceptances.append(
        Acceptance(message, peer.state, tuple(good), tuple(warned), breaks)
    )


def note_expected(
    peer: Peer,
    message: Call | Message,
    wanted: Expectation,
    breaks: tuple[str, ...] = (),
    tolerated: Iterable[type[Outcome]] = (),
) -> None:
    """Note that a message may be answered as the oracle says.

    Args:
        peer: where it is sent.
        message: that is sent.
        wanted: what the oracle says.
        breaks: requirements that any other answer breaks.
        tolerated: kinds of outcome that bring a warning, whatever the oracle says.
    """
    good = tuple(one.kind for one in wanted.allowed if not one.warning)
    warned = (*(one.kind for one in wanted.allowed if one.warning), *map(Answer, tolerated))
    peer.case.acceptances.append(Acceptance(message, peer.state, good, warned, breaks))
