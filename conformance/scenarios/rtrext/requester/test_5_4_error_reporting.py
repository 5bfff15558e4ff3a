"""rtrext section 5.4, Error Reporting: what a Requester reports, and is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.client import NEEDS
from conformance.groups.taken import GROUPED
from conformance.oracle.sizes import THRESHOLD_TWO
from conformance.tester.server.fewer_octets import reply_with_fewer
from conformance.tester.server.options import refusal
from conformance.tester.server.reply import AnyAnswer, draft_reply
from rpcrdma.wire import ErrChunk, ErrVers
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadOffset,
    BadPayloadLength,
    BadSequence,
    BadTargetSegment,
    TransmissionId,
)
from rpcrdma.wire.operations import ReptErr
from rpcrdma.wire.rpc import MessageType
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer
    from rpcrdma.wire import ErrorBody
    from rpcrdma.wire._generated_rtrext import ErrorInformation

PLACEMENT = "rtrext.5.4.faulty-placement-is-reported"
GROUPS = "rtrext.5.4.faulty-groups-are-reported"
SUPPORTED = "rtrext.5.4.error-reports-are-supported"
FEW = 1000
"""Octets of a result that comes inline."""

OTHERWISE = "rtrext.5.4.reply-may-be-sent-otherwise"
ENDS = "v2.4.2.3.error-ends-the-rpc"
EARLIER = "rtrext.9.5.report-may-name-an-earlier-one"


@requirement(
    PLACEMENT, role="requester", needs=("xmtreq", "repterr"), interpretations=("D-106", "D-111")
)
@pytest.mark.parametrize("beyond", [0, 991, None])
def test_requester_reports_a_target_that_there_is_not(
    groups: GroupServer, beyond: int | None
) -> None:
    """A result is said to go on in a target segment beyond the last: that is reported."""
    act, call = groups.request(ActKind.READ, 6000)
    right = groups.placing(call)
    count = len(right.sends) * len(groups.told.layout.targets)
    number = 2**32 - 1 if beyond is None else count + beyond
    wrong = right.changed(lambda group: group.with_last_target(0, number))

    groups.reported(call, wrong, (PLACEMENT,))

    groups.goes_on(act, call, (PLACEMENT,))


@requirement(GROUPS, role="requester", needs=NEEDS, interpretations=("D-119",))
@pytest.mark.parametrize("order", [(0, 2), (0, 2, 1), (1, 2), (0, 0, 1, 2), (0, 1, 1, 2)], ids=str)
def test_requester_reports_transmissions_that_are_amiss(
    groups: GroupServer, order: tuple[int, ...]
) -> None:
    """Transmissions of a response are missing, doubled or out of order: that is reported."""
    act, call = groups.request(ActKind.LONG_REPLY, 9000)
    amiss = groups.response(call).changed(lambda group: group.in_order(*order))
    before = len(groups.reports)

    groups.service.reply(call, amiss)
    groups.service.waiting(until=lambda: len(groups.reports) > before)

    verify.that(
        len(groups.reports) > before,
        "the client reports it",
        actual="no report came",
        breaks=(GROUPS,),
    )
    groups.goes_on(act, call, (GROUPS,))


@requirement(
    OTHERWISE,
    role="requester",
    needs=("xmtreq", "repterr"),
    interpretations=("D-116",),
    narrower="That a Reply may come by other means is of use to nobody who does not wait for it.",
)
def test_requester_takes_the_reply_by_other_means(groups: GroupServer) -> None:
    """A response was faulty and reported; an RDMA2_MSG after it brings the Reply."""
    act, call = groups.request(ActKind.LONG_CALL, 9000)
    wrong = groups.response(call).changed(lambda one: one.with_contents(0, optxrs_pslen=5000))
    groups.reported(call, wrong, (OTHERWISE,))

    groups.service.reply(call)

    groups.done(act, (OTHERWISE,))


@requirement(
    OTHERWISE,
    role="requester",
    needs=("xmtreq", "repterr"),
    interpretations=("D-116",),
    narrower="That a Reply may come by other means is of use to nobody who does not wait for it.",
)
def test_requester_takes_a_result_by_other_means(groups: GroupServer) -> None:
    """A placed result was faulty and reported; an RDMA2_MSG after it brings a shorter one.

    A client may take it, or ask for the rest, as NFS does of a READ that came back short.
    """
    act, call = groups.request(ActKind.READ, 6000)
    service = groups.service
    wrong = groups.placing(call).changed(lambda one: one.with_last_target(0, 2**32 - 1))
    groups.reported(call, wrong, (OTHERWISE,))
    layer = service.replies.program_of(groups.line)
    short = reply_with_fewer(layer, call.unreduced or b"", FEW)

    service.reply(call, draft_reply(call, short, (), service.grant, THRESHOLD_TWO))

    groups.done(act, (OTHERWISE,))


REFUSALS: dict[str, ErrorBody] = {"bad-header": ErrChunk(), "err-vers": ErrVers(2, 2)}

REPORTS: dict[str, ErrorInformation] = {
    "sequence": BadSequence(1, 2),
    "continuation": BadContinuation(),
    "target": BadTargetSegment(9, 0, 8),
    "offset": BadOffset(2000, 0, 1023),
    "payload length": BadPayloadLength(5000, 0, 4000),
}


@requirement(SUPPORTED, role="requester", needs=("xmtreq", "repterr"), interpretations=("D-110",))
@pytest.mark.parametrize("what", GROUPED)
@pytest.mark.parametrize("fault", REPORTS)
def test_requester_bears_an_error_report(groups: GroupServer, what: str, fault: str) -> None:
    """A request is reported to be faulty: no answer comes, the RPC ends, others go on."""
    act, call = groups.request(*GROUPED[what])
    report = ReptErr(TransmissionId(call.xid, MessageType.CALL, 0), None, REPORTS[fault])

    groups.service.reply(call, groups.report(call, report))

    verify.calls.ended(groups.service, act, (SUPPORTED,))
    groups.good_act((SUPPORTED,))
    found = groups.errors_about(call)
    verify.equal(found, (), "what answers the report", breaks=(SUPPORTED,))


@requirement(EARLIER, role="requester", needs=NEEDS)
def test_requester_bears_a_report_that_names_two_transmissions(groups: GroupServer) -> None:
    """The report names the first transmission beside the faulty one: the RPC ends, others go on."""
    act, call = groups.request(ActKind.LONG_CALL, 9000)
    first, later = (TransmissionId(call.xid, MessageType.CALL, number) for number in (0, 2))

    groups.service.reply(call, groups.report(call, ReptErr(later, first, BadSequence(1, 2))))

    verify.calls.ended(groups.service, act, (EARLIER,))
    groups.good_act((EARLIER,))


@requirement(
    ENDS,
    role="requester",
    needs=("xmtreq",),
    interpretations=("D-110",),
)
@pytest.mark.parametrize("error", REFUSALS)
@pytest.mark.parametrize("what", GROUPED)
def test_requester_ends_a_call_that_is_refused_without_its_group_too(
    groups: GroupServer, what: str, error: str
) -> None:
    """A request is refused as a group, and refused once more as it is made then: the RPC ends."""
    act, call = groups.request(*GROUPED[what])
    service = groups.service
    service.reply(call, AnyAnswer((refusal(call.xid, service.grant),), service.grant))
    service.waiting(until=lambda: act.poll() is not None or bool(service.in_flight()))
    if act.poll() is None:
        again = service.next_call(lambda one: one.group is None)
        service.error(again, REFUSALS[error])

    verify.calls.failed(verify.calls.ended(service, act, (ENDS,)), (ENDS,))
    groups.good_act((ENDS,))
