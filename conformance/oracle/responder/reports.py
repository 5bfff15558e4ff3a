"""What an error report must be, whatever it reports.

rtrext section 9.1  Operations List (a report has no payload)
rtrext section 9.5  Error Reporting Operation
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.verdict import broken_rule
from reports.record import Verdict
from rpcrdma.wire._generated_rtrext import BadOffset, BadPayloadLength, BadTargetSegment
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.transmissions import Reported
    from conformance.oracle.verdict import BrokenRule

__all__ = ["NAMES_IT", "broken_report_rules"]

NAMES_IT: Final = "rtrext.9.5.report-names-the-transmission"
"""That a report says which transmission it is about."""

_NO_PAYLOAD: Final = "rtrext.9.1.no-payload-after-an-error-report"
_UNALIGNED: Final = "rtrext.9.5.value-within-the-range-is-unaligned"
_UNIT: Final = 4


def broken_report_rules(reported: Reported, xid: int) -> tuple[BrokenRule, ...]:
    """The rules that a report breaks by itself.

    Args:
        reported: as it came.
        xid: rdma_xid of the transmission that it is about.
    """
    return tuple(_broken(reported, xid))


def _broken(reported: Reported, xid: int) -> Iterator[BrokenRule]:
    if reported.payload:
        detail = f"{len(reported.payload)} octets follow the report"
        yield broken_rule(_NO_PAYLOAD, detail, VERSION_TWO)
    if reported.direction is not MessageType.REPLY:
        detail = "the report says CALL"
        yield broken_rule(NAMES_IT, detail, VERSION_TWO, ("D-110",), Verdict.WARN)
    if reported.xid != xid:
        detail = f"rdma_xid of the report is {reported.xid:#010x}, not {xid:#010x}"
        yield broken_rule(NAMES_IT, detail, VERSION_TWO, ("D-110",), Verdict.WARN)
    info = reported.report.optre_info
    match info:
        case BadOffset() | BadTargetSegment() | BadPayloadLength():
            value, inside = info.optri_value, range(info.optri_min, info.optri_max + 1)
            if value in inside and (value % _UNIT == 0 or isinstance(info, BadTargetSegment)):
                detail = f"{value} is within the valid range {info.optri_min}..{info.optri_max}"
                yield broken_rule(_UNALIGNED, detail, VERSION_TWO, ("D-121",))
        case _:
            pass
