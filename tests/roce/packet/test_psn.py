"""Packet sequence numbers, across the wrap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.roce.packet.bth import PSN_MASK
from rpcrdma.roce.packet.psn import full_psn

NUMBERS = st.integers(-(1 << 30), 1 << 40)


@given(near=NUMBERS, psn=st.integers(0, PSN_MASK))
def test_full_number_has_the_bits_and_is_near(near: int, psn: int) -> None:
    """From half of all numbers before to half of all after."""
    full = full_psn(psn, near)

    assert full & PSN_MASK == psn
    assert -0x800000 <= full - near < 0x800000


@pytest.mark.parametrize(
    ("psn", "near", "expected"),
    [
        (5, 5, 5),
        (0, 0xFFFFFF, 0x1000000),
        (0xFFFFFF, 0x1000000, 0xFFFFFF),
        (0xFFFFFF, 0, -1),
        (0x800000, 0, -0x800000),
        (0x7FFFFF, 0, 0x7FFFFF),
    ],
)
def test_numbers_around_the_wrap(psn: int, near: int, expected: int) -> None:
    """What is just ahead is ahead, and what is just past is past."""
    assert full_psn(psn, near) == expected
