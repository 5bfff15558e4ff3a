"""How requests that come as groups are judged: what is refused, and what only looks odd."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.group_bodies import as_message
from rpcrdma.endpoint.core.group_placement import PlacementFound
from rpcrdma.endpoint.responder.group_rules import GroupRules, IncomingGroup, PlacedItem
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import (
    BadTargetSegment,
    ByExplicitRdma,
    InTargetedSegments,
    MessageItem,
    NoItem,
    ResponseRange,
    ResponseSet,
    TooShort,
    XmtReq,
    XmtResp,
)
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import Transmission
from tests.endpoint.groups import OCTETS, STRUCTURE

LAYOUT = BufferLayout.of(STRUCTURE, OCTETS)
STREAM = 100
BULK = b"bulk" * 10
SEND = bytes(1024) + BULK
PLAIN = XmtReq((), (), 1, 0, STREAM)


def take(contents: XmtReq | XmtResp, sends: int = 1) -> IncomingGroup:
    """What the rules make of a request, whose first Send has data in its first target."""
    parts = (SEND,) + (bytes(STREAM),) * (sends - 1)
    arrived = Transmission(parts, bytes(STREAM), (STREAM,) * sends)
    message = as_message(contents)
    return GroupRules(LAYOUT, 3).take(message, arrived, STREAM)


def fault_of(contents: XmtReq | XmtResp, sends: int = 1) -> Fault:
    with pytest.raises(FaultFound) as caught:
        take(contents, sends)
    return caught.value.fault


def memory(position: int, length: int, *segments: int) -> MessageItem:
    """An item in memory, in segments of these lengths."""
    there = tuple(RdmaSegment(1, octets, 0) for octets in segments)
    return MessageItem(position, length, ByExplicitRdma(there))


def sent(position: int, length: int, *numbers: int) -> MessageItem:
    """An item in target segments of these numbers."""
    return MessageItem(position, length, InTargetedSegments(0, numbers))


def ranges(*pairs: tuple[int, int]) -> XmtReq:
    """A request with directions for these ranges."""
    sets = tuple(ResponseSet(ResponseRange(*pair), ()) for pair in pairs)
    return replace(PLAIN, optxrq_rsd=sets)


@pytest.mark.parametrize(("told", "sends"), [(0, 1), (2, 1), (1, 2), (4, 4), (65, 1)])
def test_group_has_as_many_transmissions_as_it_says_and_not_too_many(told: int, sends: int) -> None:
    """rtrext 8.4, 9.2; D-98: the count includes the first, so 0 is none."""
    assert fault_of(replace(PLAIN, optxrq_count=told), sends) is Fault.GROUP_COUNT


def test_longest_request_that_is_told_is_taken() -> None:
    """rtrext 8.4."""
    assert take(replace(PLAIN, optxrq_count=3), 3) == IncomingGroup()


@pytest.mark.parametrize(("told", "most"), [(0, 1), (1, 1), (5, 5)])
def test_number_of_response_transmissions_is_at_least_one(told: int, most: int) -> None:
    """D-97."""
    assert take(replace(PLAIN, optxrq_rsbuf=told)).most == most


def test_response_is_no_request() -> None:
    """rtrext 9.3."""
    assert fault_of(XmtResp((), 1, STREAM)) is Fault.NOT_A_CALL


@pytest.mark.parametrize("where", [TooShort(), NoItem()])
def test_items_of_a_request_are_somewhere(where: TooShort | NoItem) -> None:
    """rtrext 6.2, table 1."""
    items = (MessageItem(40, 4, where),)
    assert fault_of(replace(PLAIN, optxrq_ddp=items)) is Fault.ITEM_TYPE


@pytest.mark.parametrize("segments", [(6,), (8,), (2, 4), (4, 4), (6, 0)])
def test_memory_is_as_long_as_its_item_or_rounded_up(segments: tuple[int, ...]) -> None:
    """rtrext 7.3, D-24: as Read chunks are."""
    assert take(replace(PLAIN, optxrq_ddp=(memory(40, 6, *segments),))) == IncomingGroup()


@pytest.mark.parametrize("segments", [(), (5,), (7,), (9,), (6, 6)])
def test_memory_of_another_length_than_its_item_is_refused(segments: tuple[int, ...]) -> None:
    """rtrext 7.3: the length of an item is what xmdmi_length says."""
    items = (memory(40, 6, *segments),)
    assert fault_of(replace(PLAIN, optxrq_ddp=items)) is Fault.ITEM_LENGTH


@pytest.mark.parametrize(
    "items",
    [
        (memory(40, 8, 8), memory(44, 4, 4)),
        (memory(40, 5, 5), memory(44, 4, 4)),  # the padding of the first
        (memory(40, 4, 4), memory(40, 4, 4)),
        (memory(44, 4, 4), memory(40, 8, 8)),
        (memory(STREAM + 4, 4, 4),),
        (memory(40, 8, 8), memory(STREAM + 12, 4, 4)),
        (memory(0, 100, 100), memory(40, 4, 4)),
    ],
)
def test_items_that_share_octets_or_lie_beyond_the_stream_are_refused(
    items: tuple[MessageItem, ...],
) -> None:
    """rtrext 7.3, D-106."""
    assert fault_of(replace(PLAIN, optxrq_ddp=items)) is Fault.ITEMS_OVERLAP


@pytest.mark.parametrize(
    "items",
    [
        (memory(40, 5, 5), memory(48, 4, 4)),
        (memory(48, 4, 4), memory(40, 8, 8)),  # no order is asked for
        (memory(STREAM, 4, 4),),  # the last item of the stream
        (memory(40, 8, 8), memory(STREAM + 8, 4, 4)),
        (memory(40, 0), memory(40, 4, 4)),
        (memory(0, 100, 100),),
    ],
)
def test_items_may_meet_and_end_the_stream(items: tuple[MessageItem, ...]) -> None:
    """rtrext 6.2: displacements are in the stream that still has all items."""
    assert take(replace(PLAIN, optxrq_ddp=items)) == IncomingGroup()


@pytest.mark.parametrize(
    "contents",
    [
        ranges((40, 39)),
        ranges((0, 41), (40, 80)),
        ranges((40, 80), (0, 40)),
        ranges((0, 9), (4, 4)),
    ],
)
def test_ranges_that_overlap_or_descend_are_refused(contents: XmtReq) -> None:
    """rtrext 7.4."""
    assert fault_of(contents) is Fault.RESPONSE_RANGES


@pytest.mark.parametrize(
    "contents", [ranges((0, 40), (40, 80)), ranges((40, 40)), ranges((0, 2**32 - 1)), ranges()]
)
def test_ranges_may_meet_and_be_empty(contents: XmtReq) -> None:
    """D-115."""
    assert take(contents).directions == contents.optxrq_rsd


def test_items_in_sends_come_by_ascending_displacement() -> None:
    """Whatever the order of their entries; those in memory are Read chunks."""
    items = (sent(48, 4, 1), memory(44, 4, 4), sent(40, 4, 0))
    parts = (bytes(1024) + b"low." + bytes(1020) + b"high",)
    arrived = Transmission(parts, bytes(STREAM), (STREAM,))
    message = as_message(replace(PLAIN, optxrq_ddp=items))

    group = GroupRules(LAYOUT, 1).take(message, arrived, STREAM)
    assert group.placed == (PlacedItem(40, b"low."), PlacedItem(48, b"high"))


def test_bulk_data_that_cannot_be_where_they_should_are_reported() -> None:
    """rtrext 9.5: which Send, and which values are right."""
    with pytest.raises(PlacementFound) as caught:
        take(replace(PLAIN, optxrq_ddp=(sent(40, 4, 3),)))

    report = caught.value.report(7, MessageType.CALL)
    assert report.optre_info == BadTargetSegment(3, 0, 2)
    assert (report.optre_bad.xmsi_seq, report.optre_lead) == (0, None)


def test_items_that_share_octets_of_a_send_are_refused_without_a_report() -> None:
    """D-106, D-118: no code of an error report is about two items."""
    items = (sent(40, 4, 0), sent(44, 4, 0))
    assert fault_of(replace(PLAIN, optxrq_ddp=items)) is Fault.ITEMS_OVERLAP
