"""The oracle's view of messages of a Requester that are of this extension, and no requests.

rtrext section 5.4  Error Reporting
rtrext section 6.2  Data Placement Preliminaries (table 1: what cannot be decoded)
rtrext section 9.1  Operations List
rtrext section 9.5  Error Reporting Operation

What a report must say of a given fault, the cases know that have made the fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.verdict import BrokenRule, Ids, broken_rule
from reports.record import Verdict
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire._generated_rtrext import BadHeaderType, BadOptionalType
from rpcrdma.wire.operations import BY_CODE, ROPT_REPTERR, ROPT_XMTREQ, RTREXT, ReptErr
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.requester.state import RequesterState
    from rpcrdma.wire import v2

__all__ = ["judge_reductions"]

_UNIT: Final = 4
_A_CALL: Final = MessageType.CALL.to_bytes(_UNIT)

_NOT_SO: Final = (
    "rtrext.9.5.base-errors-are-not-reported-so",
    "rtrext.9.5.xdr-errors-are-not-reported-so",
    "rtrext.9.5.rpc-errors-are-not-reported-so",
)
"""What a report breaks that is about no fault of a group or of placement."""

_LAYOUT: Final = "rtrext.9.1.structure-overlays-the-information"

_OF_REPORTS: Final = (
    "rtrext.9.5.error-codes",
    "rtrext.9.5.nothing-beside-badcont",
    "rtrext.9.5.expected-and-actual-value",
    "rtrext.9.5.value-and-valid-range",
    _LAYOUT,
)
"""What a report may break that cannot be decoded."""

_TYPES: Final = (BadHeaderType, BadOptionalType)


def judge_reductions(
    header: v2.Rdma2Header, body: v2.Rdma2Optional, behind: bytes, state: RequesterState
) -> Iterator[BrokenRule]:
    """The rules of this extension that an optional message breaks.

    Args:
        header: of the message.
        body: of the header.
        behind: octets after it.
        state: before it arrived.
    """
    xid = header.rdma_xid.to_bytes(_UNIT)
    if behind[:_UNIT] == xid and behind[_UNIT : 2 * _UNIT] == _A_CALL:
        rules: Ids = ("rtrext.9.1.code-of-xmtreq", _LAYOUT)
        detail = f"a Call follows an operation {body.rdma_opttype}"
        yield broken_rule(rules, detail, VERSION_TWO, ("D-90",))
    operation = BY_CODE.get(body.rdma_opttype)
    if operation is None or operation.document != RTREXT:
        return
    try:
        option = decode_option(body)
    except DecodeError as error:
        yield _undecodable(error, operation.code)
        return
    if isinstance(option, ReptErr):
        yield from _report(header.rdma_xid, body.rdma_optdir, option, behind, state)


def _undecodable(error: DecodeError, operation: int) -> BrokenRule:
    rules: Ids = (_LAYOUT,)
    trails = error.reason is Reason.TRAILING
    if operation == ROPT_REPTERR:
        rules = _OF_REPORTS
    # Memory after a direction that has none makes whatever follows it something else.
    elif operation == ROPT_XMTREQ and ("optxrq_rsd" in error.path or trails):
        rules = ("rtrext.6.2.types-of-directions", "rtrext.7.4.tbsn-direction-is-empty", *rules)
        rules = (*rules, "rtrext.6.2.codes-of-the-types")
    elif operation == ROPT_XMTREQ and "optxrq_ddp" in error.path:
        rules = ("rtrext.6.2.types-of-items-in-requests", "rtrext.6.2.codes-of-the-types", *rules)
    return broken_rule(rules, f"it cannot be decoded: {error}", VERSION_TWO, ("D-106",))


def _report(
    xid: int, direction: MessageType, report: ReptErr, behind: bytes, state: RequesterState
) -> Iterator[BrokenRule]:
    if behind:
        rule = "rtrext.9.1.no-payload-after-an-error-report"
        yield broken_rule(rule, f"{len(behind)} octets after a REPTERR", VERSION_TWO)
    bad = report.optre_bad
    if bad.xmsi_xid not in state.faulty:
        rules: Ids = _NOT_SO
        if isinstance(report.optre_info, _TYPES):
            rules = ("rtrext.9.5.type-is-wrong-within-a-group-only", *rules)
        detail = f"a report about {bad.xmsi_xid:#010x}, which has no fault of this kind"
        yield broken_rule(rules, detail, VERSION_TWO, ("D-111",))
    if (xid, direction) != (bad.xmsi_xid, MessageType.REPLY):
        rule = "rtrext.9.5.report-names-the-transmission"
        detail = f"a report about {bad.xmsi_xid:#010x} under {xid:#010x}, as a {direction.name}"
        yield broken_rule(rule, detail, VERSION_TWO, ("D-110",), Verdict.WARN)
