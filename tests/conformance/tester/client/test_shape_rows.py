"""The shapes that are sent make sense; that none is missing is seen in `tests/withheld`."""

from __future__ import annotations

import msgspec

from conformance.tester.client.shape_rows import DESTRUCTIVE, NUMBERS, SHAPES
from conformance.tester.client.shapes import possible


def test_all_are_possible_and_differ() -> None:
    assert all(possible(msgspec.structs.asdict(shape)) for shape in SHAPES)
    assert len({str(shape) for shape in SHAPES}) == len(SHAPES)


def test_each_has_a_number_in_order() -> None:
    numbers = [NUMBERS[shape] for shape in SHAPES]
    assert numbers == sorted(set(numbers))
    assert set(SHAPES) >= DESTRUCTIVE
