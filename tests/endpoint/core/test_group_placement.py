"""Where the Sends of a group hold bulk data, and what is reported of those that they do not."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.group_placement import PlacementFound, located
from rpcrdma.wire._generated_rtrext import (
    BadOffset,
    BadTargetSegment,
    ByExplicitRdma,
    InTargetedSegments,
    MessageItem,
    NoItem,
    ReptErr,
    TransmissionId,
)
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import Transmission
from tests.endpoint.groups import OCTETS, STRUCTURE

LAYOUT = BufferLayout.of(STRUCTURE, OCTETS)
FIRST = bytes(1024) + b"one." + bytes(1020) + b"two."
SECOND = bytes(1024) + b"then"
ARRIVED = Transmission((FIRST, SECOND), b"", (100, 40))


def item(length: int, *numbers: int, offset: int = 0) -> MessageItem:
    return MessageItem(40, length, InTargetedSegments(offset, numbers))


def test_items_are_found_in_the_sends_of_the_group() -> None:
    """rtrext 6.2: segments are numbered through all of its buffers, filled or not."""
    items = [item(4, 1), MessageItem(0, 0, NoItem()), item(4, 3), item(2, 0, offset=1)]

    assert located(LAYOUT, items, ARRIVED) == (b"two.", b"", b"then", b"ne")


def test_item_in_memory_is_in_no_send() -> None:
    """rtrext 7.3."""
    assert located(LAYOUT, [MessageItem(40, 4, ByExplicitRdma(()))], ARRIVED) == (b"",)


@pytest.mark.parametrize(
    ("bad", "report"),
    [
        (
            item(4, 6),
            ReptErr(TransmissionId(7, MessageType.CALL, 0), None, BadTargetSegment(6, 0, 5)),
        ),
        (
            item(4, 0, offset=1024),
            ReptErr(TransmissionId(7, MessageType.CALL, 0), None, BadOffset(1024, 0, 1023)),
        ),
        (
            item(4, 5),
            ReptErr(
                TransmissionId(7, MessageType.CALL, 1),
                TransmissionId(7, MessageType.CALL, 0),
                BadTargetSegment(5, 0, 2),
            ),
        ),
    ],
)
def test_report_names_the_send_and_the_first_of_its_group(
    bad: MessageItem, report: ReptErr
) -> None:
    """rtrext 9.5: what is wrong there follows from what the first one says."""
    with pytest.raises(PlacementFound) as caught:
        located(LAYOUT, [bad], ARRIVED)

    assert caught.value.fault is Fault.BAD_PLACEMENT
    assert caught.value.report(7, MessageType.CALL) == report


@pytest.mark.parametrize("items", [[item(4, 0), item(4, 0)], [item(2000, 0)], [item(4, 0, 1)]])
def test_faults_without_a_code_are_found_all_the_same(items: list[MessageItem]) -> None:
    """D-106: two items in one place, a list that is too short, and one that is too long."""
    with pytest.raises(FaultFound) as caught:
        located(LAYOUT, items, ARRIVED)

    assert caught.value.fault in (Fault.ITEMS_OVERLAP, Fault.BAD_PLACEMENT)
