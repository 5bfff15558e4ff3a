"""How a Responder says what is wrong with a request that came as a group."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    BadOffset,
    BadTargetSegment,
    ErrorInformation,
    InTargetedSegments,
    MessageItem,
    ReptErr,
    TransmissionId,
)
from rpcrdma.wire.rpc import MessageType
from tests.endpoint.groups import BARE, BULKY, announced
from tests.endpoint.lone_ends import LoneResponder, option_of, plain_reply, request

STORE = calls.store(7, b"four")


def placed(*numbers: int, offset: int = 0) -> bytes:
    """A request to store what one Send holds in these target segments."""
    items = [MessageItem(44, 4, InTargetedSegments(offset, numbers))]
    header = len(request(7, STORE[:44], items))
    return request(7, STORE[:44], items, rest=bytes(1024 - header) + b"four")


@pytest.mark.parametrize(
    ("message", "info"),
    [
        (placed(3), BadTargetSegment(3, 0, 2)),
        (placed(1), BadTargetSegment(1, 1, 0)),
        (placed(0, offset=1024), BadOffset(1024, 0, 1023)),
    ],
)
def test_bad_placement_is_reported_and_its_receive_posted_again(
    message: bytes, info: ErrorInformation
) -> None:
    """rtrext 9.5: under the XID of the request, the way of Replies (D-110)."""
    end = LoneResponder(BULKY, BULKY)
    (report,) = end.hears(message)

    body = v2.decode_header(report)[0]
    assert (body.rdma_xid, body.rdma_body.rdma_optdir) == (7, MessageType.REPLY)
    assert option_of(report) == ReptErr(TransmissionId(7, MessageType.CALL, 0), None, info)
    assert end.posted == 1
    assert end.hears(placed(0)) == [plain_reply(7, calls.expected_reply(STORE))]


def test_report_that_the_peer_has_no_room_for_ends_the_connection() -> None:
    """D-142: of an error as of what it is about."""
    end = LoneResponder(BULKY, BULKY)
    end.responder.heed(TWO.number, 56, announced(BARE))

    assert end.hears(placed(3)) == []
    assert end.closed
