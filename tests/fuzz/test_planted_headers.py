"""A planted bug is no other decoder where its structure is not: else anything would find it."""

from __future__ import annotations

import pytest

from fuzz.engine import implementation, judge
from fuzz.harnesses import v1_header, v2_header
from fuzz.invariant import BrokenInvariant
from fuzz.planted_headers import IN_HEADERS
from fuzz.registry import find_harness
from rpcrdma.wire import (
    ErrVers,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
    v2,
)
from rpcrdma.wire.rpc import MessageType

SEGMENT = RdmaSegment(1, 4, 8)
CHUNK, EMPTY = WriteChunk((SEGMENT,)), WriteChunk(())
READS = (ReadSegment(8, SEGMENT), ReadSegment(4, SEGMENT))


def one(body: RdmaMsg | RdmaMsgp | RdmaError) -> bytes:
    return encode_header(TransportHeader(1, 1, 1, body))


def two(body: v2.Rdma2Nomsg | v2.Rdma2Error | v2.Rdma2Optional) -> bytes:
    return v2.encode_header(v2.Rdma2Header(1, 2, 1, body))


PLAIN = {
    "v1-header": one(RdmaMsg((), (), None)),
    "v2-header": two(v2.Rdma2Nomsg(MessageType.CALL, (), (), None)),
}
SHOWN = {
    "last-word": one(RdmaMsg((), (), WriteChunk((SEGMENT, SEGMENT))))[:-4],
    "offset-wraps": one(RdmaMsg((), (WriteChunk((RdmaSegment(1, 8, 2**64 - 4),)),), None)),
    "wrong-arm": one(RdmaMsgp(4, 4, READS, (CHUNK,), None)),
    "segment-table": one(RdmaMsg((), (WriteChunk((SEGMENT,) * 17),), None)),
    "two-lists": one(RdmaMsg(READS, (EMPTY,), CHUNK)),
    "read-order": one(RdmaMsg(READS, (), None)),
    "list-recursion": one(RdmaMsg(READS[:1] * 17, (), None)),
    "segment-twins": one(RdmaMsg((), (WriteChunk((SEGMENT, SEGMENT)),), None)),
    "range-order": one(RdmaError(ErrVers(2, 1))),
    "count-wraps": one(RdmaMsg((), (), EMPTY))[:-4] + b"\xff" * 4,
    "error-arm": two(v2.Rdma2Error(v2.ErrBadHeader())),
    "length-octet": two(v2.Rdma2Optional(MessageType.CALL, 99, bytes(128))),
    "lost-reply": two(v2.Rdma2Nomsg(MessageType.CALL, (), (CHUNK,), EMPTY)),
}


@pytest.mark.parametrize("name", IN_HEADERS)
def test_a_bug_shows_in_its_structure_alone(name: str) -> None:
    harness, subject = IN_HEADERS[name]
    check, bug = find_harness(harness).check, implementation(subject)()

    judge(check, SHOWN[name], find_harness(harness).reference())
    judge(check, PLAIN[harness], bug)
    with pytest.raises(BrokenInvariant):
        judge(check, SHOWN[name], bug)


def test_every_bug_has_its_decoder() -> None:
    for harness, subject in IN_HEADERS.values():
        reference = (
            v1_header.V1ReferenceCodec if harness == "v1-header" else v2_header.V2ReferenceCodec
        )
        assert isinstance(implementation(subject)(), reference)
