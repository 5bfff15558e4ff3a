"""How results are placed by their directions: which ones, how, and in how many transmissions."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.group_reply import GroupReplies, PlaceableResult, PlannedGroup
from rpcrdma.endpoint.responder.group_rules import IncomingGroup
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    InTargetedSegments,
    NoItem,
    ResponseDirection,
    ResponseItem,
    ResponseRange,
    ResponseSet,
    TooShort,
    XmtResp,
)
from rpcrdma.wire.buffers import BufferLayout
from tests.endpoint.groups import OCTETS, STRUCTURE
from tests.endpoint.lone_ends import option_of

WHOLE = ResponseRange(0, 2**32 - 1)
LAYOUT = BufferLayout.of(STRUCTURE, OCTETS)
WITHOUT_TARGETS = BufferLayout.of(None, OCTETS)
ROOM = (RdmaSegment(5, 600, 64), RdmaSegment(6, 400, 0))
MEMORY, CHOICE = DirectToExplicitRdma(ROOM), DirectByChoice(ROOM)
SENDS = DirectToSends()
HEAD = 40
"""Octets of the reply before its first result."""


def reply_of(*lengths: int) -> tuple[bytes, list[DataItem]]:
    """A reply with results of these lengths, and where they are."""
    items, octets = [], bytes(HEAD)
    for number, length in enumerate(lengths, start=1):
        items.append(DataItem(len(octets), length))
        octets += bytes([number]) * length + bytes(-length % 4)
    return octets, items


def respond(
    group: IncomingGroup,
    *lengths: int,
    origins: tuple[int, ...] = (),
    layout: BufferLayout = LAYOUT,
    limit: int = 16,
) -> PlannedGroup:
    """The response to a request with results of these lengths."""
    reply, items = reply_of(*lengths)
    where = origins or (0,) * len(items)
    results = [PlaceableResult(origin, item) for origin, item in zip(where, items, strict=True)]
    return GroupReplies(ReplyRules(), limit).plan(7, 32, group, reply, results, layout)


def directed(*directions: ResponseDirection, shortest: int = 0, most: int = 1) -> IncomingGroup:
    """A request with directions for all of its results."""
    items = tuple(ResponseItem(shortest, direction) for direction in directions)
    return IncomingGroup((), (ResponseSet(WHOLE, items),), most)


def contents_of(planned: PlannedGroup) -> XmtResp:
    contents = option_of(planned.sends[0])
    assert isinstance(contents, XmtResp)
    return contents


def ways(planned: PlannedGroup) -> list[type]:
    """What became of each direction."""
    return [type(item.xmdmi_where) for item in contents_of(planned).optxrs_ddp]


def test_result_goes_into_the_memory_of_its_direction_segment_by_segment() -> None:
    """rtrext 7.4, D-105: the lengths of what was written are told."""
    planned = respond(directed(MEMORY), 701)
    (item,) = contents_of(planned).optxrs_ddp
    (write,) = planned.placements

    assert (item.xmdmi_disp, item.xmdmi_length) == (HEAD, 701)
    returned = (RdmaSegment(5, 600, 64), RdmaSegment(6, 101, 0))
    assert item.xmdmi_where == ByExplicitRdma(returned)
    assert write.data == b"\1" * 701
    moved = [(one.handle, one.offset, one.length) for one in write.schedule]
    assert moved == [(5, 64, 600), (6, 0, 101)]
    assert len(planned.sends) == 1


def test_result_directed_to_sends_is_in_a_target_segment() -> None:
    """rtrext 7.4: which one is for the Responder to choose."""
    planned = respond(directed(SENDS), 701)
    (item,) = contents_of(planned).optxrs_ddp

    assert item.xmdmi_where == InTargetedSegments(0, (0,))
    assert planned.sends[0][1024:] == b"\1" * 701
    assert planned.placements == ()


@pytest.mark.parametrize(
    ("length", "way"), [(499, InTargetedSegments), (500, InTargetedSegments), (501, ByExplicitRdma)]
)
def test_longer_results_go_by_explicit_rdma_where_the_size_decides(length: int, way: type) -> None:
    """rtrext 7.4, D-104: below, at and above the length that is told."""
    assert ways(respond(directed(DirectBySize(500, ROOM)), length)) == [way]


def test_choice_goes_by_sends_where_there_is_room() -> None:
    """rtrext 6.2."""
    assert ways(respond(directed(CHOICE), 701)) == [InTargetedSegments]


def test_choice_goes_into_memory_where_a_send_has_no_room_for_it() -> None:
    """rtrext 4.3: that makes the message shorter."""
    assert ways(respond(directed(CHOICE, SENDS), 900, 2500)) == [ByExplicitRdma, InTargetedSegments]


def test_choice_goes_into_memory_where_there_is_no_target() -> None:
    """rtrext 5.3."""
    assert ways(respond(directed(CHOICE), 900, layout=WITHOUT_TARGETS)) == [ByExplicitRdma]


@pytest.mark.parametrize(
    ("direction", "way"),
    [(MEMORY, ByExplicitRdma), (SENDS, InTargetedSegments), (CHOICE, InTargetedSegments)],
)
@pytest.mark.parametrize(("length", "is_short"), [(99, True), (100, False), (101, False)])
def test_result_below_the_least_length_stays_and_uses_its_direction_up(
    direction: ResponseDirection, way: type, length: int, *, is_short: bool
) -> None:
    """rtrext 7.4: the next result has the next direction."""
    planned = respond(directed(direction, SENDS, shortest=100), length, 200)
    first, second = contents_of(planned).optxrs_ddp

    assert isinstance(first.xmdmi_where, TooShort if is_short else way)
    assert (first.xmdmi_disp, first.xmdmi_length) == (HEAD, length)  # D-105
    assert isinstance(second.xmdmi_where, InTargetedSegments)
    assert len(planned.placements) == (way is ByExplicitRdma and not is_short)
    assert (b"\1" * length in planned.sends[0][:1024]) is is_short


def test_direction_without_a_result_is_left_over() -> None:
    """rtrext 7.4, D-105: whichever way it is."""
    planned = respond(directed(SENDS, MEMORY, SENDS, CHOICE), 50)

    assert ways(planned) == [InTargetedSegments, NoItem, NoItem, NoItem]
    for item in contents_of(planned).optxrs_ddp[1:]:
        assert (item.xmdmi_disp, item.xmdmi_length) == (0, 0)


def test_result_without_a_direction_stays_in_the_payload() -> None:
    """rtrext 7.4: of three results one is directed."""
    planned = respond(directed(MEMORY), 50, 60, 70)

    assert ways(planned) == [ByExplicitRdma]
    assert b"\2" * 60 + b"\3" * 70 in planned.sends[0]


def test_result_without_octets_is_placed_all_the_same() -> None:
    """It is no shorter than the least length; nothing is written."""
    planned = respond(directed(MEMORY, SENDS), 0, 0)

    assert ways(planned) == [ByExplicitRdma, InTargetedSegments]
    assert all(not write.schedule for write in planned.placements)


# -- ranges

FIRST, SECOND = ResponseRange(40, 80), ResponseRange(80, 120)


def in_ranges(*ranges: ResponseRange) -> IncomingGroup:
    """A request with a direction to Sends for each range."""
    items = (ResponseItem(0, SENDS),)
    return IncomingGroup((), tuple(ResponseSet(one, items) for one in ranges), 1)


@pytest.mark.parametrize(
    ("origin", "found"),
    [(36, None), (40, 0), (76, 0), (80, 1), (116, 1), (120, None)],
)
def test_direction_holds_for_operations_that_begin_in_its_range(
    origin: int, found: int | None
) -> None:
    """rtrext 7.4, D-115: the end is not in it."""
    placed = ways(respond(in_ranges(FIRST, SECOND), 50, origins=(origin,)))

    expected = [NoItem, NoItem]
    if found is not None:
        expected[found] = InTargetedSegments
    assert placed == expected


def test_each_range_has_its_own_directions() -> None:
    """Of two results of the second operation one is directed, of the first none is there."""
    planned = respond(in_ranges(FIRST, SECOND), 50, 60, origins=(80, 80))
    first, second = contents_of(planned).optxrs_ddp

    assert isinstance(first.xmdmi_where, NoItem)
    assert (second.xmdmi_disp, second.xmdmi_length) == (HEAD, 50)


@pytest.mark.parametrize("at", [0, 40])
def test_empty_range_matches_nothing(at: int) -> None:
    """D-115."""
    assert ways(respond(in_ranges(ResponseRange(at, at)), 50, origins=(at,))) == [NoItem]


# -- what does not fit


@pytest.mark.parametrize(("told", "limit"), [(3, 16), (16, 3), (16, 2), (2, 16), (1, 16)])
def test_response_never_has_more_transmissions_than_were_told_or_than_are_sent(
    told: int, limit: int
) -> None:
    """rtrext 5.2, 8.5, D-97: of 9000 octets it takes three."""
    group = IncomingGroup((), (), told)
    if min(told, limit) < 3:
        with pytest.raises(FaultFound) as caught:
            respond(group, 9000, limit=limit)
        assert caught.value.fault is Fault.REPLY_CHUNK_MISSING
    else:
        planned = respond(group, 9000, limit=limit)
        assert len(planned.sends) == contents_of(planned).optxrs_count == 3


@pytest.mark.parametrize("direction", [MEMORY, DirectBySize(500, ROOM)])
def test_result_that_is_longer_than_its_memory_is_a_fault(direction: ResponseDirection) -> None:
    """rfc8166 8.1.4."""
    with pytest.raises(FaultFound) as caught:
        respond(directed(direction), 1001)
    assert caught.value.fault is Fault.WRITE_CHUNK_TOO_SHORT


def test_result_for_which_there_is_no_target_is_a_fault() -> None:
    """rtrext 5.3: who directs to Sends shows targets."""
    with pytest.raises(FaultFound) as caught:
        respond(directed(SENDS), 50, layout=WITHOUT_TARGETS)
    assert caught.value.fault is Fault.WRITE_CHUNK_TOO_SHORT
