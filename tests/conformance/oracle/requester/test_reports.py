"""Messages of this extension that are no requests: reports, and what cannot be decoded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.oracle.requester.two import judge_option
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadHeaderType,
    BadPayloadLength,
    DirectToSends,
    ErrorInformation,
    InTargetedSegments,
    MessageItem,
    ResponseItem,
    ResponseRange,
    ResponseSet,
    TransmissionId,
)
from rpcrdma.wire.operations import ReptErr, XmtReq
from rpcrdma.wire.optional import Option, UnknownOption, encode_option
from rpcrdma.wire.rpc import MessageType
from tests.conformance.oracle.requester.group_fakes import ROOMY, XID, ids

FAULTY = replace(ROOMY, faulty=frozenset({XID}))


def message(option: Option, way: MessageType = MessageType.REPLY, xid: int = XID) -> bytes:
    return v2.encode_header(v2.Rdma2Header(xid, 2, 8, encode_option(way, option)))


def report(info: ErrorInformation) -> ReptErr:
    return ReptErr(TransmissionId(XID, MessageType.REPLY, 1), None, info)


def test_a_report_about_what_is_faulty_breaks_nothing() -> None:
    assert judge_option(message(report(BadContinuation())), FAULTY) == ()


@pytest.mark.parametrize(
    ("info", "rule"),
    [
        (BadPayloadLength(5, 0, 4), "rtrext.9.5.base-errors-are-not-reported-so"),
        (BadHeaderType(5, 0), "rtrext.9.5.type-is-wrong-within-a-group-only"),
    ],
)
def test_a_report_about_what_is_not_faulty_breaks_a_rule(info: ErrorInformation, rule: str) -> None:
    assert ids(judge_option(message(report(info)), ROOMY)) == [rule]


@pytest.mark.parametrize(
    "octets",
    [
        message(report(BadContinuation()), MessageType.CALL),
        message(report(BadContinuation()), xid=XID + 1),
    ],
    ids=["direction", "XID"],
)
def test_another_header_than_that_of_the_answer_is_worth_a_warning(octets: bytes) -> None:
    (rule,) = judge_option(octets, FAULTY)

    assert rule.ids == ("rtrext.9.5.report-names-the-transmission",)
    assert rule.severity is Verdict.WARN


def test_nothing_follows_a_report() -> None:
    found = judge_option(message(report(BadContinuation())) + bytes(4), FAULTY)

    assert "rtrext.9.1.no-payload-after-an-error-report" in ids(found)


ITEM = MessageItem(40, 8, InTargetedSegments(0, (1,)))
DIRECTED = ResponseSet(ResponseRange(0, 9), (ResponseItem(0, DirectToSends()),))
REQUEST = XmtReq((ITEM,), (DIRECTED,), 1, 0, 40)
TYPE_OF_ITEM = 28 + 4 + 8 + 3
TYPE_OF_DIRECTION = 28 + 4 + 8 + 4 + 12 + 4 + 8 + 4 + 4 + 3


@pytest.mark.parametrize(
    ("octet", "rule"),
    [
        (TYPE_OF_ITEM, "rtrext.6.2.types-of-items-in-requests"),
        (TYPE_OF_DIRECTION, "rtrext.6.2.types-of-directions"),
    ],
)
def test_a_type_that_xdr_has_not_there_breaks_the_rule_of_its_context(
    octet: int, rule: str
) -> None:
    octets = bytearray(message(REQUEST, MessageType.CALL))
    octets[octet] = 9

    assert rule in ids(judge_option(bytes(octets), ROOMY))


def test_what_is_left_over_in_a_request_may_be_memory_after_a_direction_without() -> None:
    octets = message(REQUEST, MessageType.CALL)
    longer = int.from_bytes(octets[24:28]) + 4
    spoilt = octets[:24] + longer.to_bytes(4) + octets[28:] + bytes(4)

    (rule,) = judge_option(spoilt, ROOMY)

    assert "rtrext.7.4.tbsn-direction-is-empty" in rule.ids


def test_a_report_that_cannot_be_decoded_may_be_wrong_in_all_that_it_says() -> None:
    octets = bytearray(message(report(BadContinuation())))
    octets[-1] = 99

    (rule,) = judge_option(bytes(octets), FAULTY)

    assert rule.ids[0] == "rtrext.9.5.error-codes"


def test_a_call_after_another_operation_has_the_wrong_code() -> None:
    octets = message(UnknownOption(77, b""), MessageType.CALL) + calls.null(XID)

    assert "rtrext.9.1.code-of-xmtreq" in ids(judge_option(octets, ROOMY))
