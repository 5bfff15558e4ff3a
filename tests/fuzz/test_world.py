from __future__ import annotations

from conformance.explore.named_memory import READABLE, REGION, WRITABLE
from fuzz.snapshot import Snapshot
from fuzz.world import RequesterMemory
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import RdmaSegment

PLACE = RdmaSegment(WRITABLE.handle, 4, WRITABLE.offset + 8)


def test_what_is_written_is_in_one_memory_alone() -> None:
    written, other = RequesterMemory(), RequesterMemory()

    written.place(PLACE, b"here")
    written.place(RdmaSegment(WRITABLE.handle, 2, PLACE.offset + 1), b"ow")

    assert written.contents((PLACE,)) == b"howe"
    assert other.contents((WRITABLE,)) == bytes(REGION)
    assert RequesterMemory().contents((WRITABLE,)) == bytes(REGION)
    assert written.fetch(READABLE) == pattern(REGION, 1)


def test_a_memory_that_is_put_back_holds_nothing() -> None:
    memory = RequesterMemory()
    snapshot = Snapshot(memory)
    memory.place(PLACE, b"here")

    snapshot.restore()

    assert memory.contents((PLACE,)) == bytes(4)
