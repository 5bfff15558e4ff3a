"""What a queue pair is told of Receives, by a pyverbs that only remembers.

The contract suite runs the same over a device (`tests/fabric_contract/test_segments.py`).
"""

from __future__ import annotations

import ctypes
import importlib
import mmap
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Access, ConnectionParameters
from rpcrdma.fabric.memory import Region
from rpcrdma.fabric.segments import ReceiveSegment, one_segment

if TYPE_CHECKING:
    from collections.abc import Iterator

MADE_ANEW = ("verbs_memory", "verbs_receives", "verbs_work")


class Element:
    """A pyverbs SGE: to be closed once, since it frees its memory."""

    def __init__(self, address: int, length: int, key: int) -> None:
        self.words = (address, length, key)
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


class Request:
    """A pyverbs RecvWR, which copies its elements; to be closed once, too."""

    def __init__(self, wr_id: int = 0, num_sge: int = 0, sg: list[Element] | None = None) -> None:
        assert sg is not None
        assert len(sg) == num_sge > 0, "a WR needs at least one SGE"
        assert not any(element.closed for element in sg)
        self.wr_id = wr_id
        self.elements = sg
        self.words = [element.words for element in sg]
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


class Registration:
    """A pyverbs MR; `made` are the octets of all of them."""

    made: ClassVar[list[range]] = []

    def __init__(self, domain: object, length: int, flags: int, address: int) -> None:
        self.lkey, self.rkey = 7, 8
        self.made.append(range(address, address + length))

    def close(self) -> None:
        """Forget it."""


class Refused(Exception):
    """A PyverbsRDMAError."""


@dataclass
class Queue:
    """A queue pair that remembers, or refuses."""

    posted: list[tuple[int, list[tuple[int, int, int]]]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    refuses: bool = False

    def post_receive(self, request: Request) -> None:
        if self.refuses:
            raise Refused("no room")
        self.posted.append((request.wr_id, request.words))
        self.requests.append(request)


@pytest.fixture
def verbs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module of Receives on top of these; the real ones are imported anew by whoever comes."""
    for name, contents in {
        "pyverbs": {},
        "pyverbs.mr": {"MR": Registration, "MW": None, "MWBindInfo": None},
        "pyverbs.wr": {"SGE": Element, "RecvWR": Request, "SendWR": None},
        "pyverbs.pyverbs_error": {"PyverbsRDMAError": Refused},
    }.items():
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(Registration, "made", [])
    for name in MADE_ANEW:
        monkeypatch.delitem(sys.modules, f"rpcrdma.fabric.{name}", raising=False)
    yield importlib.import_module("rpcrdma.fabric.verbs_receives")
    for name in MADE_ANEW:
        sys.modules.pop(f"rpcrdma.fabric.{name}", None)


@dataclass
class Bench:
    """Receives of a connection made for three segments, and a region of it."""

    module: Any
    queue: Queue = field(default_factory=Queue)

    def __post_init__(self) -> None:
        memory = sys.modules["rpcrdma.fabric.verbs_memory"]
        self.pool = memory.BufferPool(None)
        self.region = memory.VerbsRegion(None, 64, Access.LOCAL_WRITE, bindable=False)
        parameters = ConnectionParameters(receive_depth=2, receive_segments=3)
        self.receives = self.module.Receives(self.queue, self.pool, parameters)


@pytest.fixture
def bench(verbs: Any) -> Bench:  # noqa: ANN401  # a module
    return Bench(verbs)


def test_one_segment_of_its_own_memory_is_a_pooled_request_that_is_posted_again(
    bench: Bench,
) -> None:
    first = bench.receives.post(1, one_segment(256))
    first.release()
    second = bench.receives.post(2, one_segment(256))

    assert first is second
    assert [work_id for work_id, _ in bench.queue.posted] == [1, 2]
    assert bench.queue.requests[0] is bench.queue.requests[1]
    assert not bench.queue.requests[0].closed


def test_each_segment_is_an_element_and_the_request_is_closed_once(bench: Bench) -> None:
    segments = (ReceiveSegment(28), ReceiveSegment(16, bench.region, 48), ReceiveSegment(28))
    receive = bench.receives.post(1, segments)

    ((work_id, words),) = bench.queue.posted
    (request,) = bench.queue.requests
    assert work_id == 1
    assert [length for _, length, _ in words] == [28, 16, 28]
    assert words[1] == (bench.region.offset + 48, 16, bench.region.local_key)
    assert request.closed == 1
    assert all(element.closed == 1 for element in request.elements)
    assert (receive.length, receive.segments) == (72, segments)


def test_message_is_read_out_of_its_segments(bench: Bench) -> None:
    segments = (ReceiveSegment(4), ReceiveSegment(4, bench.region, 8), ReceiveSegment(4))
    receive = bench.receives.post(1, segments)
    for buffer, octets in ((receive.buffers[0], b"head"), (receive.buffers[2], b"tail")):
        buffer.memory[buffer.start : buffer.start + 4] = octets
    bench.region.write(b"bulk", 8)

    assert receive.read(12) == b"headbulktail"
    assert receive.read(6) == b"headbu"
    assert receive.read(0) == b""


@pytest.mark.parametrize("align", [64, 3000, mmap.PAGESIZE, 65536, 1 << 20])
def test_aligned_memory_is_at_a_multiple_and_read_where_it_is(bench: Bench, align: int) -> None:
    """Also beyond a page, and for what is no power of two; all that a device writes to is known."""
    segments = (ReceiveSegment(4), ReceiveSegment(4, align=align), ReceiveSegment(100, align=align))
    receives = [bench.receives.post(number, segments) for number in (1, 2)]

    taken = []
    for receive, (_, words) in zip(receives, bench.queue.posted, strict=True):
        placed = receive.placed(12)
        addresses = [address for address, _, _ in words]
        assert [one.address for one in placed] == [None, *addresses[1:]]
        assert [one.length for one in placed] == [4, 4, 4]
        assert not any(address % align for address in addresses[1:])
        for address, octets in zip(addresses, (b"head", b"bulk", b"tail"), strict=True):
            ctypes.memmove(address, octets, 4)
        assert receive.read(12) == b"headbulktail"
        taken += [range(address, address + length) for address, length, _ in words]
    assert all(any(_holds(one, octets) for one in Registration.made) for octets in taken)
    taken.sort(key=lambda octets: octets.start)
    assert all(one.stop <= following.start for one, following in pairwise(taken))


def _holds(outer: range, inner: range) -> bool:
    return outer.start <= inner.start and inner.stop <= outer.stop


def test_no_more_is_registered_than_an_alignment_needs(bench: Bench) -> None:
    """Registering pins memory: of a megabyte between two segments, nobody needs an octet."""
    bench.pool.for_receive(4096, 1 << 20)

    assert [len(octets) for octets in Registration.made] == [64, 4096]  # after the region


def test_aligned_memory_is_used_again_for_its_like_alone(bench: Bench) -> None:
    first = bench.pool.for_receive(8, 64)
    first.release()

    assert bench.pool.for_receive(8) is not first
    assert bench.pool.for_receive(8, 128) is not first
    assert bench.pool.for_receive(8, 64) is first


def test_one_aligned_segment_alone_tells_where_it_is(bench: Bench) -> None:
    """One without an alignment does not."""
    aligned = bench.receives.post(1, (ReceiveSegment(64, align=4096),))
    plain = bench.receives.post(2, one_segment(64))

    ((_, ((address, _, _),)), _) = bench.queue.posted
    assert [(one.address, one.length) for one in aligned.placed(5)] == [(address, 5)]
    assert plain.placed(5) == ()


def test_segments_of_no_octets_are_no_elements(bench: Bench) -> None:
    """Devices differ in what an element of length 0 means; a request needs one all the same."""
    region = bench.region
    nothing = ReceiveSegment(0, region)
    bench.receives.post(1, (nothing, ReceiveSegment(8, region), nothing))
    bench.receives.post(2, (nothing, nothing))

    assert [words for _, words in bench.queue.posted] == [
        [(region.offset, 8, region.local_key)],
        [(region.offset, 0, region.local_key)],
    ]


def test_what_is_posted_beyond_the_depth_is_refused(bench: Bench) -> None:
    bench.receives.post(1, one_segment(8))
    bench.receives.post(2, (ReceiveSegment(8, bench.region),))
    with pytest.raises(FabricError, match="2 Receives are posted"):
        bench.receives.post(3, one_segment(8))

    bench.receives.posted -= 1
    bench.receives.post(3, one_segment(8))


def test_more_segments_than_the_queue_pair_was_made_for_are_refused(bench: Bench) -> None:
    with pytest.raises(FabricError, match="a Receive of 4 segments"):
        bench.receives.post(1, (ReceiveSegment(8),) * 4)


def test_what_the_device_refuses_gives_its_memory_back(bench: Bench) -> None:
    bench.queue.refuses = True
    with pytest.raises(FabricError, match="cannot be posted: no room"):
        bench.receives.post(1, (ReceiveSegment(8), ReceiveSegment(8, bench.region)))
    stranger = Region(1, 0, 8, Access.LOCAL_WRITE)
    with pytest.raises(FabricError, match="not one of this device"):
        bench.receives.post(1, (ReceiveSegment(8), ReceiveSegment(8, stranger)))

    assert bench.receives.posted == 0
    free = {id(bench.pool.for_receive(8)) for _ in range(64)}
    assert len(free) == 64, "a buffer was lost or given back twice"


def test_memory_that_cannot_be_mapped_is_a_refusal(bench: Bench) -> None:
    """What was taken for the segments before it goes back."""
    first = bench.pool.for_receive(8)
    first.release()
    with pytest.raises(FabricError, match="cannot be posted"):
        bench.receives.post(1, (ReceiveSegment(8), ReceiveSegment(8, align=1 << 62)))

    assert (bench.receives.posted, bench.pool.for_receive(8)) == (0, first)


def test_receive_goes_back_with_all_that_is_the_fabrics_own(bench: Bench) -> None:
    receive = bench.receives.post(1, (ReceiveSegment(8), ReceiveSegment(8, bench.region)))
    buffer = receive.buffers[0]
    assert buffer not in buffer.free

    receive.release()

    assert buffer in buffer.free
