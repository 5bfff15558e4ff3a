"""The shapes of replies that are sent have every pair of values."""

from __future__ import annotations

import msgspec

from conformance.tester.covering import covering
from conformance.tester.server.reply_rows import REPLY_SHAPES
from conformance.tester.server.reply_shapes import FACTORS, possible


def test_every_two_values_meet() -> None:
    rows = [msgspec.structs.asdict(shape) for shape in REPLY_SHAPES]

    assert covering(FACTORS, possible, rows) == ()  # else: what is to be added at the end
    assert all(possible(row) for row in rows)


def test_each_has_a_name_of_its_own() -> None:
    assert len(set(map(str, REPLY_SHAPES))) == len(REPLY_SHAPES)
