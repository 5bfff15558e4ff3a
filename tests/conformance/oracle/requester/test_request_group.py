"""A request in a group is read as a whole, its items where the Sends have them."""

from __future__ import annotations

import pytest

from conformance.groups.taken import TAKEN
from conformance.oracle.announced import NOTHING_TOLD
from conformance.oracle.requester.request_group import memory_of, read_request
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaMsg, RdmaSegment, ReadSegment, v2
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    MessageItem,
    ResponseDirection,
    ResponseItem,
    ResponseRange,
    ResponseSet,
)
from rpcrdma.wire.operations import XmtCont, XmtReq
from rpcrdma.wire.optional import UnknownOption, encode_option
from rpcrdma.wire.placed_items import PlacementFault
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import Transmission
from tests.conformance.oracle.requester.group_fakes import STORED, XID, request, stored

MEMORY = (RdmaSegment(1, 100, 0), RdmaSegment(2, 20, 8))


def test_the_octets_of_an_item_are_found_in_all_sends() -> None:
    group = stored()

    (data,) = group.placed((TAKEN,))

    assert group.arrived.sends == 2
    assert data == bytes(index % 251 for index in range(STORED))
    assert [type(one) for one in group.said] == [XmtReq, XmtCont]


def test_what_the_newest_announcement_does_not_allow_an_older_one_may() -> None:
    (data,) = stored().placed((TAKEN, NOTHING_TOLD))

    assert len(data) == STORED


def test_an_item_that_no_announcement_allows_is_a_fault() -> None:
    with pytest.raises(PlacementFault):
        stored().placed((NOTHING_TOLD,))


def test_without_any_announcement_there_is_nothing_to_go_by() -> None:
    with pytest.raises(ValueError, match="no layout"):
        stored().spans(())


def test_memory_to_be_read_is_a_read_list() -> None:
    item = MessageItem(40, 120, ByExplicitRdma(MEMORY))

    group = request(calls.null(XID), (item,))

    reads = tuple(ReadSegment(40, segment) for segment in MEMORY)
    assert group.header.rdma_body == RdmaMsg(reads, (), None)
    assert group.placed((TAKEN,)) == (b"",)


@pytest.mark.parametrize(
    ("direction", "memory"),
    [
        (DirectToExplicitRdma(MEMORY), MEMORY),
        (DirectByChoice(MEMORY), MEMORY),
        (DirectBySize(7, MEMORY), MEMORY),
        (DirectToSends(), ()),
    ],
)
def test_memory_of_a_direction(
    direction: ResponseDirection, memory: tuple[RdmaSegment, ...]
) -> None:
    sets = (ResponseSet(ResponseRange(0, 9), (ResponseItem(0, direction),)),)
    group = request(calls.null(XID), rsd=sets)

    assert memory_of(direction) == memory
    assert [chunk.target for chunk in group.offered] == [memory]


def optional(option: UnknownOption | XmtCont) -> bytes:
    body = encode_option(MessageType.CALL, option)
    return v2.encode_header(v2.Rdma2Header(XID, 2, 8, body))


@pytest.mark.parametrize(
    "octets",
    [
        calls.null(XID),
        b"short",
        optional(UnknownOption(5, b"what cannot be decoded..")),
        optional(XmtCont(1, 5, 0)),
        v2.encode_header(v2.Rdma2Header(XID, 2, 8, v2.Rdma2Error(v2.ErrBadHeader()))),
    ],
)
def test_whatever_else_comes_is_no_request(octets: bytes) -> None:
    assert read_request(Transmission.of_one(octets)) is None


def test_the_whole_of_a_group_is_the_first_header_and_all_payload() -> None:
    payload = calls.long_call(XID, bytes(9000))

    group = request(payload)

    assert group.payload == payload
    assert group.arrived.sends == 3
