"""Turns as a finding has them."""

from __future__ import annotations

from conformance.explore.finding import Finding
from fuzz.live.client.form import TURNS
from fuzz.live.client.recipes import WAY, Turn, encode_turn
from fuzz.sequence import join

TURN = encode_turn(Turn(length=7))


def test_a_finding_has_turns_as_they_were_taken() -> None:
    assert TURNS.put(Finding(TURNS.way), [TURN, TURN]) == Finding(WAY, octets=join([TURN, TURN]))


def test_turns_are_made_smaller() -> None:
    assert list(TURNS.made_smaller(TURN)) == [encode_turn(Turn())]
