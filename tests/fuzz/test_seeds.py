from __future__ import annotations

import pytest

from conformance.explore.named_memory import READABLE, REGION, WRITABLE
from fuzz.harnesses.v2_header import naming_version_two
from fuzz.seeds import neutral
from rpcrdma.wire import (
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
    v2,
)


def test_neutral_message_names_the_memory_of_every_harness_without_overlap() -> None:
    reads = (ReadSegment(32, RdmaSegment(5, 100, 7)), ReadSegment(32, RdmaSegment(6, 50, 9)))
    reply = WriteChunk((RdmaSegment(8, REGION, 1),))
    body = RdmaMsg(reads, (WriteChunk((RdmaSegment(9, 8, 3),)),), reply)
    message = encode_header(TransportHeader(1, 1, 1, body)) + b"rest"
    changed, end = decode_header(neutral(message))
    assert neutral(message)[end:] == b"rest"
    assert isinstance(changed.rdma_body, RdmaMsg)
    first, second = (read.target for read in changed.rdma_body.rdma_reads)
    assert first == RdmaSegment(READABLE.handle, 100, READABLE.offset)
    assert second.offset == first.offset + 100
    assert changed.rdma_body.rdma_writes[0].target[0].handle == WRITABLE.handle
    assert changed.rdma_body.rdma_reply is not None
    assert changed.rdma_body.rdma_reply.target[0].offset == WRITABLE.offset


@pytest.mark.parametrize("version", [2, 99])
def test_memory_is_neutral_in_every_version(version: int) -> None:
    lists = ((), (WriteChunk((RdmaSegment(9, 8, 3),)),), None)
    two = v2.Rdma2Header(1, 2, 1, v2.Rdma2Msg(v2.MessageType.REPLY, *lists))
    odd = TransportHeader(1, version, 1, RdmaMsg(*lists))

    for message in (v2.encode_header(two), encode_header(odd)):
        moved = neutral(message + b"rest")

        assert moved.endswith(b"rest")
        assert WRITABLE.handle.to_bytes(4) in moved
        assert len(moved) == len(message) + 4


def test_undecodable_message_stays_as_it_is() -> None:
    assert neutral(b"\1\2\3") == b"\1\2\3"


def test_message_that_names_version_two_is_a_seed_of_its_decoder() -> None:
    one, two = bytes.fromhex("00000007 00000001"), bytes.fromhex("00000007 00000002")

    assert naming_version_two([one, two, two[:7]]) == [two]
