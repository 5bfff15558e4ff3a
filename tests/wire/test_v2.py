"""Version Two headers: the octets of section 4.2, and which way a message goes."""

from __future__ import annotations

import struct

import pytest

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import RdmaSegment, ReadSegment, WriteChunk
from rpcrdma.wire.v2 import (
    ErrBadHeader,
    ErrInvalidOption,
    ErrVers,
    MessageType,
    Rdma2Body,
    Rdma2Error,
    Rdma2Header,
    Rdma2Msg,
    Rdma2Nomsg,
    Rdma2Optional,
    decode_header,
    direction_of,
    encode_header,
)

SEGMENT = RdmaSegment(0xA1, 0xB2, 0xC3)
HLOO = struct.pack(">IIQ", 0xA1, 0xB2, 0xC3)


def words(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


@pytest.mark.parametrize(
    ("body", "octets"),
    [
        (Rdma2Msg(MessageType.CALL, (), (), None), words(0, 0, 0, 0, 0)),
        (Rdma2Msg(MessageType.REPLY, (), (), None), words(0, 1, 0, 0, 0)),
        (
            Rdma2Msg(
                MessageType.CALL,
                (ReadSegment(32, SEGMENT),),
                (WriteChunk((SEGMENT,)), WriteChunk(())),
                WriteChunk((SEGMENT,)),
            ),
            words(0, 0, 1, 32) + HLOO + words(0, 1, 1) + HLOO + words(1, 0, 0, 1, 1) + HLOO,
        ),
        (
            Rdma2Nomsg(MessageType.REPLY, (), (), WriteChunk((SEGMENT,))),
            words(1, 1, 0, 0, 1, 1) + HLOO,
        ),
        (Rdma2Error(ErrVers(1, 2)), words(4, 1, 1, 2)),
        (Rdma2Error(ErrBadHeader()), words(4, 2)),
        (Rdma2Error(ErrInvalidOption()), words(4, 3)),
        (Rdma2Optional(MessageType.CALL, 7, b"abcde"), words(5, 0, 7, 5) + b"abcde\0\0\0"),
    ],
)
def test_header_has_the_octets_of_the_document(body: Rdma2Body, octets: bytes) -> None:
    message = words(7, 2, 32) + octets

    assert encode_header(Rdma2Header(7, 2, 32, body)) == message
    assert decode_header(message) == (Rdma2Header(7, 2, 32, body), len(message))


@pytest.mark.parametrize(
    ("octets", "offset", "path", "reason"),
    [
        (words(2, 0, 0, 0, 0), 12, "rdma_body.rdma_proc", Reason.BAD_ENUM),
        (words(0, 2, 0, 0, 0), 16, "rdma_body.rdma_direction", Reason.BAD_ENUM),
        (words(0, 0, 2, 0, 0), 20, "rdma_body.rdma_reads[0]", Reason.BAD_BOOLEAN),
        (words(1, 0, 0, 0), 28, "rdma_body.rdma_reply", Reason.TRUNCATED),
        (words(4, 4), 16, "rdma_body.error.rdma_err", Reason.BAD_ENUM),
        (words(4, 1, 1), 24, "rdma_body.error.rdma_vers_high", Reason.TRUNCATED),
        (words(5, 2, 7, 0), 16, "rdma_body.rdma_optdir", Reason.BAD_ENUM),
        (words(5, 0, 7, 5) + b"abcd", 24, "rdma_body.rdma_optinfo", Reason.TRUNCATED),
        (words(5, 0, 7, 1) + b"a\0\0\1", 29, "rdma_body.rdma_optinfo", Reason.BAD_PADDING),
    ],
)
def test_fault_is_told_with_its_place(
    octets: bytes, offset: int, path: str, reason: Reason
) -> None:
    with pytest.raises(DecodeError) as caught:
        decode_header(words(7, 2, 32) + octets)

    error = caught.value
    assert (error.offset, error.path, error.reason) == (offset, path, reason)


@pytest.mark.parametrize("direction", MessageType)
def test_direction_is_that_of_the_field(direction: MessageType) -> None:
    for body in (
        Rdma2Msg(direction, (), (), None),
        Rdma2Nomsg(direction, (), (), None),
        Rdma2Optional(direction, 1, b""),
    ):
        assert direction_of(body) is direction


def test_error_always_goes_to_the_requester() -> None:
    assert direction_of(Rdma2Error(ErrBadHeader())) is MessageType.REPLY
