"""The shapes that are sent have every pair of values; those that may do harm are apart."""

from __future__ import annotations

import msgspec

from conformance.tester.client.shape_rows import DESTRUCTIVE, NUMBERS, SHAPES
from conformance.tester.client.shapes import FACTORS, possible
from conformance.tester.covering import covering


def test_every_two_values_meet() -> None:
    rows = [msgspec.structs.asdict(shape) for shape in SHAPES]

    assert covering(FACTORS, possible, rows) == ()  # else: what is to be added at the end


def test_numbers_have_no_gap() -> None:
    assert [NUMBERS[shape] for shape in SHAPES] == list(range(len(SHAPES)))


def test_what_may_harm_a_device_is_destructive() -> None:
    """Empty segments, and results without their room: rows of these are in the file apart."""
    harmful = {
        shape
        for shape in SHAPES
        if shape.read in ("empty-first", "empty-last") or shape.writes in ("empty-first", "short")
    }
    assert harmful == DESTRUCTIVE
