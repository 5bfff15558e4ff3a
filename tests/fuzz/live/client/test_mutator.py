"""Inputs made of inputs: always turns, and sooner or later all that there is."""

from __future__ import annotations

from random import Random

import pytest

from fuzz.live.client.mutator import TurnMutator
from fuzz.live.client.recipes import MOST_ANSWERS, MOST_MOVES, Turn, input_of, turns_of
from fuzz.live.move import Move
from targets.base import ActKind

ACTS = (ActKind.SMALL, ActKind.READ)
KINDS = ("reply", "credits", "drop")
MUTATOR = TurnMutator(ACTS, KINDS)
MOST = 16384


def nothing(octets: bytes, _maximum: int) -> bytes:
    raise AssertionError(octets)


def made(count: int, seed: int) -> list[Turn]:
    """All turns of inputs that follow from one another."""
    draw = Random(seed)
    inputs = [input_of([Turn()]), input_of([Turn(ActKind.READ, answers=((Move("drop"),),))])]
    for _ in range(count):
        one, other = draw.choice(inputs), draw.choice(inputs)
        number = draw.getrandbits(32)
        if draw.randrange(2):
            inputs.append(MUTATOR.mutate(one, MOST, number, nothing))
        else:
            inputs.append(MUTATOR.cross(one, other, MOST, number, nothing))
    return [turn for octets in inputs for turn in turns_of(octets)]


@pytest.fixture(scope="module")
def turns() -> list[Turn]:
    return made(1500, 1)


def test_all_that_is_made_are_turns_of_what_there_is(turns: list[Turn]) -> None:
    moves = [move for turn in turns for one in turn.answers for move in one]
    assert {turn.act for turn in turns} == set(ACTS)
    assert {move.kind for move in moves} == set(KINDS)
    assert max(len(turn.answers) for turn in turns) <= MOST_ANSWERS
    assert max(len(one) for turn in turns for one in turn.answers) <= MOST_MOVES


def test_each_number_is_changed(turns: list[Turn]) -> None:
    moves = [move for turn in turns for one in turn.answers for move in one]
    assert len({move.place for move in moves}) > 20
    assert len({move.value for move in moves}) > 20
    for name in ("length", "count", "offset"):
        assert len({getattr(turn, name) for turn in turns}) > 2


def test_calls_between_can_be_answered_as_they_should(turns: list[Turn]) -> None:
    assert any(turn.answers and not turn.answers[0] for turn in turns)


def test_the_same_seed_makes_the_same() -> None:
    assert made(100, 5) == made(100, 5) != made(100, 6)


def test_what_grows_too_long_stays_as_it_was() -> None:
    octets = input_of([Turn(answers=((Move("credits", 7, 7),),))])
    for seed in range(100):
        assert len(MUTATOR.mutate(octets, len(octets), seed, nothing)) <= len(octets)
        assert len(MUTATOR.cross(octets, octets, len(octets), seed, nothing)) <= len(octets)
