"""Protection of registered memory."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Access
from rpcrdma.fabric.memory import Denial, HandleAllocator, ProtectionDomain, Region

READ, WRITE, LOCAL = Access.REMOTE_READ, Access.REMOTE_WRITE, Access.LOCAL_WRITE


def domain(seed: int = 1) -> ProtectionDomain:
    return ProtectionDomain(HandleAllocator(seed))


def test_same_seed_gives_the_same_handles_and_addresses() -> None:
    """What is handed out depends on the seed only."""
    first, second, other = HandleAllocator(7), HandleAllocator(7), HandleAllocator(8)

    def taken(allocator: HandleAllocator) -> list[tuple[int, int]]:
        return [(allocator.handle(), allocator.address(10)) for _ in range(5)]

    drawn = taken(first)
    assert drawn == taken(second)
    assert drawn != taken(other)


@given(st.integers(0, 1000), st.lists(st.integers(1, 5000), min_size=2, max_size=20))
def test_handles_differ_and_regions_do_not_overlap(seed: int, lengths: list[int]) -> None:
    """Every region has its own 32-bit handle and its own 64-bit addresses."""
    allocator = HandleAllocator(seed)
    regions = [ProtectionDomain(allocator).register(length, READ) for length in lengths]

    assert len({region.handle for region in regions}) == len(regions)
    assert all(0 < region.handle < 1 << 32 for region in regions)
    assert all(1 << 32 < region.offset < 1 << 48 for region in regions)
    assert all(one.offset + one.length <= next_.offset for one, next_ in pairwise(regions))


@given(
    st.integers(0, 1000),
    st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 1 << 32)), min_size=2, max_size=20),
)
def test_own_memory_is_at_multiples_of_its_alignment(
    seed: int, wanted: list[tuple[int, int]]
) -> None:
    """Which need not be a power of two; what is registered meanwhile is somewhere else."""
    memory = domain(seed)
    taken: list[range] = []
    for length, align in wanted:
        start = memory.place(length, align)
        assert start % align == 0
        region = memory.register(64, READ)
        assert region.offset % 64 == 0
        taken += range(start, start + length), range(region.offset, region.offset + 64)

    assert all(one.stop <= following.start for one, following in pairwise(taken))


@pytest.mark.parametrize("length", [-1, 0, 1 << 31])
def test_no_region_of_an_impossible_size(length: int) -> None:
    """A region has at least one octet, and fits into memory."""
    with pytest.raises(FabricError, match="cannot register"):
        domain().register(length, READ)


def test_region_starts_with_zeroes_and_keeps_what_is_written() -> None:
    """Local access reaches every octet."""
    region = domain().register(8, READ)
    region.write(b"abc", 5)

    assert region.read() == bytes(5) + b"abc"
    assert region.read(6) == b"bc"
    assert region.read(5, 2) == b"ab"


@pytest.mark.parametrize(("start", "length"), [(-1, 2), (7, 2), (9, 0), (0, 9)])
def test_local_access_outside_the_region_is_an_error(start: int, length: int) -> None:
    """A caller that leaves its own memory learns so at once."""
    region = domain().register(8, READ)

    with pytest.raises(ValueError, match="of a region of 8"):
        region.read(start, length)
    with pytest.raises(ValueError, match="of a region of 8"):
        region.write(bytes(length), start)


def test_unknown_handle_is_denied() -> None:
    """A handle of another domain is as unknown as an invented one."""
    allocator = HandleAllocator(1)
    mine, theirs = ProtectionDomain(allocator), ProtectionDomain(allocator)
    region = theirs.register(8, READ)

    assert mine.check_remote(region.handle, region.offset, 8, READ) is Denial.UNKNOWN_HANDLE
    assert mine.check_local(region, 0, 8, None) is Denial.UNKNOWN_HANDLE


def test_invalidated_handle_is_denied() -> None:
    """Neither the peer nor a local request can use it any more."""
    memory = domain()
    region = memory.register(8, READ)
    region.invalidate()

    assert memory.find(region.handle) is Denial.INVALIDATED
    assert memory.check_remote(region.handle, region.offset, 8, READ) is Denial.INVALIDATED
    assert memory.check_local(region, 0, 8, None) is Denial.INVALIDATED


@pytest.mark.parametrize("granted", [READ, WRITE, LOCAL])
@pytest.mark.parametrize("wanted", [READ, WRITE])
def test_access_must_have_been_granted(granted: Access, wanted: Access) -> None:
    """Each right is its own."""
    memory = domain()
    region = memory.register(8, granted)
    expected = region if granted is wanted else Denial.WRONG_ACCESS

    assert memory.check_remote(region.handle, region.offset, 8, wanted) is expected


@given(st.integers(1, 64), st.integers(-70, 140), st.integers(0, 140))
def test_peer_reaches_exactly_the_region(length: int, start: int, wanted: int) -> None:
    """Octets are reachable if and only if all of them are inside."""
    memory = domain()
    region = memory.register(length, READ)
    found = memory.check_remote(region.handle, region.offset + start, wanted, READ)

    inside = start >= 0 and start + wanted <= length
    assert found is (region if inside else Denial.OUT_OF_BOUNDS)


def test_local_bounds_and_rights() -> None:
    """A local buffer needs its octets, and LOCAL_WRITE to be written."""
    memory = domain()
    region = memory.register(8, READ)

    assert memory.check_local(region, 0, 8, None) is region
    assert memory.check_local(region, 1, 8, None) is Denial.OUT_OF_BOUNDS
    assert memory.check_local(region, -1, 4, None) is Denial.OUT_OF_BOUNDS
    assert memory.check_local(region, 0, 8, LOCAL) is Denial.WRONG_ACCESS


def test_work_that_touches_no_octet_needs_no_region() -> None:
    """Work of some octets needs a region that allows it."""
    memory = domain()
    region = memory.register(8, READ)

    assert memory.lends(None, 0, 8, LOCAL)
    assert memory.lends(region, 9, 0, LOCAL)
    assert memory.lends(region, 0, 8, None)
    assert not memory.lends(region, 0, 8, LOCAL)
    assert not memory.lends(region, 1, 8, None)


def test_invalidate_all_ends_every_handle() -> None:
    """As deregistering does."""
    memory = domain()
    regions: list[Region] = [memory.register(8, READ) for _ in range(3)]
    memory.invalidate_all()

    assert [region.valid for region in regions] == [False] * 3
