"""Contract: RDMA Read and Write, and what protects memory from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from rpcrdma.fabric.base import Access, ConnectionParameters
from rpcrdma.fabric.completion import CompletionStatus, Opcode

if TYPE_CHECKING:
    from rpcrdma.fabric.base import MemoryRegion
    from tests.fabric_contract.conftest import Ends, FabricPair

BOTH = Access.REMOTE_READ | Access.REMOTE_WRITE | Access.LOCAL_WRITE
PATTERN = bytes(range(1, 101))


@dataclass
class Memory:
    """A region of 100 octets at either end: the target's holds `PATTERN`."""

    source: MemoryRegion
    target: MemoryRegion


@pytest.fixture
def memory(ends: Ends) -> Memory:
    source = ends.active.register(100, Access.LOCAL_WRITE)
    target = ends.passive.register(100, BOTH)
    target.write(PATTERN)
    return Memory(source, target)


def test_read_brings_the_peers_octets(ends: Ends, memory: Memory) -> None:
    """An RDMA Read of part of a region lands where it should, and nowhere else."""
    target = memory.target
    work_id = ends.active.post_rdma_read(memory.source, 10, 20, target.handle, target.offset + 30)

    done = ends.completion(ends.active, work_id)

    assert (done.opcode, done.status) == (Opcode.RDMA_READ, CompletionStatus.SUCCESS)
    assert done.length == 20
    assert memory.source.read() == bytes(10) + PATTERN[30:50] + bytes(70)


def test_write_changes_only_its_octets(ends: Ends, memory: Memory) -> None:
    """An RDMA Write of part of a region lands where it should, and nowhere else."""
    target = memory.target
    memory.source.write(b"written", 5)
    work_id = ends.active.post_rdma_write(memory.source, 5, 7, target.handle, target.offset + 90)

    done = ends.completion(ends.active, work_id)

    assert (done.opcode, done.status) == (Opcode.RDMA_WRITE, CompletionStatus.SUCCESS)
    assert done.length == 7
    assert target.read() == PATTERN[:90] + b"written" + PATTERN[97:]


def test_whole_region_is_in_bounds(ends: Ends, memory: Memory) -> None:
    """A Read and a Write of a whole region, to its last octet, are allowed."""
    target = memory.target
    read = ends.active.post_rdma_read(memory.source, 0, 100, target.handle, target.offset)
    assert ends.completion(ends.active, read).ok
    write = ends.active.post_rdma_write(memory.source, 0, 100, target.handle, target.offset)

    assert ends.completion(ends.active, write).ok
    assert target.read() == memory.source.read() == PATTERN


def test_long_transfers_arrive_whole(ends: Ends) -> None:
    """A megabyte goes there and back unchanged: many packets behave as one."""
    octets = bytes(number % 251 for number in range(1 << 20))
    source = ends.active.register(len(octets), Access.LOCAL_WRITE)
    target = ends.passive.register(len(octets), BOTH)
    source.write(octets)
    write = ends.active.post_rdma_write(source, 0, len(octets), target.handle, target.offset)
    assert ends.completion(ends.active, write).ok
    assert target.read() == octets

    source.write(bytes(len(octets)))
    read = ends.active.post_rdma_read(source, 0, len(octets), target.handle, target.offset)

    assert ends.completion(ends.active, read).ok
    assert source.read() == octets


def test_transfers_of_no_octets_touch_nothing(ends: Ends, memory: Memory) -> None:
    """A Read and a Write of length 0 succeed."""
    target = memory.target
    read = ends.active.post_rdma_read(memory.source, 0, 0, target.handle, target.offset)
    write = ends.active.post_rdma_write(memory.source, 0, 0, target.handle, target.offset)

    assert ends.completion(ends.active, read).ok
    assert ends.completion(ends.active, write).ok
    assert target.read() == PATTERN


def test_write_is_placed_before_the_send_behind_it(ends: Ends, memory: Memory) -> None:
    """When a Send arrives, the Write that was posted before it is in memory."""
    target = memory.target
    memory.source.write(b"placed")
    ends.active.post_rdma_write(memory.source, 0, 6, target.handle, target.offset)
    ends.active.post_send(b"look")

    assert ends.received(ends.passive).data == b"look"
    assert target.read(0, 6) == b"placed"


REACHES = {
    "one octet behind the end": (1, 100),
    "one octet before the start": (-1, 10),
    "across the end": (60, 41),
    "far away": (1 << 32, 4),
}


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("opcode", [Opcode.RDMA_READ, Opcode.RDMA_WRITE])
def test_octets_out_of_bounds_are_refused(
    ends: Ends, memory: Memory, opcode: Opcode, reach: str
) -> None:
    """A Read or Write that leaves the region fails and breaks the connection."""
    start, length = REACHES[reach]

    _expect_refusal(ends, memory, opcode, memory.target.handle, start, length)


@pytest.mark.parametrize("opcode", [Opcode.RDMA_READ, Opcode.RDMA_WRITE])
def test_unknown_handle_is_refused(ends: Ends, memory: Memory, opcode: Opcode) -> None:
    """A handle that was never given out opens nothing."""
    _expect_refusal(ends, memory, opcode, memory.target.handle ^ 0x5A5A5A00)


@pytest.mark.parametrize("opcode", [Opcode.RDMA_READ, Opcode.RDMA_WRITE])
def test_invalidated_handle_is_refused(ends: Ends, memory: Memory, opcode: Opcode) -> None:
    """Once the owner has invalidated a region, the peer cannot use it; its owner still can."""
    ends.passive.invalidate(memory.target)
    ends.passive.invalidate(memory.target)

    assert not memory.target.valid
    _expect_refusal(ends, memory, opcode, memory.target.handle)
    assert memory.target.read() == PATTERN


@pytest.mark.parametrize("opcode", [Opcode.RDMA_READ, Opcode.RDMA_WRITE])
def test_access_that_was_not_granted_is_refused(ends: Ends, opcode: Opcode) -> None:
    """A region for Reads only cannot be written, one for Writes only cannot be read."""
    granted = (
        Access.REMOTE_WRITE | Access.LOCAL_WRITE
        if opcode is Opcode.RDMA_READ
        else Access.REMOTE_READ
    )
    memory = Memory(
        ends.active.register(100, Access.LOCAL_WRITE), ends.passive.register(100, granted)
    )
    memory.target.write(PATTERN)

    _expect_refusal(ends, memory, opcode, memory.target.handle)


@pytest.mark.parametrize("opcode", [Opcode.RDMA_READ, Opcode.RDMA_WRITE])
def test_memory_of_another_connection_is_out_of_reach(
    fabric_pair: FabricPair, ends: Ends, opcode: Opcode
) -> None:
    """A handle is good on its own connection only."""
    other = fabric_pair.connect()
    memory = Memory(
        ends.active.register(100, Access.LOCAL_WRITE), other.passive.register(100, BOTH)
    )
    memory.target.write(PATTERN)

    _expect_refusal(ends, memory, opcode, memory.target.handle)
    assert other.active.connected


def test_refused_work_flushes_what_is_behind_it(ends: Ends, memory: Memory) -> None:
    """Work posted after a refused Read completes as flushed; the peer's Receives, too."""
    target = memory.target
    refused = ends.active.post_rdma_read(memory.source, 0, 100, target.handle, target.offset + 1)
    behind = ends.active.post_send(b"behind")

    failed = ends.completion(ends.active, refused)

    assert failed.status is CompletionStatus.REMOTE_ACCESS_ERROR
    assert ends.completion(ends.active, behind).status is CompletionStatus.FLUSHED
    assert {entry.status for entry in ends.rest(ends.passive)} == {CompletionStatus.FLUSHED}


def test_read_into_too_small_a_region_is_a_local_error(ends: Ends, memory: Memory) -> None:
    """The initiator's own bounds are checked, and nothing is written."""
    target = memory.target
    work_id = ends.active.post_rdma_read(memory.source, 50, 51, target.handle, target.offset)

    done = ends.completion(ends.active, work_id)

    assert done.status is CompletionStatus.LOCAL_PROTECTION_ERROR
    assert memory.source.read() == bytes(100)


def test_read_into_memory_without_local_write_is_a_local_error(ends: Ends, memory: Memory) -> None:
    """A region that was not registered for local writing cannot take what is read."""
    source = ends.active.register(100, Access.REMOTE_READ)
    target = memory.target
    work_id = ends.active.post_rdma_read(source, 0, 100, target.handle, target.offset)

    done = ends.completion(ends.active, work_id)

    assert done.status in {
        CompletionStatus.LOCAL_PROTECTION_ERROR,
        CompletionStatus.LOCAL_ACCESS_ERROR,
        CompletionStatus.LOCAL_QP_OPERATION_ERROR,
    }


def test_writes_to_several_regions_do_not_mix(fabric_pair: FabricPair) -> None:
    """Each handle leads to its own memory."""
    ends = fabric_pair.connect(ConnectionParameters(), ConnectionParameters())
    source = ends.active.register(8, Access.LOCAL_WRITE)
    targets = [ends.passive.register(8, BOTH) for _ in range(4)]
    for number, target in enumerate(targets):
        source.write(bytes([number]) * 8)
        work_id = ends.active.post_rdma_write(source, 0, 8, target.handle, target.offset)
        assert ends.completion(ends.active, work_id).ok

    assert [target.read() for target in targets] == [bytes([n]) * 8 for n in range(4)]


def _expect_refusal(
    ends: Ends, memory: Memory, opcode: Opcode, handle: int, start: int = 0, length: int = 100
) -> None:
    """Post the work; it must fail as the peer's access error and change nothing at either end."""
    post = ends.active.post_rdma_read if opcode is Opcode.RDMA_READ else ends.active.post_rdma_write
    work_id = post(memory.source, 0, length, handle, memory.target.offset + start)

    done = ends.completion(ends.active, work_id)

    assert done.status is CompletionStatus.REMOTE_ACCESS_ERROR
    assert memory.target.read() == PATTERN
    assert memory.source.read() == bytes(100)
    ends.rest(ends.active)
    assert not ends.active.connected
