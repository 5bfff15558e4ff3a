"""What requests of this end may do with its memory, and what is told of them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import Opcode, WorkId
from rpcrdma.fabric.memory import HandleAllocator, ProtectionDomain
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.roce.transport.local_memory import LocalMemory
from rpcrdma.roce.transport.work import TransportWork
from tests.roce.transport.conftest import ALL, LoneEnd

READ, WRITE = Opcode.RDMA_READ, Opcode.RDMA_WRITE


@dataclass
class Place:
    """Memory of one end, and its trace."""

    end: LoneEnd
    memory: LocalMemory

    def work(self, opcode: Opcode, access: Access, start: int, length: int) -> TransportWork:
        work = TransportWork(WorkId(1), opcode, length)
        work.region, work.start = self.end.register(8, access), start
        work.handle, work.offset = 7, 9000
        return work


@pytest.fixture
def place(lone: LoneEnd) -> Place:
    return Place(lone, LocalMemory(lone.domain, lone.recorder))


@pytest.mark.parametrize(
    ("opcode", "access", "start", "length", "allowed"),
    [
        (READ, Access.LOCAL_WRITE, 0, 8, True),
        (READ, Access.LOCAL_WRITE, 1, 8, False),
        (READ, Access.LOCAL_WRITE, -1, 2, False),
        (READ, Access.LOCAL_WRITE, 4, -1, False),
        (READ, Access.REMOTE_READ, 0, 8, False),
        (READ, Access.REMOTE_READ, 50, 0, True),
        (WRITE, Access.REMOTE_READ, 0, 8, True),
        (WRITE, Access.REMOTE_READ, 0, 9, False),
        (WRITE, Access.REMOTE_READ, 50, 0, True),
    ],
)
def test_region_allows_what_is_inside_and_granted(
    place: Place, opcode: Opcode, access: Access, start: int, length: int, allowed: bool
) -> None:
    """A Read needs the right of local writing; of no octets, nothing is looked at."""
    assert place.memory.allows(place.work(opcode, access, start, length)) is allowed


def test_region_that_was_invalidated_allows_nothing(place: Place) -> None:
    """Neither is one of another protection domain of any use."""
    work = place.work(WRITE, ALL, 0, 8)
    assert work.region is not None
    place.end.domain.invalidate_all()
    assert not place.memory.allows(work)
    work.region = ProtectionDomain(HandleAllocator(3)).register(8, ALL)
    assert not place.memory.allows(work)


def test_write_is_told_when_taken_and_a_read_when_it_lands(place: Place) -> None:
    """Each with its octets and the peer's place."""
    write, read = place.work(WRITE, ALL, 2, 3), place.work(READ, ALL, 2, 3)
    assert write.region is not None
    assert read.region is not None
    write.region.write(b"01234567")
    place.memory.take(write)
    place.memory.take(read)
    read.octets = [b"ab", b"c"]
    place.memory.land(read)

    assert write.data == b"234"
    assert read.region.read() == b"\0\0abc\0\0\0"
    told = [(event.kind, event.data, event.handle, event.offset) for event in place.end.events]
    assert told == [
        (EventKind.RDMA_WRITE, b"234", 7, 9000),
        (EventKind.RDMA_READ, b"abc", 7, 9000),
    ]


def test_send_is_told_when_taken(place: Place) -> None:
    """With the handle that it ends."""
    work = TransportWork(WorkId(1), Opcode.SEND, 3)
    work.data, work.invalidate = b"abc", 5
    place.memory.take(work)
    place.memory.note_failure(work, "why")

    sent, failed = place.end.events
    assert (sent.side, sent.kind, sent.data, sent.handle) == (
        Side.LOCAL,
        EventKind.SEND,
        b"abc",
        5,
    )
    assert (failed.kind, failed.detail) == (EventKind.FAILURE, "Send: why")
    assert (failed.handle, failed.offset, failed.length) == (5, None, 3)


def test_failed_transfer_is_told_with_its_place(place: Place) -> None:
    """That of the peer's memory."""
    place.memory.note_failure(place.work(READ, ALL, 0, 8), "why")

    (event,) = place.end.events
    assert (event.side, event.detail) == (Side.LOCAL, "RDMA Read: why")
    assert (event.handle, event.offset, event.length) == (7, 9000, 8)
