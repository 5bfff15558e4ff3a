"""Segments are moved, each by the function for its kind, and nothing else of a message is."""

from __future__ import annotations

import msgspec
import pytest

from conformance.explore.segments import move_segments
from rpcrdma.wire import (
    ErrChunk,
    RdmaError,
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)

BODY = RdmaMsg(
    (ReadSegment(32, RdmaSegment(1, 10, 100)),),
    (WriteChunk((RdmaSegment(2, 20, 200), RdmaSegment(3, 30, 300))),),
    WriteChunk((RdmaSegment(4, 40, 400),)),
)
REST = b"the payload"


def to_read(segment: RdmaSegment) -> RdmaSegment:
    return msgspec.structs.replace(segment, handle=segment.handle + 50)


def to_write(segment: RdmaSegment) -> RdmaSegment:
    return msgspec.structs.replace(segment, handle=segment.handle + 70)


def test_each_kind_is_moved_by_its_own_function_and_the_payload_stays() -> None:
    message = encode_header(TransportHeader(1, 1, 1, BODY)) + REST

    moved = move_segments(message, to_read, to_write)

    header, end = decode_header(moved)
    body = header.rdma_body
    assert isinstance(body, RdmaMsg)
    assert [read.target.handle for read in body.rdma_reads] == [51]
    assert [segment.handle for segment in body.rdma_writes[0].target] == [72, 73]
    assert body.rdma_reply is not None
    assert [segment.handle for segment in body.rdma_reply.target] == [74]
    assert moved[end:] == REST
    assert len(moved) == len(message)


def test_a_message_of_an_odd_version_is_read_as_one_of_version_one() -> None:
    message = encode_header(TransportHeader(1, 99, 1, BODY))

    assert move_segments(message, to_read, to_write) != message


@pytest.mark.parametrize(
    "message",
    [b"", b"\1\2\3", encode_header(TransportHeader(1, 1, 1, RdmaError(ErrChunk())))],
)
def test_what_has_no_chunk_lists_stays_as_it_is(message: bytes) -> None:
    assert move_segments(message, to_read, to_write) == message
