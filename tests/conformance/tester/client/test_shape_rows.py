"""The shapes that are sent have every pair of values."""

from __future__ import annotations

import msgspec

from conformance.tester.client.shape_rows import SHAPES
from conformance.tester.client.shapes import FACTORS, possible
from conformance.tester.covering import covering


def test_every_two_values_meet() -> None:
    rows = [msgspec.structs.asdict(shape) for shape in SHAPES]

    assert covering(FACTORS, possible, rows) == ()  # else: what is to be added at the end


def test_all_are_possible_and_differ() -> None:
    assert all(possible(msgspec.structs.asdict(shape)) for shape in SHAPES)
    assert len({str(shape) for shape in SHAPES}) == len(SHAPES)
