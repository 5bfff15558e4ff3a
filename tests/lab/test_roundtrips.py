"""What is delayed between two Soft-RoCE devices takes no less than the delay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from roundtrip_rows import ROWS
from roundtrips import measure_in_lab

if TYPE_CHECKING:
    from roundtrip_lab import Sample

DELAY_MS = 20.0
ROUNDS = 2


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    found, _ = measure_in_lab((DELAY_MS,), ROUNDS)
    return found


def test_each_row_is_measured_in_each_round_under_the_delay_and_under_none(
    samples: list[Sample],
) -> None:
    assert [(sample.delay_ms, sample.row) for sample in samples] == ROUNDS * [
        (delay, row.name) for delay in (0.0, DELAY_MS) for row in ROWS
    ]


def test_every_crossing_of_the_wire_takes_the_delay(samples: list[Sample]) -> None:
    """Were a packet to find a way beside the wire, or a row to take another mechanism, it would
    be there too early."""
    transits = {row.name: row.transits for row in ROWS}
    for sample in samples:
        assert sample.seconds >= transits[sample.row] * sample.delay_ms / 1000
        assert sample.round_trip >= 2 * sample.delay_ms / 1000
