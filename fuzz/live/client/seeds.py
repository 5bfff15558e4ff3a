"""What a campaign against a client begins with: every act by itself, and every move with each act.

No corpus of an ordinary harness is of use here: those hold octets, and these are turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.tester.server.useless import ONE
from fuzz.live.client.dangers import danger_of_move
from fuzz.live.client.moves import MOVES
from fuzz.live.client.recipes import Turn, input_of
from fuzz.live.move import Move
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["acts_for", "kinds_for", "seeds_for_client"]

_LEAVES: Final = frozenset(
    {
        ActKind.DISCONNECT,
        ActKind.ASK_SIZE,
        ActKind.ASK_INVALIDATION,
        ActKind.CHANGE_SIZE,
    }
)
"""After these a client is not as it was: it is connected no more, or speaks of properties, which
Version One has not."""

_MAIN: Final = (
    ActKind.SMALL,
    ActKind.READ,
    ActKind.WRITE,
    ActKind.LONG_CALL,
    ActKind.LONG_REPLY,
    ActKind.MANY_READS,
)
"""By their calls every form of a message and every kind of chunk is offered."""

_SLOW: Final = {"silence": (ActKind.READ,)}
"""Moves that a client waits for, and the acts that each of them is met with."""

_LENGTH: Final = 9001
_COUNT: Final = 4
_CALLS: Final = (0, 2)
"""Which call of an act is met: the first, which has no chunks with most programs, and a later
one."""

_EACH: Final = {"useless": len(ONE)}
"""Kinds of moves that are several, by their place: each of them is met about a first call."""


def acts_for(acts: Collection[ActKind]) -> tuple[ActKind, ...]:
    """The acts of a campaign.

    Args:
        acts: that the client can be brought to do.
    """
    return tuple(act for act in ActKind if act in acts and act not in _LEAVES)


def kinds_for(*, destructive: bool) -> tuple[str, ...]:
    """The kinds of moves of a campaign.

    Args:
        destructive: also those that may do harm.
    """
    return tuple(kind for kind in MOVES if destructive or not danger_of_move(Move(kind)))


def seeds_for_client(acts: Collection[ActKind], *, destructive: bool) -> tuple[bytes, ...]:
    """The seeds of a campaign.

    Args:
        acts: that the client can be brought to do.
        destructive: also moves that may do harm.
    """
    possible = acts_for(acts)
    turns = [_plain(act) for act in possible]
    for kind in kinds_for(destructive=destructive):
        for act in (act for act in _SLOW.get(kind, _MAIN) if act in possible):
            for call in _CALLS:
                answers = (*[()] * call, (Move(kind, call, 1),))
                turns.append(_with(_plain(act), answers))
    first = [act for act in _MAIN if act in possible][:1]
    for kind, count in _EACH.items():
        turns += [
            _with(_plain(act), ((Move(kind, place, 1),),))
            for act in first
            for place in range(1, count)
        ]
    return tuple(input_of([turn]) for turn in turns)


def _plain(act: ActKind) -> Turn:
    return Turn(act, _LENGTH, _COUNT if act in (ActKind.MANY, ActKind.MANY_READS) else 1)


def _with(turn: Turn, answers: tuple[tuple[Move, ...], ...]) -> Turn:
    return Turn(turn.act, turn.length, turn.count, turn.offset, answers)
