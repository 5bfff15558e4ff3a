"""Octets out of a file name memory that every connection has under other handles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.explore.named_memory import READABLE, WRITABLE, NamedMemory
from conformance.oracle.memory import ExposedRegions
from conformance.tester.client.harness import Harness
from rpcrdma.wire import (
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)
from targets.registry import find_target

if TYPE_CHECKING:
    from collections.abc import Iterator

ELSEWHERE = RdmaSegment(0xDEAD, 8, 64)


@pytest.fixture
def named() -> Iterator[tuple[NamedMemory, ExposedRegions]]:
    harness = Harness(find_target("reference"))
    memory = ExposedRegions()
    yield NamedMemory(harness.connect(), memory), memory
    harness.close()


def test_named_segments_are_moved_to_memory_that_is_there(
    named: tuple[NamedMemory, ExposedRegions],
) -> None:
    translator, memory = named
    read = RdmaSegment(READABLE.handle, 100, READABLE.offset + 8)
    write = RdmaSegment(WRITABLE.handle, 100, WRITABLE.offset + 8)
    body = RdmaMsg((ReadSegment(32, read),), (WriteChunk((write, ELSEWHERE)),), None)
    moved, _ = decode_header(translator.translate(encode_header(TransportHeader(1, 1, 1, body))))

    assert isinstance(moved.rdma_body, RdmaMsg)
    assert memory.fetch(moved.rdma_body.rdma_reads[0].target) == bytes(100)
    first, second = moved.rdma_body.rdma_writes[0].target
    assert memory.is_writable(first)
    assert second == ELSEWHERE


def test_what_does_not_decode_stays_as_it_is(named: tuple[NamedMemory, ExposedRegions]) -> None:
    assert named[0].translate(b"garbage") == b"garbage"
