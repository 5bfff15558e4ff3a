"""What may answer a request that came whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.groups.draft import Entry, GroupDraft, PlacedEntry
from conformance.oracle.announced import Announced
from conformance.oracle.memory import ExposedRegions
from conformance.oracle.responder.expected import expected
from rpcrdma.fabric.base import Access
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    InTargetedSegments,
    MessageItem,
    NoItem,
    ResponseItem,
    ResponseRange,
    ResponseSet,
    TooShort,
)
from rpcrdma.wire.send_placement import BulkItem
from tests.conformance.oracle.group_fakes import (
    LAYER,
    TOLD,
    XID,
    directed,
    request,
    sends,
    state,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

DATA = bytes(range(200))
STORE = testprog_calls.store(XID, DATA)
(ITEM,) = LAYER.arguments(STORE)
UNCODED = [
    "ERR_CHUNK",
    "an error report",
    "a Reply of GARBAGE_ARGS",
    "a Reply by XMTRESP of GARBAGE_ARGS",
    "loss of the connection",
]
BY_MSG = "a Reply"
BY_GROUP = "a Reply by XMTRESP"
MEMORY = DirectToExplicitRdma((RdmaSegment(7, 4000, 64),))


class Region:
    """Memory under one handle, as the oracle sees it."""

    def __init__(self, handle: int, data: bytes) -> None:
        self.handle = handle
        self.offset = 64
        self.data = data
        self.access = Access.REMOTE_READ | Access.REMOTE_WRITE

    @property
    def length(self) -> int:
        return len(self.data)

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        return self.data[start : None if length is None else start + length]


def memory(data: bytes = DATA) -> ExposedRegions:
    regions = ExposedRegions()
    regions.expose(Region(5, data), read=True)
    regions.expose(Region(7, bytes(8000)), write=True)
    return regions


def allowed(group: GroupDraft, **changes: object) -> list[str]:
    first, *later = sends(group)
    found = expected(first, state(memory(), **changes), *later)
    return [str(one) for one in found.allowed]


def exrw(length: int = len(DATA), handle: int = 5) -> MessageItem:
    return MessageItem(ITEM.position, length, ByExplicitRdma((RdmaSegment(handle, length, 64),)))


@pytest.mark.parametrize(
    "entries",
    [
        (),
        (BulkItem(ITEM.position, DATA),),
        (exrw(),),
    ],
)
def test_a_good_request_is_answered_in_either_way(entries: Sequence[Entry]) -> None:
    assert allowed(request(STORE, entries)) == [BY_GROUP, BY_MSG]


def test_directions_are_answered_by_a_response() -> None:
    call = testprog_calls.fetch(XID, 2000)
    assert allowed(request(call, directions=directed(DirectToSends()))) == [BY_GROUP]


@pytest.mark.parametrize("where", [TooShort(), NoItem()])
def test_a_result_as_item_is_refused(where: TooShort | NoItem) -> None:
    entry = MessageItem(ITEM.position, 200, where)
    assert allowed(request(STORE, (entry,), payload=STORE)) == UNCODED


@pytest.mark.parametrize("displacement", [ITEM.position + 400, ITEM.position + 2])
def test_an_item_that_fits_nowhere_is_refused(displacement: int) -> None:
    group = request(STORE, (exrw(),)).with_item(0, xmdmi_disp=displacement)
    assert allowed(group) == UNCODED


def test_items_that_overlap_are_refused() -> None:
    call = testprog_calls.store_two(XID, DATA, b"", DATA)
    first, second = LAYER.arguments(call)
    entries = [
        MessageItem(one.position, 200, ByExplicitRdma((RdmaSegment(5, 200, 64),)))
        for one in (first, second)
    ]
    group = request(call, entries).with_item(1, xmdmi_disp=first.position + 8)
    assert allowed(group) == UNCODED


@pytest.mark.parametrize(
    "ranges", [((0, 40), (36, 80)), ((40, 80), (0, 40)), ((40, 0),), ((0, 4), (80, 44))]
)
def test_ranges_that_do_not_ascend_are_refused(ranges: tuple[tuple[int, int], ...]) -> None:
    directions = tuple(
        ResponseSet(ResponseRange(*one), (ResponseItem(0, DirectToSends()),)) for one in ranges
    )
    assert allowed(request(STORE, directions=directions)) == UNCODED


PLACED = PlacedEntry(ITEM.position, DATA, InTargetedSegments(0, (1,)))


@pytest.mark.parametrize(
    ("numbers", "offset", "answers"),
    [
        ((9,), 0, ["an error report of OPTRERR_BADTBSN"]),
        ((1,), 1024, ["an error report of OPTRERR_BADOFF", "ERR_CHUNK"]),
        ((2,), 0, ["an error report of OPTRERR_BADOFF or OPTRERR_BADTBSN"]),
        ((1, 0), 0, UNCODED),
        ((), 0, UNCODED),
    ],
)
def test_bulk_data_that_cannot_be_there_are_reported(
    numbers: tuple[int, ...], offset: int, answers: list[str]
) -> None:
    group = request(STORE, (PLACED,), sizes=(44,)).with_targets(0, numbers=numbers, offset=offset)
    assert allowed(group) == answers


def test_bulk_data_in_octets_of_payload_are_reported() -> None:
    call = testprog_calls.long_store(XID, bytes(1500), DATA)
    (item,) = LAYER.arguments(call)
    entry = PlacedEntry(item.position, DATA, InTargetedSegments(0, (2,)))
    payload = len(call) - len(DATA)
    group = request(call, (entry,), sizes=(payload,)).with_targets(0, numbers=(0,))
    assert allowed(group) == [
        "an error report of OPTRERR_BADOFF or OPTRERR_BADPL or OPTRERR_BADTBSN"
    ]


def test_an_unaligned_offset_may_be_reported_or_taken() -> None:
    entry = PLACED._replace(where=InTargetedSegments(2, (1,)))
    assert allowed(request(STORE, (entry,), sizes=(44,))) == [
        BY_GROUP,
        BY_MSG,
        "an error report of OPTRERR_BADOFF",
        "ERR_CHUNK",
    ]


def test_an_unaligned_part_may_be_reported_or_taken() -> None:
    assert allowed(request(STORE, sizes=(41, len(STORE) - 41))) == [
        BY_GROUP,
        BY_MSG,
        "an error report of OPTRERR_BADPL",
        "ERR_CHUNK",
    ]


def test_memory_that_cannot_be_read_ends_the_request() -> None:
    assert allowed(request(STORE, (exrw(handle=99),))) == [
        "loss of the connection",
        "ERR_CHUNK",
        "loss of the connection",
    ]


def test_what_is_not_eligible_is_refused() -> None:
    call = testprog_calls.echo(XID, DATA)
    entry = BulkItem(len(call) - 200, DATA)
    assert allowed(request(call, (entry,)))[0] == "ERR_CHUNK"
    assert BY_GROUP not in allowed(request(call, (entry,)))


def test_garbage_is_no_fault_of_a_group() -> None:
    call = testprog_calls.echo(XID, b"")[:-4]
    assert allowed(request(call))[:2] == [
        "a Reply by XMTRESP of GARBAGE_ARGS",
        "a Reply of GARBAGE_ARGS",
    ]
    assert allowed(request(call, directions=directed(DirectToSends())))[0] == (
        "a Reply by XMTRESP of GARBAGE_ARGS"
    )


FETCH = testprog_calls.fetch(XID, 3000)
NO_TARGETS = Announced(7, None, 4096, 4, 4)


@pytest.mark.parametrize(
    ("where", "fits"),
    [
        (DirectToSends(), True),
        (MEMORY, True),
        (DirectToExplicitRdma((RdmaSegment(7, 2000, 64),)), False),
        (DirectByChoice(MEMORY.xmdrsdl_ex), True),
        (DirectBySize(1000, MEMORY.xmdrsdl_ex), True),
        (DirectBySize(4000, ()), True),
    ],
)
def test_results_have_the_room_of_their_directions(where: DirectToSends, *, fits: bool) -> None:
    found = allowed(request(FETCH, directions=directed(where)))
    assert ("ERR_CHUNK" not in found) is fits


def test_results_have_the_room_that_is_reserved() -> None:
    long = testprog_calls.long_reply(XID, 9000)
    assert "ERR_CHUNK" not in allowed(request(long, reserve=3))
    assert "ERR_CHUNK" in allowed(request(long, reserve=2))
    tighter = Announced(7, None, 4096, 4, 2)
    assert "ERR_CHUNK" in allowed(request(long, reserve=3), own=tighter)


def test_no_target_has_no_room_for_bulk_data() -> None:
    group = request(FETCH, directions=directed(DirectToSends()))
    assert "ERR_CHUNK" in allowed(group, requester=NO_TARGETS)
    assert TOLD.layout.targets
