"""RPC messages as the Sends of a group: what each header says."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.group_placement import located
from rpcrdma.endpoint.core.group_sends import Entry, group_sends, option_message
from rpcrdma.wire import RdmaSegment, v2
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    ByExplicitRdma,
    InTargetedSegments,
    MessageItem,
    NoItem,
    ReptErr,
    TransmissionId,
)
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.operations import (
    RTREXT,
    XmtCont,
    XmtReq,
    XmtResp,
    among,
    operation_of,
    operations_of,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.send_placement import BulkItem
from rpcrdma.wire.transmission import Assembler, Transmission
from tests.endpoint.groups import OCTETS, STRUCTURE
from tests.endpoint.lone_ends import option_of

LAYOUT = BufferLayout.of(STRUCTURE, OCTETS)
PLAIN = BufferLayout.of(None, OCTETS)
OPERATIONS = among([one.code for one in operations_of(RTREXT)])
PAYLOAD = bytes(range(256)) * 40
IN_MEMORY = MessageItem(40, 8, ByExplicitRdma((RdmaSegment(5, 8, 0),)))


def req(items: tuple[MessageItem, ...], count: int, length: int) -> XmtReq:
    return XmtReq(items, (), count, 3, length)


def sends(
    payload: bytes, *entries: Entry, layout: BufferLayout = LAYOUT, most: int = 16
) -> tuple[bytes, ...] | None:
    return group_sends(7, 9, payload, entries, req, layout, most)


def arrived(messages: tuple[bytes, ...] | None) -> Transmission:
    """The message that these Sends carry."""
    assert messages is not None
    assembler = Assembler(OPERATIONS)
    (found,) = (one for message in messages for one in assembler.take(message))
    assert isinstance(found, Transmission)
    return found


def test_payload_that_fits_goes_in_one_send() -> None:
    """rtrext 9.2."""
    found = sends(PAYLOAD[:400])

    assert found == (
        option_message(7, 9, MessageType.CALL, XmtReq((), (), 1, 3, 400)) + PAYLOAD[:400],
    )


def test_longer_payload_goes_on_in_continuations() -> None:
    """rtrext 4.2, 9.4; D-98 to D-100."""
    messages = sends(PAYLOAD, layout=PLAIN)
    assert messages is not None
    first, *later = (option_of(message) for message in messages)

    assert isinstance(first, XmtReq)
    assert first.optxrq_count == len(messages) == 3
    assert [(type(one), one.optxc_xnum, one.optxc_itype) for one in later] == [
        (XmtCont, 1, operation_of(first).code),
        (XmtCont, 2, operation_of(first).code),
    ]
    assert arrived(messages).octets.endswith(PAYLOAD)
    for message in messages:
        header = v2.decode_header(message)[0]
        assert (header.rdma_xid, header.rdma_credit) == (7, 9)
        assert header.rdma_body.rdma_optdir is MessageType.CALL
        assert len(message) <= OCTETS


def test_continuations_of_a_response_go_its_way() -> None:
    """D-78: rdma_optdir is that of what they continue."""
    messages = group_sends(7, 9, PAYLOAD, (), XmtResp, PLAIN, 16)
    assert messages is not None

    ways = {v2.decode_header(message)[0].rdma_body.rdma_optdir for message in messages}
    assert ways == {MessageType.REPLY}
    assert {one.optxc_itype for one in map(option_of, messages[1:])} == {6}


@pytest.mark.parametrize("most", [0, 1, 2])
def test_message_of_more_sends_than_are_allowed_is_none(most: int) -> None:
    """rtrext 8.4, 8.5."""
    assert sends(PAYLOAD, layout=PLAIN, most=most) is None
    assert sends(PAYLOAD, layout=PLAIN, most=3) is not None


def test_items_have_the_order_of_the_entries_and_their_data_are_found() -> None:
    """rtrext 7.3, D-105: what Sends place, what is in memory, and what is nowhere."""
    none = MessageItem(0, 0, NoItem())
    first, second = BulkItem(80, b"1" * 1500), BulkItem(60, b"2" * 700)
    found = sends(PAYLOAD[:600], first, IN_MEMORY, none, second)
    whole = arrived(found)
    contents = option_of(whole.parts[0])

    assert isinstance(contents, XmtReq)
    items = contents.optxrq_ddp
    assert [item.xmdmi_disp for item in items] == [80, 40, 0, 60]
    assert (items[1], items[2]) == (IN_MEMORY, none)
    assert all(isinstance(items[index].xmdmi_where, InTargetedSegments) for index in (0, 3))
    assert located(LAYOUT, items, whole) == (first.data, b"", b"", second.data)


def test_bulk_data_need_targets() -> None:
    """rtrext 5.3."""
    assert sends(PAYLOAD[:60], BulkItem(40, b"data"), layout=PLAIN) is None


def test_report_is_a_header_alone() -> None:
    """rtrext 9.1: no payload follows it."""
    report = ReptErr(TransmissionId(7, MessageType.CALL, 2), None, BadContinuation())
    message = option_message(7, 1, MessageType.REPLY, report)

    assert v2.decode_header(message)[1] == len(message)
    assert option_of(message) == report
