"""The operations of the round-trip reductions as Version One's objects."""

from __future__ import annotations

from rpcrdma.endpoint.core.dialect import NO_CHUNKS
from rpcrdma.endpoint.core.group_bodies import GroupedMsg, GroupError, as_message
from rpcrdma.wire import ErrChunk, RdmaSegment, ReadSegment
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    ByExplicitRdma,
    InTargetedSegments,
    MessageItem,
    ReptErr,
    TransmissionId,
)
from rpcrdma.wire.operations import XmtReq, XmtResp
from rpcrdma.wire.rpc import MessageType

ONE, TWO, THREE = (RdmaSegment(number, 8, 0) for number in (1, 2, 3))
ITEMS = (
    MessageItem(60, 16, ByExplicitRdma((ONE, TWO))),
    MessageItem(80, 8, InTargetedSegments(0, (0,))),
    MessageItem(40, 8, ByExplicitRdma((THREE,))),
    MessageItem(96, 0, ByExplicitRdma(())),
)


def test_items_of_a_request_that_are_in_memory_are_its_read_list() -> None:
    """rtrext 7.3: each segment at the displacement of its item."""
    contents = XmtReq(ITEMS, (), 1, 0, 40)

    assert as_message(contents) == GroupedMsg(
        (ReadSegment(60, ONE), ReadSegment(60, TWO), ReadSegment(40, THREE)), (), None, contents
    )


def test_response_has_no_read_list() -> None:
    """rfc8166 4.3.1, D-117: its items say where data have gone."""
    contents = XmtResp(ITEMS, 1, 40)
    message = as_message(contents)

    assert message == GroupedMsg((), (), None, contents)
    assert message != NO_CHUNKS  # which the roles take for a message of the base protocol


def test_report_ends_a_call_as_an_error_does() -> None:
    """rtrext 5.4."""
    report = ReptErr(TransmissionId(7, MessageType.CALL, 0), None, BadContinuation())

    assert as_message(report) == GroupError(ErrChunk(), report)
