"""A device whose code nobody can look at."""

from __future__ import annotations

from fuzz.live.coverage import NoCoverage


def test_nothing_is_reached_where_nobody_can_look() -> None:
    coverage = NoCoverage()
    coverage.begin()
    assert not coverage.since()
    assert not coverage.reached()
    assert not coverage.functions()
