"""Moves in words."""

from __future__ import annotations

from fuzz.live.move import Move


def test_a_move_says_its_numbers_unless_they_are_none() -> None:
    assert str(Move("close")) == "close"
    assert str(Move("connect", 7)) == "connect 7 0"
    assert str(Move("flood", value=3)) == "flood 0 3"
