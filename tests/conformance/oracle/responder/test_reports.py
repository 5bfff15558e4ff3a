"""What an error report must be, whatever it is about."""

from __future__ import annotations

import pytest

from conformance.oracle.responder.reports import broken_report_rules
from conformance.oracle.transmissions import Reported, read_arrived
from reports.record import Verdict
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadOffset,
    BadPayloadLength,
    BadTargetSegment,
    ErrorInformation,
    TransmissionId,
)
from rpcrdma.wire.operations import ReptErr
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import Transmission

XID = 0x51D
NOTHING_MORE = BadContinuation()
NAMES = "rtrext.9.5.report-names-the-transmission"


def broken(
    info: ErrorInformation = NOTHING_MORE,
    xid: int = XID,
    way: MessageType = MessageType.REPLY,
    after: bytes = b"",
) -> list[tuple[str, Verdict]]:
    report = ReptErr(TransmissionId(XID, MessageType.CALL, 0), None, info)
    header = v2.Rdma2Header(xid, 2, 1, encode_option(way, report))
    outcome = read_arrived(Transmission.of_one(v2.encode_header(header) + after))
    assert isinstance(outcome, Reported)
    return [(rule.ids[0], rule.severity) for rule in broken_report_rules(outcome, XID)]


@pytest.mark.parametrize(
    "info",
    [
        BadContinuation(),
        BadTargetSegment(9, 0, 8),
        BadOffset(1024, 0, 1023),
        BadOffset(6, 0, 1023),
        BadPayloadLength(41, 0, 100),
        BadPayloadLength(4, 1, 0),
    ],
)
def test_a_good_report_breaks_nothing(info: ErrorInformation) -> None:
    assert broken(info) == []


@pytest.mark.parametrize(
    "info", [BadTargetSegment(6, 0, 8), BadOffset(8, 0, 1023), BadPayloadLength(40, 0, 100)]
)
def test_a_value_among_the_valid_is_unaligned(info: ErrorInformation) -> None:
    assert broken(info) == [
        ("rtrext.9.5.value-within-the-range-is-unaligned", Verdict.FAIL),
    ]


def test_its_header_is_about_the_transmission() -> None:
    assert broken(xid=9) == [(NAMES, Verdict.WARN)]
    assert broken(way=MessageType.CALL) == [(NAMES, Verdict.WARN)]


def test_nothing_follows_it() -> None:
    assert broken(after=b"more") == [
        ("rtrext.9.1.no-payload-after-an-error-report", Verdict.FAIL),
    ]
