"""Groups as data: good ones are what the codec assembles, and each word can be another."""

from __future__ import annotations

import pytest

from conformance.groups.draft import DoesNotFitError, GroupDraft, PlacedEntry, drafted
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
    ByExplicitRdma,
    InTargetedSegments,
    MessageItem,
)
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.operations import RTREXT, XmtCont, XmtReq, XmtResp, among, operations_of
from rpcrdma.wire.placed_items import gather, spans_of
from rpcrdma.wire.send_placement import BulkItem
from rpcrdma.wire.transmission import Assembler, BrokenGroup, Transmission

OPERATIONS = among({one.code for one in operations_of(RTREXT)})
STRUCTURE = BufferStructure(
    4096,
    (
        BufferSegmentGroup(1, BufferSegment(1024, 0, 0)),
        BufferSegmentGroup(3, BufferSegment(1024, 0, XMRSFLAG_DDP)),
    ),
)
LAYOUT = BufferLayout.of(STRUCTURE, 4096)
XID = 0x77
PAYLOAD = bytes(range(200))
MEMORY = MessageItem(40, 4, ByExplicitRdma((RdmaSegment(1, 4, 0),)))


def request(items: tuple[MessageItem, ...], count: int, length: int) -> XmtReq:
    return XmtReq(items, (), count, 1, length)


def response(items: tuple[MessageItem, ...], count: int, length: int) -> XmtResp:
    return XmtResp(items, count, length)


def assembled(group: GroupDraft) -> Transmission:
    assembler = Assembler(OPERATIONS)
    found = [one for message in group.messages for one in assembler.take(message.octets)]
    assert len(found) == 1
    assert isinstance(found[0], Transmission), found[0]
    return found[0]


def data_of(arrived: Transmission, items: tuple[MessageItem, ...]) -> list[bytes]:
    spans = spans_of(LAYOUT, items, [len(one) for one in arrived.parts], arrived.ends)
    return [gather(arrived.parts, places) for places in spans]


@pytest.mark.parametrize("begin", [request, response])
def test_a_group_that_is_filled_is_whole(begin: type[XmtReq]) -> None:
    bulk = BulkItem(44, bytes(3500))
    group = drafted(XID, PAYLOAD, (MEMORY, bulk), begin, LAYOUT, title="STORE")

    arrived = assembled(group)

    assert len(group.sends) == arrived.sends == 2
    assert arrived.octets.endswith(PAYLOAD)
    assert group.items[0] == MEMORY
    assert data_of(arrived, group.items) == [b"", bulk.data]
    assert str(group.messages[1]).startswith("STORE (2 of 2), xid 0x00000077")


def test_sizes_and_places_are_those_of_the_case() -> None:
    where = InTargetedSegments(16, (5, 0))
    data = bytes(range(250)) * 5
    group = drafted(
        XID, PAYLOAD, (PlacedEntry(40, data, where),), request, LAYOUT, sizes=(96, 0, 104)
    )

    arrived = assembled(group)

    assert [len(send.payload) for send in group.sends] == [96, 0, 104]
    assert arrived.octets.endswith(PAYLOAD)
    assert data_of(arrived, group.items) == [data]
    assert [send.contents for send in group.sends[1:]] == [XmtCont(1, 5, 0), XmtCont(2, 5, 104)]


def test_what_is_left_open_or_does_not_fit_is_refused() -> None:
    bulk = BulkItem(40, b"data")
    with pytest.raises(ValueError, match="places, too"):
        drafted(XID, PAYLOAD, (bulk,), request, LAYOUT, sizes=(200,))
    with pytest.raises(ValueError, match="cannot be cut"):
        drafted(XID, PAYLOAD, (), request, LAYOUT, sizes=(100,))
    placed = PlacedEntry(40, bytes(2000), InTargetedSegments(0, (0,)))
    with pytest.raises(ValueError, match="sizes, too"):
        drafted(XID, PAYLOAD, (placed,), request, LAYOUT)
    with pytest.raises(ValueError, match="976 octets are in no target"):
        drafted(XID, PAYLOAD, (placed,), request, LAYOUT, sizes=(200,))
    with pytest.raises(DoesNotFitError, match="200 octets with 4 octets of bulk data, in any"):
        drafted(XID, PAYLOAD, (bulk,), request, BufferLayout.of(None, 4096))


def test_words_change_and_are_told() -> None:
    group = drafted(XID, PAYLOAD, (), request, LAYOUT, sizes=(100, 60, 40))

    odd = group.with_contents(1, optxc_xnum=7).with_send(2, xid=0x99)

    assert odd.sends[1].contents == XmtCont(7, 5, 60)
    assert [message.xid for message in odd.messages] == [XID, XID, 0x99]
    assert [str(change) for change in odd.mutations] == [
        "optxc_xnum of transmission 1 7 instead of 1",
        "xid of transmission 2 153 instead of 119",
    ]
    assembler = Assembler(OPERATIONS)
    broken = [one for message in odd.messages for one in assembler.take(message.octets)]
    assert isinstance(broken[0], BrokenGroup)


def test_sends_are_left_out_doubled_and_in_disorder() -> None:
    group = drafted(XID, PAYLOAD, (), response, LAYOUT, sizes=(100, 60, 40))

    odd = group.in_order(0, 2, 2)

    assert odd.sends == (group.sends[0], group.sends[2], group.sends[2])
    assert str(odd.mutations[0]) == "the order of transmissions 0, 2, 2 instead of 0, 1, 2"


def test_items_are_told_wrongly_and_data_stay_where_they_are() -> None:
    bulk = BulkItem(44, bytes(range(64)) * 20)
    group = drafted(XID, PAYLOAD, (bulk,), request, LAYOUT)
    data = {piece.start for piece in group.sends[0].bulk}

    odd = group.with_targets(0, numbers=(2, 1, 0), offset=8).with_item(0, xmdmi_disp=48)

    assert odd.items[0] == MessageItem(48, 1280, InTargetedSegments(8, (2, 1, 0)))
    assert {piece.start for piece in odd.sends[0].bulk} == data
    assert odd.sends[0].octets.endswith(bulk.data)
    with pytest.raises(TypeError, match="in no target"):
        group.with_items((MEMORY,)).with_targets(0, offset=4)


def test_header_and_payload_come_first() -> None:
    where = InTargetedSegments(0, (0,))
    group = drafted(
        XID, bytes(1200), (PlacedEntry(0, b"\1" * 1024, where),), request, LAYOUT, sizes=(1200,)
    )
    front = len(group.sends[0].header) + 1200

    assert group.sends[0].octets[front - 1 : front + 1] == b"\0\1"
    assert len(group.sends[0].octets) == 2048


def test_contents_that_are_octets_go_out_as_they_are() -> None:
    group = drafted(XID, b"", (), request, LAYOUT).with_send(0, contents=b"odd!", operation=99)

    assert group.messages[0].octets[20:] == b"\0\0\0\x63\0\0\0\4odd!"
    assert group.items == ()
    with pytest.raises(TypeError, match="octets in place of contents"):
        group.with_contents(0, optxrq_count=2)


def test_another_target_may_be_told_of_the_end_of_an_item() -> None:
    group = drafted(XID, PAYLOAD, (BulkItem(40, bytes(2000)),), request, LAYOUT)

    (item,) = group.with_last_target(0, 99).items

    assert item.xmdmi_where == InTargetedSegments(0, (0, 99))
    with pytest.raises(TypeError, match="in no target segment"):
        group.with_items((MEMORY,)).with_last_target(0, 99)
