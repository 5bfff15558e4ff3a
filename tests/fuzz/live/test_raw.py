"""Mutations that know nothing of any structure."""

from __future__ import annotations

from random import Random

import pytest

from fuzz.live.raw import raw_by


@pytest.mark.parametrize("octets", [b"", b"\0", bytes(range(40))])
def test_every_way_makes_octets_of_any_within_the_limit(octets: bytes) -> None:
    raw = raw_by(Random(1))
    made = {raw(octets, 32) for _ in range(300)}
    assert len(made) > 1
    assert max(map(len, made)) <= 32


def test_the_same_chance_makes_the_same() -> None:
    first, second = (raw_by(Random(7)) for _ in range(2))
    assert [first(bytes(20), 64) for _ in range(20)] == [second(bytes(20), 64) for _ in range(20)]
