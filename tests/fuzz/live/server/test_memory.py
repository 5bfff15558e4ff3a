"""Memory that messages name, and what steps do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.explore.named_memory import READABLE, REGION, WRITABLE
from conformance.tester.client import build
from conformance.tester.client.harness import Harness
from fuzz.live.server.memory import StepMemory, is_for_results
from rpcrdma.fabric.base import Access
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

    from conformance.tester.client.peer import Peer

NAMED = encode_header(
    TransportHeader(
        1,
        1,
        8,
        RdmaMsg(
            (ReadSegment(0, RdmaSegment(READABLE.handle, 8, READABLE.offset + 4)),),
            (WriteChunk((RdmaSegment(WRITABLE.handle, 8, WRITABLE.offset),)),),
            None,
        ),
    )
)


@pytest.fixture
def harness() -> Iterator[Harness]:
    made = Harness(find_target("reference"))
    yield made
    made.close()


@pytest.fixture
def peer(harness: Harness) -> Peer:
    return harness.connect()


def segments(memory: StepMemory) -> tuple[RdmaSegment, RdmaSegment]:
    body = decode_header(memory.translate(NAMED))[0].rdma_body
    assert isinstance(body, RdmaMsg)
    return body.rdma_reads[0].target, body.rdma_writes[0].target[0]


def test_names_stand_for_memory_of_the_connection(peer: Peer) -> None:
    memory = StepMemory(peer)
    read, write = segments(memory)
    assert read.offset == memory.region(READABLE).offset + 4
    assert (memory.exposed.fetch(read), memory.exposed.fetch(write)) == (bytes(8), None)
    assert (memory.exposed.is_writable(write), memory.exposed.is_writable(read)) == (True, False)
    assert memory.region(READABLE).length == REGION


def test_what_is_withdrawn_is_out_of_reach_under_the_same_handle(peer: Peer) -> None:
    memory = StepMemory(peer)
    before = segments(memory)
    chunk = memory.chunk(0)
    assert chunk is not None
    assert is_for_results(chunk)
    memory.withdraw(chunk)
    assert segments(memory) == before
    assert not memory.exposed.is_writable(before[1])
    assert not memory.region(WRITABLE).valid
    assert memory.exposed.fetch(before[0]) == bytes(8)


def test_a_name_gets_other_rights_and_another_length(peer: Peer) -> None:
    memory = StepMemory(peer)
    old = segments(memory)[1]
    memory.remake(WRITABLE, Access.REMOTE_READ, 4)
    new = segments(memory)[1]
    assert new.handle != old.handle
    assert not memory.exposed.is_writable(new)
    assert memory.exposed.is_writable(old)
    assert memory.exposed.fetch(new) is None  # 8 octets of 4


def test_what_the_device_has_invalidated_is_out_of_reach_and_its_name_gets_new_memory(
    peer: Peer,
) -> None:
    memory = StepMemory(peer)
    before = segments(memory)
    peer.connection.invalidate(memory.region(WRITABLE))
    memory.look()
    assert not memory.exposed.is_writable(before[1])
    after = segments(memory)
    assert after[0] == before[0]
    assert after[1].handle != before[1].handle
    assert memory.exposed.is_writable(after[1])


def test_a_name_stands_for_memory_of_another_connection(harness: Harness, peer: Peer) -> None:
    memory, other = StepMemory(peer), StepMemory(harness.connect())
    other.region(READABLE).write(b"octets")
    memory.borrow(READABLE, other)
    assert segments(memory)[0] == segments(other)[0]


def test_chunks_of_a_call_are_known_the_latest_first(peer: Peer) -> None:
    memory = StepMemory(peer)
    assert memory.chunk(3) is None
    call = build.with_read_chunks(peer, peer.workload.store(b"x" * 100))
    memory.tell_of(call)
    memory.tell_of(build.with_write_chunks(peer, peer.workload.fetch(100)))
    latest, first = memory.chunk(0), memory.chunk(1)
    assert latest is not None
    assert first is not None
    assert (is_for_results(latest), is_for_results(first)) == (True, False)
    assert first == call.read_chunks[0]
    assert memory.chunk(2) == latest
    assert memory.exposed.fetch(first.told[0]) == b"x" * 100
