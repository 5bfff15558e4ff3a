"""Which moves are kept back from a client that is not in this process."""

from __future__ import annotations

from fuzz.live.client.dangers import OTHER_MEMORY, OTHER_RESULTS, danger_of_move
from fuzz.live.client.moves import MOVES
from fuzz.live.move import Move


def test_classes_are_of_moves_that_there_are() -> None:
    dangers = {kind: danger_of_move(Move(kind)) for kind in MOVES}
    assert set(dangers.values()) == {"", OTHER_RESULTS, OTHER_MEMORY}


def test_what_breaks_a_header_alone_is_in_no_class() -> None:
    assert danger_of_move(Move("word")) == danger_of_move(Move("credits")) == ""
    assert danger_of_move(Move("flip")) == OTHER_RESULTS
    assert danger_of_move(Move("after")) == OTHER_MEMORY
