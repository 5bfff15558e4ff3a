"""rtrext section 9.5, Error Reporting Operation: what a Requester reports of responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.client import NEEDS
from conformance.tester.case import Deviation
from conformance.tester.server.reply import AnyAnswer, far_from
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadHeaderType,
    BadOffset,
    BadOptionalType,
    BadPayloadLength,
    BadSequence,
    BadTargetSegment,
    BadXid,
    TransmissionId,
)
from rpcrdma.wire.operations import ROPT_XMTCONT, ROPT_XMTRESP, ReptErr
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.words import constant_of, in_words
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.answering import GroupAnswer
    from conformance.groups.server import GroupServer
    from conformance.tester.server import ReceivedCall
    from rpcrdma.wire._generated_rtrext import ErrorInformation
    from targets.base import RunningAct

BASE = "rtrext.9.5.base-errors-are-not-reported-so"
XDR = "rtrext.9.5.xdr-errors-are-not-reported-so"
RPC = "rtrext.9.5.rpc-errors-are-not-reported-so"
CODES = "rtrext.9.5.error-codes"
HEADER = "rtrext.9.5.badhmt"
OPTIONAL = "rtrext.9.5.badomt"
WITHIN = "rtrext.9.5.type-is-wrong-within-a-group-only"
CONTINUATION = "rtrext.9.5.badcont"
SEQUENCE = "rtrext.9.5.badseq"
OF_XID = "rtrext.9.5.badxid"
TARGET = "rtrext.9.5.badtbsn"
OF_OFFSET = "rtrext.9.5.badoff"
PAYLOAD = "rtrext.9.5.badpl"
EXPECTED = "rtrext.9.5.expected-and-actual-value"
NOTHING = "rtrext.9.5.nothing-beside-badcont"
RANGE = "rtrext.9.5.value-and-valid-range"
UNALIGNED = "rtrext.9.5.value-within-the-range-is-unaligned"
NAMES = "rtrext.9.5.report-names-the-transmission"

Info = TypeVar("Info", bound="ErrorInformation")


def _long_reply(groups: GroupServer) -> tuple[RunningAct, ReceivedCall, GroupAnswer]:
    """A request whose response has three transmissions, and the response."""
    act, call = groups.request(ActKind.LONG_REPLY, 9000)
    return act, call, groups.response(call)


def _reported(
    groups: GroupServer,
    call: ReceivedCall,
    wrong: GroupAnswer | AnyAnswer,
    kind: type[Info],
    breaks: str,
) -> tuple[ReptErr, Info]:
    """A faulty response is reported by an error of this kind."""
    report = groups.reported(call, wrong, (breaks, CODES)).option
    info = report.optre_info if isinstance(report, ReptErr) else None
    if not isinstance(report, ReptErr) or not isinstance(info, kind):
        raise Deviation(
            "A faulty response is reported by another error.",
            expected=(constant_of(kind),),
            actual=in_words(info),
            breaks=(breaks, CODES),
        )
    return report, info


# -- faults of groups


@requirement(HEADER, CODES, role="requester", needs=NEEDS, interpretations=("D-111", "D-119"))
def test_requester_reports_another_procedure_within_a_group(groups: GroupServer) -> None:
    """An RDMA2_MSG comes where a response is to be continued: BADHMT, and it completes the RPC."""
    act, call = groups.request(ActKind.LONG_CALL, 9000)
    begun = groups.response(call).changed(lambda group: group.with_contents(0, optxrs_count=2))
    other = groups.service.draft(call)
    both = AnyAnswer((*begun.sends, *other.sends), groups.service.grant)

    _, info = _reported(groups, call, both, BadHeaderType, HEADER)

    procedures = (v2.Rdma2Procedure.RDMA2_OPTIONAL, v2.Rdma2Procedure.RDMA2_MSG)
    verify.equal((info.optri_expect, info.optri_current), procedures, "types", breaks=(HEADER,))
    groups.goes_on(act, call, (HEADER,))


@requirement(OPTIONAL, CODES, role="requester", needs=NEEDS, interpretations=("D-119",))
def test_requester_reports_another_operation_within_a_group(groups: GroupServer) -> None:
    """A second XMTRESP comes where the first is to be continued: BADOMT."""
    act, call = groups.request(ActKind.LONG_CALL, 9000)
    whole = groups.response(call)
    begun = whole.changed(lambda group: group.with_contents(0, optxrs_count=2))
    both = AnyAnswer((*begun.sends, *whole.sends), groups.service.grant)

    _, info = _reported(groups, call, both, BadOptionalType, OPTIONAL)

    types = (ROPT_XMTCONT, ROPT_XMTRESP)
    verify.equal((info.optri_expect, info.optri_current), types, "types", breaks=(OPTIONAL,))
    groups.goes_on(act, call, (OPTIONAL,))


@requirement(CONTINUATION, NOTHING, CODES, role="requester", needs=NEEDS)
def test_requester_reports_a_continuation_of_nothing(groups: GroupServer) -> None:
    """A continuation comes and no group is to be continued: BADCONT, with nothing beside it."""
    act, call, whole = _long_reply(groups)
    alone = whole.changed(lambda group: group.in_order(1))

    _reported(groups, call, alone, BadContinuation, CONTINUATION)

    groups.goes_on(act, call, (CONTINUATION,))


@requirement(SEQUENCE, EXPECTED, CODES, role="requester", needs=NEEDS, interpretations=("D-98",))
@pytest.mark.parametrize("number", [0, 2, 3, 2**32 - 1])
def test_requester_reports_a_wrong_number(groups: GroupServer, number: int) -> None:
    """The first continuation has another number than 1: BADSEQ with both numbers."""
    act, call, whole = _long_reply(groups)
    wrong = whole.changed(lambda one: one.with_contents(1, optxc_xnum=number).in_order(0, 1))

    _, info = _reported(groups, call, wrong, BadSequence, SEQUENCE)

    both = (info.optri_expect, info.optri_current)
    verify.equal(both, (1, number), "the numbers", breaks=(EXPECTED,))
    groups.goes_on(act, call, (SEQUENCE,))


@requirement(OF_XID, EXPECTED, CODES, role="requester", needs=NEEDS, interpretations=("D-119",))
def test_requester_reports_a_wrong_xid(groups: GroupServer) -> None:
    """A continuation has another XID than its group: BADXID with both."""
    act, call, whole = _long_reply(groups)
    strange = far_from(call.xid)
    wrong = whole.changed(lambda group: group.with_send(1, xid=strange).in_order(0, 1))

    _, info = _reported(groups, call, wrong, BadXid, OF_XID)

    both = (info.optri_expect, info.optri_current)
    verify.equal(both, (call.xid, strange), "the XIDs", breaks=(EXPECTED,))
    groups.goes_on(act, call, (OF_XID,))


@requirement(
    PAYLOAD, RANGE, UNALIGNED, CODES, role="requester", needs=NEEDS, interpretations=("D-111",)
)
@pytest.mark.parametrize("length", [4096, 2**31, 2**32 - 4])
def test_requester_reports_a_payload_beyond_the_transmission(
    groups: GroupServer, length: int
) -> None:
    """A response says to have more of the stream than it has octets: BADPL with the range."""
    act, call = groups.request(ActKind.LONG_CALL, 9000)
    right = groups.response(call)
    octets = len(right.payload[0])
    wrong = right.changed(lambda group: group.with_contents(0, optxrs_pslen=length))

    _, info = _reported(groups, call, wrong, BadPayloadLength, PAYLOAD)

    _in_range(info, length, octets)
    groups.goes_on(act, call, (PAYLOAD,))


# -- faults of placement


@requirement(TARGET, RANGE, CODES, role="requester", needs=NEEDS, interpretations=("D-118",))
@pytest.mark.parametrize("beyond", [0, 1, 1000])
def test_requester_reports_a_wrong_target(groups: GroupServer, beyond: int) -> None:
    """A result is said to be in a target that the response has not: BADTBSN with the range."""
    act, call = groups.request(ActKind.READ, 6000)
    right = groups.placing(call)
    number = len(right.sends) * len(groups.told.layout.targets) + beyond
    wrong = right.changed(lambda group: group.with_last_target(0, number))

    _, info = _reported(groups, call, wrong, BadTargetSegment, TARGET)

    _in_range(info, number, 5)
    groups.goes_on(act, call, (TARGET,))


@requirement(
    OF_OFFSET, RANGE, UNALIGNED, CODES, role="requester", needs=NEEDS, interpretations=("D-111",)
)
@pytest.mark.parametrize("offset", [1024, 4096, 2**32 - 4])
def test_requester_reports_an_offset_beyond_the_segment(groups: GroupServer, offset: int) -> None:
    """A result is said to begin after the end of its first target: BADOFF with the range."""
    act, call = groups.request(ActKind.READ, 6000)
    wrong = groups.placing(call).changed(lambda group: group.with_targets(0, offset=offset))

    _, info = _reported(groups, call, wrong, BadOffset, OF_OFFSET)

    _in_range(info, offset, 0)
    groups.goes_on(act, call, (OF_OFFSET,))


def _in_range(info: BadPayloadLength | BadTargetSegment | BadOffset, value: int, good: int) -> None:
    """A report has the value, and a range that is that of good ones."""
    verify.equal(info.optri_value, value, "the value found", breaks=(RANGE,))
    within = info.optri_min <= good <= info.optri_max
    verify.that(within, f"the range contains {good}", actual=in_words(info), breaks=(RANGE,))
    beyond = not info.optri_min <= value <= info.optri_max
    wrong = f"an aligned value of {value} is not in the range"
    verify.that(beyond, wrong, actual=in_words(info), breaks=(RANGE, UNALIGNED))


# -- whom a report is about


@requirement(NAMES, role="requester", needs=NEEDS, interpretations=("D-98", "D-110"))
@pytest.mark.parametrize("number", [1, 2])
def test_requester_names_the_faulty_transmission(groups: GroupServer, number: int) -> None:
    """A later transmission has a payload beyond its end: the report has its XID, way and number."""
    act, call, whole = _long_reply(groups)
    wrong = whole.changed(
        lambda one: one.with_contents(number, optxc_pslen=5000).in_order(*range(number + 1))
    )

    report, _ = _reported(groups, call, wrong, BadPayloadLength, NAMES)

    named = TransmissionId(call.xid, MessageType.REPLY, number)
    verify.equal(report.optre_bad, named, "optre_bad", breaks=(NAMES,))
    groups.goes_on(act, call, (NAMES,))


# -- what is not reported


def _bad_header(group: GroupAnswer) -> GroupAnswer:
    return group.changed(lambda one: one.with_send(0, direction=MessageType.CALL))


def _cut_off(group: GroupAnswer) -> GroupAnswer:
    """Contents that end too early."""
    return group.changed(lambda one: one.with_send(0, contents=bytes(8)))


def _no_rpc(group: GroupAnswer) -> GroupAnswer:
    """A Payload stream that is no RPC message after its XID."""
    sends = group.group.sends
    payload = sends[0].payload[:4] + b"\xff" * (len(sends[0].payload) - 4)
    return group.changed(lambda one: one.with_send(0, payload=payload))


QUIET: dict[str, Callable[[GroupAnswer], GroupAnswer]] = {
    BASE: _bad_header,
    XDR: _cut_off,
    RPC: _no_rpc,
}
"""Faults for which there are other answers, or none."""


@requirement(BASE, XDR, RPC, WITHIN, role="requester", needs=NEEDS, interpretations=("D-111",))
@pytest.mark.parametrize("which", QUIET, ids=lambda one: one.rpartition(".")[2])
def test_requester_reports_nothing_else_so(groups: GroupServer, which: str) -> None:
    """A response breaks the rules of Version Two, of XDR or of RPC: no report comes about it."""
    act, call = groups.request(ActKind.LONG_CALL, 9000)

    groups.service.reply(call, QUIET[which](groups.response(call)))
    groups.service.waiting()

    verify.equal(groups.reports, (), "the reports", breaks=(which, WITHIN))
    groups.goes_on(act, call, (which,))
