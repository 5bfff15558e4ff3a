"""Inputs made of inputs: messages and steps, and sooner or later all that there is."""

from __future__ import annotations

from random import Random

import pytest

from fuzz.live.move import Move
from fuzz.live.raw import raw_by
from fuzz.live.server.mutator import StepMutator
from fuzz.live.server.steps import encode_step, has_steps, step_of
from fuzz.responder_executor import good_call
from fuzz.sequence import join, split

KINDS = ("connect", "withdraw", "flood")
MUTATOR = StepMutator(KINDS)
MOST = 16384


def made(count: int, seed: int) -> list[bytes]:
    """Inputs that follow from one another."""
    draw = Random(seed)
    raw = raw_by(draw)
    inputs = [join([good_call()]), join([good_call(), encode_step(Move("connect", 3))])]
    for _ in range(count):
        one, other = draw.choice(inputs), draw.choice(inputs)
        number = draw.getrandbits(32)
        if draw.randrange(2):
            inputs.append(MUTATOR.mutate(one, MOST, number, raw))
        else:
            inputs.append(MUTATOR.cross(one, other, MOST, number, raw))
    return inputs


@pytest.fixture(scope="module")
def inputs() -> list[bytes]:
    return made(800, 1)


def test_steps_are_of_the_kinds_that_there_are_and_their_numbers_vary(inputs: list[bytes]) -> None:
    steps = [step for octets in inputs for item in split(octets) if (step := step_of(item))]
    assert {step.kind for step in steps} == set(KINDS)
    assert len({step.place for step in steps}) > 50
    assert len({step.value for step in steps}) > 50


def test_messages_change_also_among_steps(inputs: list[bytes]) -> None:
    mixed = [split(octets) for octets in inputs if has_steps(split(octets))]
    messages = {item[4:] for items in mixed for item in items if step_of(item) is None}
    assert len(messages) > 50
    assert max(len(items) for items in mixed) > 4


def test_some_stay_messages_alone(inputs: list[bytes]) -> None:
    plain = [octets for octets in inputs if not has_steps(split(octets))]
    assert len(set(plain)) > 50


def test_the_same_seed_makes_the_same() -> None:
    assert made(100, 5) == made(100, 5) != made(100, 6)


def test_what_grows_too_long_is_cut_behind_an_item() -> None:
    octets = join([encode_step(Move("connect", 1, 2))])
    raw = raw_by(Random(1))
    for seed in range(100):
        assert len(MUTATOR.mutate(octets, len(octets), seed, raw)) <= len(octets)
        assert len(MUTATOR.cross(octets, octets, len(octets), seed, raw)) <= len(octets)
