"""A header is told in the order of its XDR."""

from __future__ import annotations

import pytest

from fuzz.parsers.numbers import numbers_of
from rpcrdma.wire import (
    Body,
    ErrChunk,
    ErrVers,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    v2,
)
from rpcrdma.wire.rpc import MessageType

SEGMENT = RdmaSegment(1, 2, 2**64 - 1)
TOLD = [1, 2, 2**64 - 1]
CHUNK = WriteChunk((SEGMENT, SEGMENT))

V1 = {
    "msg": (RdmaMsg((), (), None), [0, 0, 0, 0]),
    "nomsg": (
        RdmaNomsg((ReadSegment(4, SEGMENT),), (CHUNK, WriteChunk(())), CHUNK),
        [1, 1, 4, *TOLD, 2, 2, *TOLD, *TOLD, 0, 1, 2, *TOLD, *TOLD],
    ),
    "msgp": (RdmaMsgp(5, 6, (), (), WriteChunk(())), [2, 5, 6, 0, 0, 1, 0]),
    "done": (RdmaDone(), [3]),
    "vers": (RdmaError(ErrVers(1, 2)), [4, 1, 1, 2]),
    "chunk": (RdmaError(ErrChunk()), [4, 2]),
}
V2 = {
    "msg": (v2.Rdma2Msg(MessageType.REPLY, (), (), None), [0, 1, 0, 0, 0]),
    "nomsg": (v2.Rdma2Nomsg(MessageType.CALL, (), (), None), [1, 0, 0, 0, 0]),
    "vers": (v2.Rdma2Error(v2.ErrVers(1, 2)), [4, 1, 1, 2]),
    "header": (v2.Rdma2Error(v2.ErrBadHeader()), [4, 2]),
    "option": (v2.Rdma2Error(v2.ErrInvalidOption()), [4, 3]),
    "optional": (v2.Rdma2Optional(MessageType.CALL, 9, b"\1\xff"), [5, 0, 9, 2, 1, 255]),
}


def numbers(header: TransportHeader | v2.Rdma2Header) -> list[int]:
    return [number for _, number in numbers_of(header)]


@pytest.mark.parametrize("name", V1)
def test_version_one(name: str) -> None:
    body, told = V1[name]
    assert numbers(TransportHeader(7, 1, 8, body)) == [7, 1, 8, *told]


@pytest.mark.parametrize("name", V2)
def test_version_two(name: str) -> None:
    body, told = V2[name]
    assert numbers(v2.Rdma2Header(7, 2, 8, body)) == [7, 2, 8, *told]


def paths(body: Body) -> list[str]:
    return [path for path, _ in numbers_of(TransportHeader(7, 1, 8, body))]


def test_each_number_has_the_path_of_its_field() -> None:
    assert paths(RdmaError(ErrVers(1, 2)))[-3:] == [
        "rdma_body.error.arm",
        "rdma_body.error.rdma_vers_low",
        "rdma_body.error.rdma_vers_high",
    ]
    assert paths(RdmaMsg((), (CHUNK,), None))[-2:] == [
        "rdma_body.rdma_writes[0].target[1].offset",
        "rdma_body.rdma_reply.present",
    ]
