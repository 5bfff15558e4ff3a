"""How responses that came as groups are judged and put together: all of table 2, to begin with."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.group_bodies import GroupedMsg, as_message
from rpcrdma.endpoint.core.group_placement import PlacementFound
from rpcrdma.endpoint.requester.group_plan import Direction, Response
from rpcrdma.endpoint.requester.group_reply import put_back, take_group, written
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.bindings import reduce
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaSegment, WriteChunk
from rpcrdma.wire._generated_rtrext import (
    BadTargetSegment,
    ByExplicitRdma,
    InTargetedSegments,
    MessageItem,
    NoItem,
    PlacementType,
    TooShort,
    XmtResp,
)
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import Transmission
from tests.endpoint.groups import OCTETS, STRUCTURE

LAYOUT = BufferLayout.of(STRUCTURE, OCTETS)
EXRW, TBSN, CHOICE, BYSIZE = (
    PlacementType.XMDTYPE_EXRW,
    PlacementType.XMDTYPE_TBSN,
    PlacementType.XMDTYPE_CHOICE,
    PlacementType.XMDTYPE_BYSIZE,
)
MEMORY = WriteChunk((RdmaSegment(5, 8, 64), RdmaSegment(6, 8, 0)))
DATA = b"bulk"
SEND = bytes(1024) + DATA

ANSWERS = {
    "EXRW": MessageItem(40, 4, ByExplicitRdma((RdmaSegment(5, 4, 64), RdmaSegment(6, 0, 0)))),
    "TBSN": MessageItem(40, 4, InTargetedSegments(0, (0,))),
    "TOOSHORT": MessageItem(40, 4, TooShort()),
    "NOITEM": MessageItem(0, 0, NoItem()),
}
TABLE_2 = {
    (direction, answer): answer not in invalid
    for direction, invalid in ((EXRW, ["TBSN"]), (TBSN, ["EXRW"]), (CHOICE, []), (BYSIZE, []))
    for answer in ANSWERS
}
"""Whether an answer to a direction is valid."""


def take(
    kind: PlacementType, *items: MessageItem, sends: int = 1, count: int = 1, reserved: int = 0
) -> tuple[bytes, ...]:
    """What is taken of a response to one direction."""
    memory = WriteChunk(()) if kind is TBSN else MEMORY
    directions = (Direction(kind, tuple(segment.length for segment in memory.target)),)
    parts = (SEND,) * sends
    arrived = Transmission(parts, b"", (100,) * sends)
    response = Response(directions, reserved, reserved)
    return take_group(response, (memory,), XmtResp(items, count, 60), arrived, LAYOUT)


def fault_of(kind: PlacementType, *items: MessageItem, **counts: int) -> Fault:
    with pytest.raises(FaultFound) as caught:
        take(kind, *items, **counts)
    return caught.value.fault


@pytest.mark.parametrize(("kind", "answer"), TABLE_2)
def test_direction_is_answered_as_table_2_allows(kind: PlacementType, answer: str) -> None:
    """rtrext 7.4."""
    item = ANSWERS[answer]
    if TABLE_2[kind, answer]:
        assert take(kind, item) == (DATA if answer == "TBSN" else b"",)
    else:
        assert fault_of(kind, item) is Fault.RESPONSE_ITEMS


@pytest.mark.parametrize("items", [(), (ANSWERS["NOITEM"],) * 2])
def test_each_direction_has_one_answer(items: tuple[MessageItem, ...]) -> None:
    """rtrext 7.4, D-105."""
    assert fault_of(CHOICE, *items) is Fault.RESPONSE_ITEMS


RETURNED = {
    "another handle": (RdmaSegment(4, 4, 64), RdmaSegment(6, 0, 0)),
    "another offset": (RdmaSegment(5, 4, 0), RdmaSegment(6, 0, 0)),
    "a segment less": (RdmaSegment(5, 4, 64),),
    "a segment more": (RdmaSegment(5, 4, 64), RdmaSegment(6, 0, 0), RdmaSegment(7, 0, 0)),
    "more than there is room for": (RdmaSegment(5, 9, 64), RdmaSegment(6, 0, 0)),
    "more than the item has": (RdmaSegment(5, 4, 64), RdmaSegment(6, 1, 0)),
    "less than the item has": (RdmaSegment(5, 3, 64), RdmaSegment(6, 0, 0)),
}


@pytest.mark.parametrize("segments", RETURNED.values(), ids=RETURNED)
def test_memory_is_returned_as_it_was_offered(segments: tuple[RdmaSegment, ...]) -> None:
    """D-105: as in a Write chunk, with the lengths of what was written."""
    item = MessageItem(40, 4, ByExplicitRdma(segments))
    assert fault_of(EXRW, item) is Fault.RETURNED_CHUNKS


@pytest.mark.parametrize(("count", "sends"), [(0, 1), (2, 1), (1, 2), (4, 4)])
def test_response_has_as_many_transmissions_as_it_says_within_the_reserve(
    count: int, sends: int
) -> None:
    """rtrext 5.2, 9.3; D-97: here two Receives are reserved beside the first."""
    fault = fault_of(CHOICE, ANSWERS["NOITEM"], count=count, sends=sends, reserved=2)
    assert fault is Fault.RESPONSE_GROUP
    assert take(CHOICE, ANSWERS["NOITEM"], count=3, sends=3, reserved=2) == (b"",)


def test_result_that_no_target_segment_can_hold_is_reported() -> None:
    """rtrext 5.4, 9.5."""
    with pytest.raises(PlacementFound) as caught:
        take(CHOICE, MessageItem(40, 4, InTargetedSegments(0, (7,))))

    report = caught.value.report(7, MessageType.REPLY)
    assert report.optre_info == BadTargetSegment(7, 0, 2)
    assert report.optre_bad.xmsi_dir is MessageType.REPLY


def test_results_in_one_place_end_the_call() -> None:
    """D-118: no error report is about two items."""
    directions = (Direction(TBSN),) * 2
    arrived = Transmission((SEND,), b"", (100,))
    contents = XmtResp((ANSWERS["TBSN"],) * 2, 1, 60)
    with pytest.raises(FaultFound) as caught:
        take_group(Response(directions), (WriteChunk(()),) * 2, contents, arrived, LAYOUT)

    assert caught.value.fault is Fault.ITEMS_OVERLAP


def test_lengths_that_were_written_are_those_of_the_memory_that_was_used() -> None:
    """Whatever other directions were answered by has none."""
    message = as_message(XmtResp(tuple(ANSWERS.values()), 1, 0))
    assert isinstance(message, GroupedMsg)

    assert written(message) == ((4, 0), (), (), ())


# -- put together

CALL = calls.fetch_two(7, 600, 401)
REPLY = calls.expected_reply(CALL)
LAYER = TestProgram()
FIRST, SECOND = (item for item in LAYER.results(CALL, REPLY) if item is not None)
KEPT, BOTH = reduce(REPLY, (FIRST, SECOND))


def placed(position: int, data: bytes) -> MessageItem:
    return MessageItem(position, len(data), InTargetedSegments(0, (0,)))


def together(payload: bytes, *items: MessageItem, data: tuple[bytes, ...]) -> bytes:
    return put_back(CALL, payload, items, data, LAYER)


def test_results_are_put_back_by_their_displacements() -> None:
    """rtrext 7.3: in whatever order they were directed."""
    first, second = placed(FIRST.position, BOTH[0]), placed(SECOND.position, BOTH[1])

    assert together(KEPT, first, second, data=BOTH) == REPLY
    assert together(KEPT, second, first, data=BOTH[::-1]) == REPLY


@pytest.mark.parametrize("answer", ["TOOSHORT", "NOITEM"])
def test_result_that_was_not_placed_is_in_the_payload(answer: str) -> None:
    """D-105: displacement and length of its entry are not looked at."""
    kept, (data,) = reduce(REPLY, (SECOND,))
    entry = placed(SECOND.position, data)

    assert together(kept, ANSWERS[answer], entry, data=(b"", data)) == REPLY


@pytest.mark.parametrize(
    ("position", "data"),
    [
        (FIRST.position - 4, BOTH[0]),
        (FIRST.position, BOTH[0][:-4]),
        (FIRST.position, BOTH[0] + bytes(4)),
        (2**32 - 4, BOTH[0]),
        (0, BOTH[0]),
    ],
)
def test_what_is_no_eligible_result_ends_the_call(position: int, data: bytes) -> None:
    """rfc8166 6.1; also what makes no reply of the octets, or lies beyond it."""
    kept, _ = reduce(REPLY, (FIRST,))
    with pytest.raises(FaultFound) as caught:
        together(kept, placed(position, data), data=(data,))

    assert caught.value.fault in (Fault.INELIGIBLE_RESULT, Fault.UNDECODABLE_REPLY)


def test_valid_reply_may_have_no_item_that_is_not_eligible() -> None:
    """rfc8166 6.1: the text of LONG_REPLY belongs to the Payload stream."""
    call = calls.long_reply(7, 600)
    reply = calls.expected_reply(call)
    with pytest.raises(FaultFound) as caught:
        put_back(
            call, reply[:-600], (placed(len(reply) - 600, reply[-600:]),), (reply[-600:],), LAYER
        )

    assert caught.value.fault is Fault.INELIGIBLE_RESULT
