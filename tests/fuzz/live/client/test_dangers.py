"""Which moves are kept back from a client that is not in this process."""

from __future__ import annotations

from conformance.explore import replies
from fuzz.live.client.dangers import ENORMOUS, OTHER_MEMORY, OTHER_RESULTS, danger_of_move
from fuzz.live.client.moves import MOVES
from fuzz.live.move import Move
from rpcrdma.wire import RdmaMsg, RdmaSegment, WriteChunk


def test_classes_are_of_moves_that_there_are() -> None:
    dangers = {kind: danger_of_move(Move(kind)) for kind in MOVES}
    assert set(dangers.values()) == {"", OTHER_RESULTS, OTHER_MEMORY}


def test_what_breaks_a_header_alone_is_in_no_class() -> None:
    assert danger_of_move(Move("word")) == danger_of_move(Move("credits")) == ""
    assert danger_of_move(Move("flip")) == OTHER_RESULTS
    assert danger_of_move(Move("after")) == OTHER_MEMORY


def test_a_number_that_no_length_can_have_is_kept_back() -> None:
    assert danger_of_move(Move("word", 3, 2**31)) == ENORMOUS
    assert danger_of_move(Move("word", 3, 2**31 - 1)) == ""
    assert danger_of_move(Move("segment-word", 0, 2**32 - 1)) == ENORMOUS
    assert danger_of_move(Move("credits", 0, 2**31)) == ""


def test_every_length_of_a_segment_that_is_let_pass_is_below_that() -> None:
    """As `replies` makes them of a segment of which nothing was used."""
    unused = WriteChunk((RdmaSegment(7, 0, 0),))
    for value in (*range(64), 2**31, 2**32 - 1):
        made = replies._segment_word(RdmaMsg((), (unused,), None), 0, value)
        if not danger_of_move(Move("segment-word", 0, value)):
            assert made.rdma_writes[0].target[0].length < 2**31
