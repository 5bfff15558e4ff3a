"""Which elements a propvalsubset names, in either order of bits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.wire.subsets import members, subset


def test_bit_n_mod_32_of_word_n_div_32_names_element_n() -> None:
    assert subset({0, 5, 32, 65}) == (0x21, 1, 2)
    assert subset({0, 31}, high_bit_first=True) == (0x80000001,)
    assert subset(()) == ()


def test_words_beyond_the_last_are_empty() -> None:
    assert members((0x21, 0, 0)) == members((0x21,)) == {0, 5}


@given(st.frozensets(st.integers(0, 200)), st.booleans())
def test_subset_survives_either_order_of_bits(positions: frozenset[int], high: bool) -> None:
    assert members(subset(positions, high_bit_first=high), high_bit_first=high) == positions
