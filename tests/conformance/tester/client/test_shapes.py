"""What a shape may be, and what it is called."""

from __future__ import annotations

import pytest

from conformance.tester.client.shapes import FACTORS, Shape, possible


def test_is_called_by_what_is_not_plain() -> None:
    assert str(Shape("fetch")) == "fetch"
    shape = Shape("store", "1501", read="two", reply="odd")
    assert str(shape) == "store,1501,read:two,reply:odd"


def test_has_a_word_for_each_factor() -> None:
    assert Shape.__struct_fields__ == tuple(FACTORS)


@pytest.mark.parametrize(
    "row",
    [
        {"call": "fetch", "read": "two"},
        {"call": "store", "writes": "fit"},
        {"read": "kept", "pad": "padded"},
        {"call": "fetch-two", "writes": "short"},
        {"pad": "long-1", "length": "3"},
        {"call": "fetch", "length": "65536", "writes": "none", "reply": "none"},
    ],
)
def test_is_not_what_makes_no_sense(row: dict[str, str]) -> None:
    assert not possible(row)


@pytest.mark.parametrize(
    "row", [{}, {"call": "fetch", "writes": "short"}, {"read": "two", "pad": "padded"}]
)
def test_may_be_a_part_of_a_shape(row: dict[str, str]) -> None:
    assert possible(row)
