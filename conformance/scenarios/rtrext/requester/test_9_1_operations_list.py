"""rtrext section 9.1, Operations List: codes, and what follows the headers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.server import group_of
from conformance.groups.taken import GROUPED
from rpcrdma.wire.operations import ROPT_REPTERR, ROPT_XMTCONT
from rpcrdma.wire.optional import opttype_of
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer

XMTREQ = "rtrext.9.1.code-of-xmtreq"
XMTCONT = "rtrext.9.1.code-of-xmtcont"
REPTERR = "rtrext.9.1.code-of-repterr"
LAYOUT = "rtrext.9.1.structure-overlays-the-information"
NO_PAYLOAD = "rtrext.9.1.no-payload-after-an-error-report"
HAS_PAYLOAD = "rtrext.9.1.first-transmission-has-payload"
LENGTH = "rtrext.9.1.pslen-of-a-first-transmission"


@requirement(XMTREQ, LAYOUT, role="requester", needs=("xmtreq",), interpretations=("D-90",))
@pytest.mark.parametrize("what", GROUPED)
def test_requester_begins_with_operation_5(groups: GroupServer, what: str) -> None:
    """A request that goes as a group is an operation 5 that holds its structure and no more."""
    act, call = groups.request(*GROUPED[what])

    verify.calls.obey((call,), XMTREQ, LAYOUT)
    groups.finish(act, call, (XMTREQ, LAYOUT))


@requirement(XMTCONT, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-90",))
def test_requester_continues_with_operation_7(groups: GroupServer) -> None:
    """What follows the first transmission of a request is operation 7."""
    act, call = groups.request(ActKind.LONG_CALL, 9000)

    codes = [opttype_of(one) for one in group_of(call).said[1:]]
    verify.equal(codes, [ROPT_XMTCONT] * len(codes), "the codes", breaks=(XMTCONT,))
    groups.finish(act, call, (XMTCONT,))


@requirement(HAS_PAYLOAD, LENGTH, role="requester", needs=("xmtreq",), interpretations=("D-99",))
@pytest.mark.parametrize("what", GROUPED)
def test_requester_begins_with_payload(groups: GroupServer, what: str) -> None:
    """The first transmission has the beginning of the Payload stream, as much as it says."""
    act, call = groups.request(*GROUPED[what])

    verify.calls.obey((call,), LENGTH)
    groups.finish(act, call, (LENGTH,))


@requirement(REPTERR, NO_PAYLOAD, role="requester", needs=("xmtresp",), interpretations=("D-90",))
def test_requester_reports_by_operation_8(groups: GroupServer) -> None:
    """The report about a faulty response is operation 8, and nothing follows its header."""
    act, call = groups.request(ActKind.LONG_CALL, 9000)
    wrong = groups.response(call).changed(lambda one: one.with_contents(0, optxrs_pslen=5000))

    report = groups.reported(call, wrong, (REPTERR,))

    option = report.option
    code = None if option is None else opttype_of(option)
    verify.equal(code, ROPT_REPTERR, "rdma_opttype", breaks=(REPTERR,))
    verify.equal(report.behind, b"", "what follows the report", breaks=(NO_PAYLOAD,))
    groups.goes_on(act, call, (REPTERR,))
