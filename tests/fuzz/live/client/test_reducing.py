"""Turns made smaller."""

from __future__ import annotations

from fuzz.live.client.recipes import Turn, decode_turn, encode_turn
from fuzz.live.client.reducing import smaller_turn
from fuzz.live.move import Move
from fuzz.live.reducing import reduced
from targets.base import ActKind

FULL = Turn(
    ActKind.READ,
    9001,
    4,
    7,
    ((Move("hold", 1, 2),), (), (Move("credits", 3, 4), Move("err-vers", 5, 6)), (Move("drop"),)),
)


def test_what_does_nothing_is_left_out() -> None:
    def does_it(candidate: list[bytes]) -> bool:
        """Whether there is a turn that reads, with an ERR_VERS of value 6 about call 3."""
        return any(
            turn.act is ActKind.READ
            and len(turn.answers) > 2
            and any(move.kind == "err-vers" and move.value == 6 for move in turn.answers[2])
            for turn in map(decode_turn, candidate)
        )

    messages = [encode_turn(Turn()), encode_turn(FULL), encode_turn(Turn())]
    (smallest,) = reduced(messages, does_it, 200, smaller_turn)
    assert decode_turn(smallest) == Turn(ActKind.READ, answers=((), (), (Move("err-vers", 0, 6),)))


def test_each_candidate_is_another_turn() -> None:
    made = list(smaller_turn(encode_turn(FULL)))
    assert made
    assert encode_turn(FULL) not in made
    assert list(smaller_turn(encode_turn(Turn()))) == []
