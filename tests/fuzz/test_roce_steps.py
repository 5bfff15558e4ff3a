from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fuzz.roce_steps import MOST_STEPS, RoceAct, RoceStep, StepFlag, join_steps, split_steps


@given(st.binary(max_size=200))
def test_any_octets_are_a_sequence(octets: bytes) -> None:
    steps = split_steps(octets)

    assert len(steps) <= MOST_STEPS
    assert bool(steps) == bool(octets)
    if all(step.carried for step in steps):
        assert split_steps(join_steps(steps)) == steps


def test_a_sequence_is_read_as_it_was_written() -> None:
    steps = [
        RoceStep(act=RoceAct.PACKET, code=4, delta=-3, offset=-7, carried=b"octets"),
        RoceStep(act=RoceAct.MESSAGE, source=1, flags=StepFlag.HELD, size=300, repeat=255),
        RoceStep(act=RoceAct.END, where=9, length=65535, patch_at=8, patch=255, cut=3),
    ]

    assert split_steps(join_steps(steps)) == steps


def test_what_a_step_carries_ends_with_the_octets() -> None:
    whole = join_steps([RoceStep(act=RoceAct.RAW, carried=b"abcdef")])

    assert [step.carried for step in split_steps(whole[:-4])] == [b"ab"]
