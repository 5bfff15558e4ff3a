"""Steps between two ends, as octets and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fuzz.end_steps import MOST_STEPS, EndAct, EndStep, join_end_steps, split_end_steps

STEPS = st.builds(
    EndStep,
    act=st.sampled_from(EndAct),
    which=st.integers(0, 255),
    length=st.integers(0, 2**16 - 1),
    place=st.integers(0, 2**16 - 1),
    value=st.integers(0, 2**32 - 1),
    carried=st.binary(max_size=64),
)


@given(st.integers(0, 255), st.integers(0, 255), st.lists(STEPS, max_size=6))
def test_steps_come_back(client: int, server: int, steps: list[EndStep]) -> None:
    assert split_end_steps(join_end_steps(client, server, steps)) == (client, server, steps)


@given(st.binary(max_size=2000))
def test_any_octets_are_steps(octets: bytes) -> None:
    _, _, steps = split_end_steps(octets)

    assert len(steps) <= MOST_STEPS
