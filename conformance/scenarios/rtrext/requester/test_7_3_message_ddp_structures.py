"""rtrext section 7.3, Message DDP Structures: where bulk data of a Requester are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.server import GroupServer
from conformance.groups.taken import TAKEN, structure
from rpcrdma.wire._generated_rtrext import InTargetedSegments
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

BACK = "rtrext.7.3.bulk-data-are-put-back"
ITS_MEMORY = "rtrext.7.3.exrw-of-a-request-names-its-memory"
SEGMENTS = "rtrext.7.3.tbsn-names-the-segments"
OFFSET = "rtrext.7.3.tbsn-begins-at-the-offset"
NEXT = "rtrext.7.3.tbsn-goes-on-in-the-next-of-the-list"
DISPLACEMENT = "rtrext.7.3.displacement-of-an-item"
LENGTH = "rtrext.7.3.length-of-an-item"
LISTED = "rtrext.7.3.all-bulk-data-are-listed"
NOTHING = "rtrext.7.3.no-entry-means-nothing-taken-out"
MIXED = "rtrext.7.3.types-of-items-may-be-mixed"
AS_CHUNKS = "rtrext.7.3.exrw-items-are-as-chunks"

STORED: Final = 9001
"""Octets that need several transmissions, and padding in the stream."""

NO_TARGETS: Final = replace(TAKEN, structure=structure((1, 4096, False)))
"""What a server announces that fetches bulk data by explicit RDMA."""


@requirement(
    SEGMENTS,
    DISPLACEMENT,
    LENGTH,
    LISTED,
    role="requester",
    needs=("xmtreq",),
    interpretations=("D-103", "D-112"),
)
@pytest.mark.parametrize("length", [5000, STORED, 20000])
def test_requester_lists_what_it_has_placed(groups: GroupServer, length: int) -> None:
    """Items say where in the stream they belong, how long they are, and which targets have them."""
    act, call = groups.request(ActKind.WRITE, length)

    verify.calls.obey((call,), SEGMENTS)
    verify.calls.obey((call,), DISPLACEMENT, LENGTH, LISTED)
    verify.calls.stores(groups.service, (call,), length, (SEGMENTS, DISPLACEMENT, LENGTH))
    groups.finish(act, call, (SEGMENTS, DISPLACEMENT, LENGTH, LISTED))


@requirement(OFFSET, NEXT, role="requester", needs=("xmtreq",), interpretations=("D-103",))
@pytest.mark.parametrize("length", [5000, STORED])
def test_requester_goes_on_where_the_list_says(groups: GroupServer, length: int) -> None:
    """Bulk data begin at the offset of the first target of the list, and fill one after another."""
    act, call = groups.request(ActKind.WRITE, length)

    verify.calls.obey((call,), OFFSET, NEXT)
    verify.calls.stores(groups.service, (call,), length, (OFFSET, NEXT))
    groups.finish(act, call, (OFFSET, NEXT))


@requirement(ITS_MEMORY, AS_CHUNKS, role="requester", needs=("xmtreq",), interpretations=("D-95",))
@pytest.mark.parametrize("length", [5000, STORED])
def test_requester_offers_memory_where_there_are_no_targets(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """The server tells of no target: what is stored is in memory that can be read."""
    groups = GroupServer.of(service_two, client, NO_TARGETS)
    act, call = groups.request(ActKind.WRITE, length)

    verify.calls.obey((call,), ITS_MEMORY, AS_CHUNKS)
    verify.calls.stores(groups.service, (call,), length, (ITS_MEMORY, AS_CHUNKS))
    groups.finish(act, call, (ITS_MEMORY, AS_CHUNKS))


@requirement(AS_CHUNKS, role="requester", needs=("xmtreq",), interpretations=("D-105",))
@pytest.mark.parametrize("length", [6000, 6001])
def test_requester_finds_results_in_its_memory(groups: GroupServer, length: int) -> None:
    """A result was written to the memory of its direction: it is put back into the stream."""
    act, call = groups.request(ActKind.READ, length)

    groups.service.reply(call, groups.response(call, chooses_memory=True))

    groups.done(act, (AS_CHUNKS,), reading=length)


@requirement(BACK, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("length", [4500, 6001, STORED])
def test_requester_puts_results_back(groups: GroupServer, length: int) -> None:
    """A result that is in Sends comes to the application at its place in the stream."""
    act, call = groups.request(ActKind.READ, length)

    groups.service.reply(call, groups.response(call))

    groups.done(act, (BACK,), reading=length)


@requirement(MIXED, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("chooses_memory", [False, True])
def test_requester_takes_results_of_both_kinds(
    groups: GroupServer, *, chooses_memory: bool
) -> None:
    """Of two results of one RPC one is in Sends and the other in memory."""
    act, call = groups.request(ActKind.READ_TWO, 3000)
    mixed = groups.response(call, chooses_memory=chooses_memory, by_turns=True)

    groups.service.reply(call, mixed)

    groups.done(act, (MIXED,))


@requirement(OFFSET, NEXT, role="requester", needs=("xmtreq",), interpretations=("D-103",))
@pytest.mark.parametrize("offset", [4, 100, 1000])
@pytest.mark.parametrize("turned", [False, True])
def test_requester_follows_the_list_of_a_result(
    groups: GroupServer, offset: int, *, turned: bool
) -> None:
    """A result begins within its first target; the list goes up, or down."""
    act, call = groups.request(ActKind.READ, 4096)
    sends = groups.reserved(call)
    numbers = range(sends * len(groups.told.layout.targets))
    usable = groups.targets(4096 + offset, sends, [*reversed(numbers)] if turned else numbers)
    groups.require_offset(usable, offset)
    place = InTargetedSegments(offset, usable.xmdl_bsnum)

    groups.service.reply(call, groups.placed(call, place, sends))

    groups.done(act, (OFFSET, NEXT), reading=4096)


@requirement(NOTHING, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("length", [4500, 9000])
def test_requester_takes_a_response_without_items_as_it_is(
    groups: GroupServer, length: int
) -> None:
    """Nothing is listed in a response: its Payload stream is the Reply."""
    act, call = groups.request(ActKind.LONG_REPLY, length)

    groups.service.reply(call, groups.response(call))

    groups.done(act, (NOTHING,))
