"""Inputs for a client made of inputs: by acts, calls and moves, not by octets."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

import msgspec

from fuzz.live.client.recipes import MOST_ANSWERS, MOST_MOVES, Turn, input_of, turns_of
from fuzz.live.move import Move

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzz.structure.mutator import Raw
    from targets.base import ActKind

__all__ = ["TurnMutator"]

_SLOW: Final = "silence"
_SELDOM: Final = 8
"""One of so many of these moves is made: each takes as long as a client is patient."""

_MOST_TURNS: Final = 6
_LENGTHS: Final = (0, 1, 3, 37, 1000, 1024, 4095, 4096, 4097, 9001, 65536, 200_003, 1_000_003)
_COUNTS: Final = (1, 2, 3, 8, 33)
_OFFSETS: Final = (0, 1, 511, 4096, 5000)
_NUMBERS: Final = (0, 1, 2, 3, 4, 5, 7, 8, 9, 64, 1024, 4096, 2**16, 2**31 - 1, 2**31, 2**32 - 1)


class TurnMutator:
    """Makes inputs of inputs (see `fuzz.structure.mutator.Mutator`)."""

    def __init__(self, acts: Sequence[ActKind], kinds: Sequence[str]) -> None:
        """Use what there is.

        Args:
            acts: that the client can be brought to do.
            kinds: of moves that may be made.
        """
        self._acts = acts
        self._kinds = kinds
        self._ways: tuple[Callable[[list[Turn], Random], None], ...] = (
            self._one_more_move,
            self._one_more_move,
            self._other_move,
            self._other_number,
            self._other_number,
            self._one_move_less,
            self._other_call,
            self._other_act,
            self._other_size,
            self._one_more_turn,
            self._one_turn_less,
        )

    def mutate(self, octets: bytes, maximum: int, seed: int, _raw: Raw) -> bytes:
        """An input changed in one way.

        Args:
            octets: the input.
            maximum: octets of what is returned, at most: what grows beyond it stays as it was.
            seed: of all chance.
            _raw: what changes octets, of which no input for a client would be left.
        """
        draw = Random(seed)  # noqa: S311  # reproducible on purpose
        turns = turns_of(octets) or [Turn()]
        draw.choice(self._ways)(turns, draw)
        made = input_of(turns)
        return made if len(made) <= maximum else octets

    def cross(self, first: bytes, second: bytes, maximum: int, seed: int, raw: Raw) -> bytes:
        """The first input with a turn of the second, or with what that does about one call."""
        draw = Random(seed)  # noqa: S311  # reproducible on purpose
        turns, others = turns_of(first), turns_of(second)
        if not turns or not others or draw.randrange(2):
            return self.mutate(first, maximum, draw.randrange(2**32), raw)
        other = draw.choice(others)
        moves = [one for one in other.answers if one]
        if moves and draw.randrange(2):
            index = draw.randrange(len(turns))
            turns[index] = _with_moves(turns[index], _call(turns[index], draw), draw.choice(moves))
        else:
            turns.insert(draw.randint(0, len(turns)), other)
        made = input_of(turns[:_MOST_TURNS])
        return made if len(made) <= maximum else first

    # -- ways

    def _one_more_move(self, turns: list[Turn], draw: Random) -> None:
        index = draw.randrange(len(turns))
        turn = turns[index]
        place = _call(turn, draw, beyond=3)
        moves = [*_moves(turn, place)]
        moves.insert(draw.randint(0, len(moves)), self._move(draw))
        turns[index] = _with_moves(turn, place, tuple(moves[:MOST_MOVES]))

    def _other_move(self, turns: list[Turn], draw: Random) -> None:
        self._changed(turns, draw, lambda _move: self._move(draw))

    def _other_number(self, turns: list[Turn], draw: Random) -> None:
        def change(move: Move) -> Move:
            name = draw.choice(("place", "value"))
            old = getattr(move, name)
            new = draw.choice((old + 1, max(old - 1, 0), draw.randrange(64), _number(draw)))
            return msgspec.structs.replace(move, **{name: new})

        self._changed(turns, draw, change)

    def _one_move_less(self, turns: list[Turn], draw: Random) -> None:
        self._changed(turns, draw, lambda _move: None)

    def _other_call(self, turns: list[Turn], draw: Random) -> None:
        """What is done about one call is done about the next one, or the one before."""
        index = draw.randrange(len(turns))
        answers = list(turns[index].answers)
        if draw.randrange(2):
            answers.insert(0, ())
        else:
            answers = answers[1:]
        turns[index] = msgspec.structs.replace(turns[index], answers=tuple(answers[:MOST_ANSWERS]))

    def _other_act(self, turns: list[Turn], draw: Random) -> None:
        index = draw.randrange(len(turns))
        turns[index] = msgspec.structs.replace(turns[index], act=draw.choice(self._acts))

    def _other_size(self, turns: list[Turn], draw: Random) -> None:
        index = draw.randrange(len(turns))
        turns[index] = msgspec.structs.replace(
            turns[index],
            length=draw.choice((*_LENGTHS, draw.randrange(70_000))),
            count=draw.choice(_COUNTS),
            offset=draw.choice(_OFFSETS),
        )

    def _one_more_turn(self, turns: list[Turn], draw: Random) -> None:
        if len(turns) < _MOST_TURNS:
            turn = draw.choice((Turn(act=draw.choice(self._acts)), draw.choice(turns)))
            turns.insert(draw.randint(0, len(turns)), turn)

    def _one_turn_less(self, turns: list[Turn], draw: Random) -> None:
        if len(turns) > 1:
            del turns[draw.randrange(len(turns))]

    # -- parts

    def _move(self, draw: Random) -> Move:
        kind = draw.choice(self._kinds)
        if kind == _SLOW and draw.randrange(_SELDOM):
            kind = draw.choice(self._kinds)
        return Move(kind, draw.randrange(64), _number(draw))

    def _changed(
        self, turns: list[Turn], draw: Random, change: Callable[[Move], Move | None]
    ) -> None:
        """Change one move, if there is any; None leaves it out."""
        places = [
            (index, call, number)
            for index, turn in enumerate(turns)
            for call, moves in enumerate(turn.answers)
            for number in range(len(moves))
        ]
        if not places:
            self._one_more_move(turns, draw)
            return
        index, call, number = draw.choice(places)
        moves = [*_moves(turns[index], call)]
        changed = change(moves[number])
        moves[number : number + 1] = [] if changed is None else [changed]
        turns[index] = _with_moves(turns[index], call, tuple(moves))


def _number(draw: Random) -> int:
    return draw.choice((draw.choice(_NUMBERS), draw.randrange(256), draw.getrandbits(32)))


def _call(turn: Turn, draw: Random, beyond: int = 1) -> int:
    """The number of a call of the act: one that has moves, or one of so many after these."""
    return min(draw.randrange(len(turn.answers) + beyond), MOST_ANSWERS - 1)


def _moves(turn: Turn, call: int) -> tuple[Move, ...]:
    return turn.answers[call] if call < len(turn.answers) else ()


def _with_moves(turn: Turn, call: int, moves: tuple[Move, ...]) -> Turn:
    """The turn with these moves about one call; calls at the end that have none are left out."""
    answers = [*turn.answers, *[()] * (call + 1 - len(turn.answers))]
    answers[call] = moves
    while answers and not answers[-1]:
        answers.pop()
    return msgspec.structs.replace(turn, answers=tuple(answers))
