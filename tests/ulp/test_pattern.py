from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.ulp.pattern import first_difference, letters, pattern


@given(st.integers(0, 70000), st.integers(0, 2**32 - 1))
def test_length_is_what_was_asked_for(length: int, seed: int) -> None:
    assert len(pattern(length, seed)) == length


@pytest.mark.parametrize("index", [0, 1, 255, 256, 65535, 65536, 131072, 200000])
def test_octet_follows_the_formula(index: int) -> None:
    expected = (index * 31 + index // 256 * 7 + index // 65536 * 13 + 9) % 256

    assert pattern(200001, 9)[index] == expected


def test_letters_follow_the_pattern() -> None:
    assert letters(4) == b"apon"
    assert letters(70000) == bytes(97 + octet % 16 for octet in pattern(70000))


def test_first_difference_names_the_octet() -> None:
    data = bytearray(pattern(1000, 3))
    data[517] ^= 1

    assert first_difference(bytes(data), 3) == 517
    assert first_difference(pattern(1000, 3), 3) is None


def test_parts_that_change_places_show() -> None:
    data = pattern(3 * 65536)
    swapped = data[65536:131072] + data[:65536] + data[131072:]

    assert first_difference(swapped) == 0
