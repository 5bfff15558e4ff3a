"""rtrext section 7.3, Message DDP Structures: where the items of requests and responses are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import SENDS, grouped, to_memory, to_sends
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.request import Argument
    from conformance.tester.client.peer import Peer

PUT_BACK: Final = "rtrext.7.3.bulk-data-are-put-back"
FETCHED: Final = "rtrext.7.3.exrw-of-a-request-is-fetched"
WRITTEN: Final = "rtrext.7.3.exrw-of-a-response-names-what-was-written"
AS_CHUNKS: Final = "rtrext.7.3.exrw-items-are-as-chunks"
SEGMENTS: Final = "rtrext.7.3.tbsn-names-the-segments"
OFFSET: Final = "rtrext.7.3.tbsn-begins-at-the-offset"
NEXT: Final = "rtrext.7.3.tbsn-goes-on-in-the-next-of-the-list"
DISPLACED: Final = "rtrext.7.3.displacement-of-an-item"
LENGTH: Final = "rtrext.7.3.length-of-an-item"
LISTED: Final = "rtrext.7.3.all-bulk-data-are-listed"
NO_ENTRY: Final = "rtrext.7.3.no-entry-means-nothing-taken-out"
MIXED: Final = "rtrext.7.3.types-of-items-may-be-mixed"


@requirement(PUT_BACK, needs=NEEDS)
@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 1024, 3001, 9000])
def test_server_puts_bulk_data_of_sends_back(connect_two: Callable[..., Peer], length: int) -> None:
    """An item that Sends have placed stands at its displacement, with padding after it."""
    client = GroupClient.of(connect_two)
    client.place(1)

    request = client.peer.workload.store(pattern(length, 7))
    call = client.send(grouped(client.peer, request, (SENDS,)))

    answers.served(client, call, breaks=PUT_BACK)


@requirement(FETCHED, AS_CHUNKS, needs=NEEDS, interpretations=("D-95",))
@pytest.mark.parametrize("sizes", [(), (1000,), (1, 2, 997)], ids=["one", "two", "four"])
def test_server_fetches_an_item_from_memory(
    connect_two: Callable[..., Peer], sizes: tuple[int, ...]
) -> None:
    """An item by explicit RDMA is read from all segments of its memory, in order."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.store(pattern(3001, 7))
    call = client.send(grouped(client.peer, request, (sizes,)))

    answers.served(client, call, breaks=FETCHED)


@requirement(SEGMENTS, needs=NEEDS, interpretations=("D-103", "D-112"))
def test_server_takes_bulk_data_from_the_segments_named(connect_two: Callable[..., Peer]) -> None:
    """Bulk data in another target segment than the first that is free are found there."""
    client = GroupClient.of(connect_two)
    (first,) = client.place(1).xmdl_bsnum
    where = client.place(700, front=client.announced.layout.target(first)[1].end)

    request = client.peer.workload.store(pattern(700, 7))
    sizes = (None, *(0,) * client.last_send(where))
    call = client.send(grouped(client.peer, request, (where,), sizes=sizes))

    answers.served(client, call, breaks=SEGMENTS)


@requirement(OFFSET, needs=NEEDS, interpretations=("D-103",))
@pytest.mark.parametrize("offset", [4, 100, 508])
def test_server_begins_at_the_offset(connect_two: Callable[..., Peer], offset: int) -> None:
    """Bulk data that begin within their target segment are found there."""
    client = GroupClient.of(connect_two)
    request = client.peer.workload.store(pattern(1800, 7))
    where = client.place(1800, offset=offset)

    sizes = (None, *(0,) * client.last_send(where))
    call = client.send(grouped(client.peer, request, (where,), sizes=sizes))

    answers.served(client, call, breaks=OFFSET)


@requirement(NEXT, SEGMENTS, needs=NEEDS, interpretations=("D-103",))
@pytest.mark.parametrize("order", ["descending", "apart"])
def test_server_goes_on_in_the_next_segment_of_the_list(
    connect_two: Callable[..., Peer], order: str
) -> None:
    """Bulk data go on in the segments of their list, in whichever order these are."""
    client = GroupClient.of(connect_two)
    (first,) = client.place(1).xmdl_bsnum
    (second,) = client.place(1, send=1).xmdl_bsnum
    (third,) = client.place(1, send=2).xmdl_bsnum
    numbers = {"descending": (third, second, first), "apart": (second, first, third)}[order]
    length = 2 * client.announced.layout.target(first)[1].length + 100

    request = client.peer.workload.store(pattern(length, 7))
    where = client.in_targets(*numbers)
    call = client.send(grouped(client.peer, request, (where,), sizes=(None, 0, 0)))

    answers.served(client, call, breaks=NEXT)


@requirement(MIXED, PUT_BACK, needs=NEEDS)
@pytest.mark.parametrize(
    "ways",
    [(SENDS, (700,)), ((), SENDS), (SENDS, SENDS)],
    ids=["sends-rdma", "rdma-sends", "sends"],
)
def test_server_takes_items_of_both_kinds(
    connect_two: Callable[..., Peer], ways: tuple[Argument, Argument]
) -> None:
    """A request with two items, by Sends and by explicit RDMA, is put together."""
    client = GroupClient.of(connect_two)
    client.place(1)

    request = client.peer.workload.store_two(pattern(1503, 7), pattern(901, 9))
    call = client.send(grouped(client.peer, request, ways))

    answers.served(client, call, breaks=MIXED)


@requirement(NO_ENTRY, needs=NEEDS)
@pytest.mark.parametrize("sizes", [(None,), (200, None)], ids=["one", "two"])
def test_server_takes_a_request_without_items(
    connect_two: Callable[..., Peer], sizes: tuple[int | None, ...]
) -> None:
    """A request without entries is just its Payload stream, whatever is eligible in it."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.store(pattern(800, 7))
    call = client.send(grouped(client.peer, request, sizes=sizes))

    answers.served(client, call, breaks=NO_ENTRY)


@requirement(DISPLACED, needs=NEEDS, interpretations=("D-106",))
@pytest.mark.parametrize("change", ["overlap", "beyond", "unaligned"])
def test_server_refuses_items_that_fit_nothing(
    connect_two: Callable[..., Peer], change: str
) -> None:
    """Items that overlap, or lie beyond the stream or within a unit, are refused."""
    client = GroupClient.of(connect_two)
    request = client.peer.workload.store_two(pattern(1503, 7), pattern(901, 9))
    call = grouped(client.peer, request, ((), ()))
    first, second = (item.xmdmi_disp for item in call.draft.items)
    displacement = {"overlap": first + 8, "beyond": second + 4000, "unaligned": second + 2}[change]

    odd = client.send(call.spoiled(call.draft.with_item(1, xmdmi_disp=displacement)))

    faults.refused(client, odd.message, breaks=DISPLACED)


@requirement(WRITTEN, AS_CHUNKS, needs=NEEDS, interpretations=("D-95", "D-105"))
@pytest.mark.parametrize("sizes", [(3001,), (1000, 5000), (5000,), (1, 2, 3, 4000)])
def test_server_tells_what_it_has_written(
    connect_two: Callable[..., Peer], sizes: tuple[int, ...]
) -> None:
    """A result that goes into memory comes back with its segments and the lengths written."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.fetch(3001)
    direction = to_memory(client.peer, *sizes)
    call = client.send(grouped(client.peer, request, directions=(direction,)))

    answers.served(client, call, breaks=WRITTEN)


@requirement(SEGMENTS, DISPLACED, LENGTH, LISTED, needs=NEEDS, interpretations=("D-103",))
@pytest.mark.parametrize("length", [1, 4, 1023, 3001, 12000])
def test_server_places_a_result_in_sends(connect_two: Callable[..., Peer], length: int) -> None:
    """A result that goes into Sends is where its entry says, and is as long."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.fetch(length)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=LISTED)


@requirement(DISPLACED, LISTED, MIXED, needs=NEEDS)
def test_server_places_two_results(connect_two: Callable[..., Peer]) -> None:
    """Two results, one by Sends and one by explicit RDMA, each have their entry."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.fetch_two(1503, 901)
    directions = to_sends(), to_memory(client.peer, 1000)
    call = client.send(grouped(client.peer, request, directions=directions))

    answers.served(client, call, breaks=LISTED)
