"""What a campaign against a server begins with, beside messages."""

from __future__ import annotations

import pytest

from conformance.explore.shots import CALLS
from fuzz.live.server.moves import shot_of
from fuzz.live.server.seeds import step_kinds, step_seeds
from fuzz.live.server.steps import KINDS, step_of
from fuzz.sequence import split

BACKWARD = {"announce", "provoke", "answers", "answer"}


def kinds(seeds: tuple[bytes, ...]) -> set[str]:
    steps = [step_of(item) for seed in seeds for item in split(seed)]
    return {step.kind for step in steps if step is not None}


def test_each_kind_is_there_if_it_may_be_taken() -> None:
    assert step_kinds(destructive=True, backward=True) == KINDS
    assert kinds(step_seeds(destructive=True, backward=True)) == set(KINDS)


@pytest.mark.parametrize("destructive", [False, True])
@pytest.mark.parametrize("backward", [False, True])
def test_no_other_kind_is_there(destructive: bool, backward: bool) -> None:
    allowed = set(step_kinds(destructive=destructive, backward=backward))
    assert kinds(step_seeds(destructive=destructive, backward=backward)) == allowed
    assert ("starve" in allowed) is destructive
    assert (allowed >= BACKWARD) is backward
    assert bool(allowed & BACKWARD) is backward


def test_no_seed_is_there_twice() -> None:
    seeds = step_seeds(destructive=True, backward=True)
    assert len(seeds) == len(set(seeds))


def test_calls_are_of_each_procedure_form_and_offer() -> None:
    steps = [
        step
        for seed in step_seeds(destructive=False, backward=False)
        for item in split(seed)
        if (step := step_of(item)) is not None and step.kind == "call"
    ]
    shots = [shot_of(step) for step in steps]
    assert {shot.call for shot in shots} == set(CALLS)
    assert {shot.form for shot in shots} == {"short", "reduced", "long", "long-reduced"}
    assert {shot.offer for shot in shots} == {"needed", "write", "reply", "both", "nothing"}
    assert {shot.cut for shot in shots} == {1, 3, 16}
