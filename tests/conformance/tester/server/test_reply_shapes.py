"""Shapes of replies: what goes to the client's memory, and in which order."""

from __future__ import annotations

import pytest

from conformance.tester.server import ReceivedCall, ReplyDraft, ReplyPlacement
from conformance.tester.server.reply import draft_error, draft_reply
from conformance.tester.server.reply_shapes import ReplyShape, possible, shaped
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire import ErrChunk, RdmaMsg, RdmaSegment, TransportHeader, WriteChunk

XID = 0x77
ITEM = DataItem(24, 12)
REPLY = XID.to_bytes(4, "big") + bytes(20) + b"result-twelv"
ROOM = WriteChunk((RdmaSegment(5, 8, 64), RdmaSegment(6, 100, 0), RdmaSegment(7, 0, 0)))
CALL = ReceivedCall(
    1, 0, XID.to_bytes(4, "big"), TransportHeader(XID, 1, 8, RdmaMsg((), (ROOM,), None)), b"", b""
)


def made(**words: str) -> ReplyDraft:
    return shaped(CALL, draft_reply(CALL, REPLY, (ITEM,), 9, 1024), ReplyShape(**words))


def memory(draft: ReplyDraft) -> dict[int, bytes]:
    """What stands in each of the segments in the end."""
    found = {segment.handle: bytearray(segment.length) for segment in ROOM.target}
    starts = {segment.handle: segment.offset for segment in ROOM.target}
    for one in draft.placements:
        start = one.offset - starts[one.handle]
        found[one.handle][start : start + len(one.data)] = one.data
    return {handle: bytes(octets) for handle, octets in found.items()}


@pytest.mark.parametrize("writes", ["whole", "pieces", "backwards", "twice"])
def test_results_stand_where_they_are_told_to_be(writes: str) -> None:
    plain = draft_reply(CALL, REPLY, (ITEM,), 9, 1024)
    draft = made(writes=writes)

    assert memory(draft) == memory(plain)
    assert draft.octets == plain.octets


def test_pieces_are_several_and_the_first_has_an_octet() -> None:
    first, second, *_ = made(writes="pieces").placements

    assert (first, second) == (ReplyPlacement(5, 64, b"r"), ReplyPlacement(5, 65, b"e"))
    assert made(writes="backwards").placements == made(writes="pieces").placements[::-1]


def test_what_is_not_told_of_may_be_modified() -> None:
    told = made(beyond="modified")

    assert memory(told)[5] == b"result-t"
    assert memory(told)[6] == b"welv" + b"\xee" * 96
    assert told.octets == made().octets


def test_an_error_stays_what_it_is() -> None:
    error = draft_error(CALL, 1, ErrChunk())

    assert shaped(CALL, error, ReplyShape(beyond="modified")) is error


def test_a_name_says_what_is_not_plain() -> None:
    assert str(ReplyShape()) == "read"
    assert str(ReplyShape("many-reads", "1", grant="1")) == "many-reads,1,grant:1"


def test_a_long_reply_has_no_length_and_no_write_chunk() -> None:
    assert possible({"act": "long-reply", "length": "4096"})
    assert not possible({"act": "long-reply", "length": "1"})
    assert not possible({"act": "long-reply", "beyond": "modified"})
    assert possible({"length": "1", "beyond": "modified"})
