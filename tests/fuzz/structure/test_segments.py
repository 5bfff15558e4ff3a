from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from fuzz.structure import segments
from fuzz.structure.headers import V1_HEADER
from rpcrdma.wire import (
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    chunk_length,
    decode_header,
    encode_header,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.structure.scene import Scene

READ, WRITE = RdmaSegment(1, 40, 100), RdmaSegment(2, 7, 2**64 - 3)
BODY = RdmaMsg((ReadSegment(8, READ),), (WriteChunk((WRITE, WRITE)),), WriteChunk((WRITE,)))
OCTETS = encode_header(TransportHeader(1, 1, 1, BODY))


def bodies(edit: Callable[[Scene], bytes | None], octets: bytes = OCTETS) -> list[RdmaMsg]:
    found = []
    for seed in range(80):
        made = edit(V1_HEADER.scene(octets, Random(seed)))
        assert made is not None
        body = decode_header(made)[0].rdma_body
        assert isinstance(body, RdmaMsg)
        found.append(body)
    return found


def test_a_segment_is_split_where_it_stands_and_its_chunk_keeps_its_length() -> None:
    for body in bodies(segments.split):
        assert sum(one.target.length for one in body.rdma_reads) == READ.length
        assert {one.position for one in body.rdma_reads} == {8}
        assert [chunk_length(chunk) for chunk in body.rdma_writes] == [14]
        assert body.rdma_reply is not None
        assert chunk_length(body.rdma_reply) == WRITE.length
        counts = len(body.rdma_reads), len(body.rdma_writes[0].target), len(body.rdma_reply.target)
        assert sum(counts) == 5


def test_each_segment_may_be_the_one() -> None:
    made = bodies(segments.split)

    assert {len(body.rdma_reads) for body in made} == {1, 2}
    assert {len(body.rdma_writes[0].target) for body in made} == {2, 3}
    halves = {tuple((one.target.offset, one.target.length) for one in b.rdma_reads) for b in made}
    assert ((100, 20), (120, 20)) in halves


def test_a_segment_gets_a_little_shorter_or_longer() -> None:
    lengths = {one.target.length for body in bodies(segments.beside) for one in body.rdma_reads}

    assert lengths == {36, 39, 40, 41, 44}


def test_where_there_is_no_segment_nothing_is_done() -> None:
    empty = V1_HEADER.scene(
        encode_header(TransportHeader(1, 1, 1, RdmaMsg((), (), None))), Random()
    )

    assert segments.split(empty) is None
    assert segments.beside(empty) is None
