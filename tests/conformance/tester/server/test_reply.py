"""Replies as drafts: the form that is right, and every part changed."""

from __future__ import annotations

import pytest

from conformance.tester.case import Inconclusive
from conformance.tester.server import ReceivedCall, ReplyDraft, ReplyPlacement
from conformance.tester.server.reply import draft_error, draft_reply, far_from, filled
from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire import (
    ErrChunk,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    v2,
)
from rpcrdma.wire.rpc import MessageType

XID = 0x77


def room(*lengths: int, handle: int = 5) -> WriteChunk:
    return WriteChunk(tuple(RdmaSegment(handle, length, 64) for length in lengths))


def call(writes: tuple[WriteChunk, ...] = (), reply: WriteChunk | None = None) -> ReceivedCall:
    header = TransportHeader(XID, 1, 8, RdmaMsg((), writes, reply))
    return ReceivedCall(1, 0, XID.to_bytes(4, "big"), header, b"", b"")


REPLY = XID.to_bytes(4, "big") + bytes(20) + b"resultXX" + bytes(4)
ITEM = DataItem(24, 6)


def draft(one: ReceivedCall, slots: tuple[DataItem | None, ...] = (ITEM,)) -> ReplyDraft:
    return draft_reply(one, REPLY, slots, 9, 1024)


def test_a_call_without_chunks_gets_a_short_reply() -> None:
    made = draft(call())

    assert made.header == TransportHeader(XID, 1, 9, RdmaMsg((), (), None))
    assert (made.payload, made.placements) == (REPLY, ())
    assert decode_header(made.octets)[0] == made.header


def test_a_result_goes_into_the_write_chunk_segment_by_segment() -> None:
    made = draft(call((room(4, 100),)))

    assert made.placements == (ReplyPlacement(5, 64, b"resu"), ReplyPlacement(5, 64, b"lt"))
    assert made.lists.rdma_writes == (room(4, 2),)
    assert made.payload == REPLY[:24] + bytes(4)


def test_a_stray_reply_is_good_and_of_another_call() -> None:
    made = draft(call((room(4, 100),)))

    stray = made.stray(1024)

    header, end = decode_header(stray.octets)
    assert (len(stray.octets), stray.placements) == (1024, ())
    assert header.rdma_xid == far_from(XID)
    assert header.rdma_credit == made.header.rdma_credit
    assert header.rdma_body == RdmaMsg((), (), None)
    assert rpc.decode_reply(stray.octets[end:])[0].xid == header.rdma_xid


def test_a_slot_without_an_item_takes_no_chunk() -> None:
    made = draft(call((room(8), room(8))), (None, ITEM))

    assert made.lists.rdma_writes == (room(6), room(0))


@pytest.mark.parametrize("chunk", [room(), room(5)])
def test_a_chunk_without_enough_room_comes_back_unused(chunk: WriteChunk) -> None:
    made = draft(call((chunk,)))

    assert made.lists.rdma_writes == (filled(chunk, b"")[0],)
    assert made.payload == REPLY


def test_a_reply_that_does_not_fit_goes_into_the_reply_chunk() -> None:
    made = draft_reply(call(reply=room(30, 30)), REPLY, (), 9, 60)

    assert made.header.rdma_body == RdmaNomsg((), (), room(30, 6))
    assert (made.payload, made.placements[0].data) == (b"", REPLY[:30])


def test_a_reply_that_fits_leaves_the_reply_chunk_unused() -> None:
    assert draft(call(reply=room(100))).lists.rdma_reply == room(0)


def test_a_reply_chunk_without_segments_is_as_good_as_none() -> None:
    assert draft(call(reply=room())).lists.rdma_reply is None


@pytest.mark.parametrize("chunk", [None, room(35)])
def test_a_reply_that_fits_nowhere_is_an_error(chunk: WriteChunk | None) -> None:
    made = draft_reply(call(reply=chunk), REPLY, (), 9, 60)

    assert made.header == TransportHeader(XID, 1, 9, RdmaError(ErrChunk()))


def test_every_part_can_be_changed() -> None:
    made = draft(call((room(8),))).changed(
        xid=1, version=2, credits=3, payload=b"p", placements=[ReplyPlacement(1, 2, b"x")]
    )
    read = ReadSegment(0, RdmaSegment(1, 2, 3))

    assert made.header == TransportHeader(1, 2, 3, RdmaMsg((), (room(6),), None))
    assert (made.payload, made.placements) == (b"p", (ReplyPlacement(1, 2, b"x"),))
    assert made.with_reads(read).lists.rdma_reads == (read,)
    assert made.with_writes(room(1)).lists.rdma_writes == (room(1),)
    assert made.with_reply_chunk(room(2)).lists.rdma_reply == room(2)
    assert made.changed(body=RdmaDone()).header.rdma_body == RdmaDone()


def test_an_error_has_no_lists() -> None:
    with pytest.raises(Inconclusive, match="an RDMA_ERROR, which has no chunk lists"):
        assert draft_error(call(), 1, ErrChunk()).lists


def call_in_two() -> ReceivedCall:
    header = TransportHeader(XID, 2, 8, RdmaMsg((), (), None))
    return ReceivedCall(1, 0, XID.to_bytes(4) + (2).to_bytes(4), header, b"", b"")


def test_a_reply_has_the_version_of_its_call() -> None:
    made = draft(call_in_two())

    header, end = v2.decode_header(made.octets)

    assert (made.layout, header.rdma_vers) == (2, 2)
    assert header.rdma_body == v2.Rdma2Msg(MessageType.REPLY, (), (), None)
    assert made.octets[end:] == REPLY


def test_an_error_has_the_version_of_its_call() -> None:
    header, _ = v2.decode_header(draft_error(call_in_two(), 4, ErrChunk()).octets)

    assert header == v2.Rdma2Header(XID, 2, 4, v2.Rdma2Error(v2.ErrBadHeader()))


def test_layout_direction_and_version_are_changed_apart() -> None:
    made = draft(call_in_two())

    turned = made.changed(direction=MessageType.CALL)
    as_one = made.changed(layout=1)

    assert v2.direction_of(v2.decode_header(turned.octets)[0].rdma_body) is MessageType.CALL
    assert decode_header(as_one.octets)[0] == made.header
    assert len(as_one.octets) == len(made.octets) - 4


def test_a_reply_may_be_sent_with_invalidate() -> None:
    """xcharext 3.2: of a handle, with whatever else is changed."""
    made = draft(call())

    assert made.invalidate is None
    assert made.invalidating(5).changed(credits=2).invalidate == 5
    assert made.invalidating(5).octets == made.octets
