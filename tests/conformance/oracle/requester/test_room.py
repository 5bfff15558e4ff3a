"""What a Call offers for its Reply: enough, and no more than the binding allows."""

from __future__ import annotations

import pytest

from conformance.oracle.requester.room import judge_room, judge_segments
from rpcrdma.ulp.bindings import ReplyExpectation
from rpcrdma.wire import RdmaMsg, RdmaSegment, WriteChunk
from tests.conformance.oracle.oracle_fakes import chunk, reading
from tests.conformance.oracle.requester.test_calls import ids

NOTHING = ReplyExpectation(24)
GUESSED = ReplyExpectation(24, guessed=True)
LONG = ReplyExpectation(2000)
ONE = ReplyExpectation(28 + 4004, (4003,))
TWO = ReplyExpectation(60 + 3000, (1000, 2000))


def room(
    expectation: ReplyExpectation,
    *writes: WriteChunk,
    reply: WriteChunk | None = None,
    threshold: int = 1024,
) -> list[str]:
    return ids(tuple(judge_room(RdmaMsg((), writes, reply), expectation, threshold, 1)))


@pytest.mark.parametrize(
    ("expectation", "writes", "reply"),
    [
        (NOTHING, (), None),
        (LONG, (), chunk(2000)),
        (ONE, (chunk(4003),), None),
        (ONE, (chunk(4000, 3),), None),
        (ONE, (), chunk(4032)),
        (TWO, (chunk(2000), chunk(2000)), None),
        (TWO, (chunk(2000),), chunk(2060)),
        (TWO, (chunk(), chunk(2000)), chunk(1060)),
        (GUESSED, (), chunk(2000)),
    ],
)
def test_enough_room(
    expectation: ReplyExpectation, writes: tuple[WriteChunk, ...], reply: WriteChunk | None
) -> None:
    assert room(expectation, *writes, reply=reply) == []


@pytest.mark.parametrize(
    ("expectation", "writes", "reply", "wanted"),
    [
        (NOTHING, (chunk(8),), None, "4.3.2.write-list-empty-without-results"),
        (NOTHING, (), chunk(2000), "4.3.3.reply-chunk-absent-otherwise"),
        (LONG, (), None, "4.3.3.reply-chunk-when-reply-may-not-fit"),
        (LONG, (), chunk(1996), "3.5.3.reply-chunk-holds-the-largest-reply"),
        (ONE, (), None, "4.3.3.reply-chunk-when-reply-may-not-fit"),
        (ONE, (chunk(4002),), None, "3.4.6.write-chunk-holds-the-largest-result"),
        (ONE, (chunk(4004),), None, "3.4.6.2.no-room-for-roundup"),
        (ONE, (chunk(4003), chunk(4003)), None, "4.3.2.1.one-chunk-for-one-result"),
        (TWO, (chunk(1000), chunk(2000)), None, "4.3.2.2.each-chunk-fits-any-candidate"),
        (TWO, (chunk(2000), chunk(2000), chunk(1)), None, "6.1.binding-limits-chunks"),
        (TWO, (chunk(2000),), None, "4.3.3.reply-chunk-when-reply-may-not-fit"),
    ],
)
def test_room_with_one_fault(
    expectation: ReplyExpectation,
    writes: tuple[WriteChunk, ...],
    reply: WriteChunk | None,
    wanted: str,
) -> None:
    assert room(expectation, *writes, reply=reply) == [wanted]


def test_largest_reply_of_exactly_the_threshold_needs_no_chunk() -> None:
    assert room(ReplyExpectation(996)) == []
    assert room(ReplyExpectation(1000)) == ["4.3.3.reply-chunk-when-reply-may-not-fit"]
    assert room(ReplyExpectation(1000), threshold=1028) == []


def test_returned_write_chunks_count_towards_the_header() -> None:
    just = ReplyExpectation(4003 + 1 + 1024 - 28 - 24, (4003,))

    assert room(just, chunk(4003)) == []
    assert room(ReplyExpectation(just.maximum + 4, (4003,)), chunk(4003)) == [
        "4.3.3.reply-chunk-when-reply-may-not-fit"
    ]


def segments(*writes: WriteChunk, reply: WriteChunk | None = None) -> list[str]:
    return ids(tuple(judge_segments(RdmaMsg((), writes, reply), 1)))


def test_empty_segments_and_chunks() -> None:
    assert segments(chunk()) == []
    assert segments(chunk(8, 0)) == ["3.4.3.segment-length-in-octets"]
    assert segments(reply=chunk()) == ["4.3.3.reply-chunk-absent-otherwise"]


def test_reply_chunk_that_alone_is_marked_as_present_and_is_empty() -> None:
    alone, beside = RdmaMsg((), (), chunk()), RdmaMsg((), (chunk(8),), chunk())
    for body, without_chunks in ((alone, True), (beside, False)):
        (found,) = judge_segments(body, 1)
        assert ("rfc8166.4.7.no-chunks-three-zero-words" in found.ids) == without_chunks
        assert ("rfc8166.4.3.no-chunks-all-absent" in found.ids) == without_chunks
        assert found.warns


def test_memory_that_is_offered_twice() -> None:
    apart = WriteChunk((RdmaSegment(9, 8, 0), RdmaSegment(9, 8, 8)))
    shared = WriteChunk((RdmaSegment(9, 8, 0), RdmaSegment(9, 8, 7)))

    assert segments(apart) == []
    assert segments(shared) == ["3.4.4.4.one-item-in-a-chunk"]
    assert segments(WriteChunk((RdmaSegment(9, 8, 0),)), WriteChunk((RdmaSegment(8, 8, 0),))) == []


def test_memory_that_is_read_and_written() -> None:
    body = RdmaMsg((reading(44, 9, 8, 68),), (chunk(8),), None)

    assert ids(tuple(judge_segments(body, 1))) == ["3.4.4.4.one-item-in-a-chunk"]
