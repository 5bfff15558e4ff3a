"""A turn made smaller: fewer calls that are met, fewer moves about one, a plainer act."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from fuzz.live.client.recipes import Turn, decode_turn, encode_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.live.move import Move

__all__ = ["smaller_turn"]


def smaller_turn(message: bytes) -> Iterator[bytes]:
    """What a turn may be made into, what leaves out most first.

    Raises:
        BadInput: it is no turn.
    """
    turn = decode_turn(message)
    for made in _smaller(turn):
        if made != turn:
            yield encode_turn(made)


def _smaller(turn: Turn) -> Iterator[Turn]:
    met = [call for call, moves in enumerate(turn.answers) if moves]
    for call in met if len(met) > 1 else ():
        yield _with(turn, call, ())
    for call in met:
        moves = turn.answers[call]
        for number in range(len(moves)) if len(moves) > 1 else ():
            yield _with(turn, call, (*moves[:number], *moves[number + 1 :]))
    plain = Turn(turn.act, answers=turn.answers)
    for name in ("count", "offset", "length"):
        yield msgspec.structs.replace(turn, **{name: getattr(plain, name)})
    for call in met:
        moves = turn.answers[call]
        for number, move in enumerate(moves):
            for name in ("place", "value"):
                made = msgspec.structs.replace(move, **{name: 0})
                yield _with(turn, call, (*moves[:number], made, *moves[number + 1 :]))


def _with(turn: Turn, call: int, moves: tuple[Move, ...]) -> Turn:
    """The turn with other moves about one call; calls at the end that have none are left out."""
    kept = [*turn.answers[:call], moves, *turn.answers[call + 1 :]]
    while kept and not kept[-1]:
        kept.pop()
    return msgspec.structs.replace(turn, answers=tuple(kept))
