"""What the tester has placed in a client's memory is found again, as far as it is known."""

from __future__ import annotations

from conformance.tester.server.placed import Placed
from conformance.tester.server.reply import ReplyPlacement
from rpcrdma.wire import RdmaSegment


def placed() -> Placed:
    made = Placed()
    made.add((ReplyPlacement(7, 100, b"first"), ReplyPlacement(8, 0, b"second")))
    return made


def test_segments_are_joined_in_their_order() -> None:
    segments = (RdmaSegment(8, 6, 0), RdmaSegment(7, 5, 100))

    assert placed().contents(segments) == b"secondfirst"


def test_as_much_is_there_as_a_segment_says() -> None:
    assert placed().contents((RdmaSegment(8, 3, 0), RdmaSegment(9, 0, 0))) == b"sec"


def test_what_was_not_written_is_not_known() -> None:
    for unknown in (RdmaSegment(8, 7, 0), RdmaSegment(7, 5, 99), RdmaSegment(9, 1, 0)):
        assert placed().contents((RdmaSegment(7, 5, 100), unknown)) is None


def test_what_comes_later_covers_what_came_before() -> None:
    twice = placed()
    twice.add((ReplyPlacement(7, 100, b"other"),))

    assert twice.contents((RdmaSegment(7, 5, 100),)) == b"other"


def test_a_segment_is_written_in_pieces_and_some_of_it_again() -> None:
    made = Placed()
    pieces = ((103, b"defg"), (100, b"xx"), (99, b".abcd"), (107, b"h.."))
    made.add(ReplyPlacement(7, offset, data) for offset, data in pieces)

    assert made.contents((RdmaSegment(7, 8, 100),)) == b"abcdefgh"
    assert made.contents((RdmaSegment(7, 2, 105),)) == b"fg"
    assert made.contents((RdmaSegment(7, 12, 99),)) is None
    assert made.contents((RdmaSegment(7, 2**32 - 1, 99),)) is None
