"""Mutants: what a client reports about responses, and makes of reports (rtrext 5.4, 9.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.actions import Disconnect, Send
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.group_bodies import GroupError
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc
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
    ReptErr,
    TransmissionId,
)
from rpcrdma.wire.operations import ROPT_XMTRESP, ConnProp, XmtResp
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import Arrived, Assembler, BrokenGroup, Transmission
from targets.mutants import because
from targets.mutants.base import mutant
from targets.mutants.reductions.edits import edited_octets, edited_reports, part_of

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import GroupBroken, MessageReceived
    from rpcrdma.wire import RdmaError, RdmaMsg, RdmaNomsg, TransportHeader
    from rpcrdma.wire._generated_rtrext import ErrorInformation

AT_CLIENT: Final = ("requester",)
UNKNOWN: Final = 77
GROUPS: Final = "rtrext.5.4.faulty-groups-are-reported"

_CODE: Final = slice(20, 24)
"""Of rdma_opttype in a message."""


# -- nothing is reported


@mutant(
    breaks=GROUPS,
    also_trips=dict.fromkeys(
        ("rtrext.5.4.reply-may-be-sent-otherwise", "rtrext.9.1.code-of-repterr", "rtrext.9.5."),
        because.NO_REPORT,
    ),
    roles=AT_CLIENT,
)
class SaysNothingOfBrokenGroups(OptionalHalf):
    """Reports no transmission that is missing or surplus."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        return edited_reports(super().group_broken(event), lambda _: None)


@mutant(
    breaks="rtrext.5.4.faulty-placement-is-reported", also_trips={"rtrext.9.5.": because.NO_REPORT}
)
class SaysNothingOfFaultyPlacement(Requester):
    """Reports no result that cannot be where it is said to be."""

    def _receive(self, event: MessageReceived, now: float) -> list[Action]:
        return edited_reports(super()._receive(event, now), lambda _: None)


# -- other errors are reported


def _about(report: ReptErr, kind: type[ErrorInformation], info: ErrorInformation) -> ReptErr:
    """A report with other information where it has that of one kind."""
    if not isinstance(report.optre_info, kind):
        return report
    return msgspec.structs.replace(report, optre_info=info)


@mutant(breaks="rtrext.9.5.badhmt", roles=AT_CLIENT)
class ReportsProceduresAsOperations(OptionalHalf):
    """Reports a message of another procedure within a group as another operation."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        info = BadOptionalType(7, 0)
        return edited_reports(
            super().group_broken(event), lambda one: _about(one, BadHeaderType, info)
        )


@mutant(breaks="rtrext.9.5.badomt", roles=AT_CLIENT)
class ReportsOperationsAsProcedures(OptionalHalf):
    """Reports another operation within a group as a message of another procedure."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        info = BadHeaderType(v2.Rdma2Procedure.RDMA2_OPTIONAL, 0)
        return edited_reports(
            super().group_broken(event), lambda one: _about(one, BadOptionalType, info)
        )


@mutant(breaks="rtrext.9.5.badcont", roles=AT_CLIENT)
class ReportsAContinuationAsOutOfOrder(OptionalHalf):
    """Reports a continuation of nothing as one with a wrong number."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        info = BadSequence(0, event.report.optre_bad.xmsi_seq)
        return edited_reports(
            super().group_broken(event), lambda one: _about(one, BadContinuation, info)
        )


@mutant(breaks="rtrext.9.5.badseq", roles=AT_CLIENT)
class ReportsANumberAsAnXid(OptionalHalf):
    """Reports a wrong number as a wrong XID."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        info = BadXid(0, event.report.optre_bad.xmsi_xid)
        return edited_reports(
            super().group_broken(event), lambda one: _about(one, BadSequence, info)
        )


@mutant(breaks="rtrext.9.5.badxid", roles=AT_CLIENT)
class ReportsAnXidAsANumber(OptionalHalf):
    """Reports a wrong XID as a wrong number."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        info = BadSequence(0, event.report.optre_bad.xmsi_seq)
        return edited_reports(super().group_broken(event), lambda one: _about(one, BadXid, info))


@mutant(
    breaks="rtrext.9.5.badpl",
    also_trips={"rtrext.9.5.report-names-the-transmission": because.OTHER_REPORT},
    roles=AT_CLIENT,
)
class ReportsAPayloadLengthAsAnOffset(OptionalHalf):
    """Reports a payload length beyond its transmission as an offset."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        info = BadOffset(0, 1, 2)
        return edited_reports(
            super().group_broken(event), lambda one: _about(one, BadPayloadLength, info)
        )


@mutant(breaks="rtrext.9.5.badtbsn")
class ReportsATargetAsAnOffset(Requester):
    """Reports a target segment that there is not as an offset."""

    def _receive(self, event: MessageReceived, now: float) -> list[Action]:
        info = BadOffset(0, 1, 2)
        return edited_reports(
            super()._receive(event, now), lambda one: _about(one, BadTargetSegment, info)
        )


@mutant(breaks="rtrext.9.5.badoff")
class ReportsAnOffsetAsATarget(Requester):
    """Reports an offset beyond its segment as a target segment."""

    def _receive(self, event: MessageReceived, now: float) -> list[Action]:
        info = BadTargetSegment(0, 1, 2)
        return edited_reports(
            super()._receive(event, now), lambda one: _about(one, BadOffset, info)
        )


@mutant(breaks="rtrext.9.5.error-codes", roles=AT_CLIENT)
class NumbersErrorsFromZero(OptionalHalf):
    """Gives BADHMT the value 0, and each other error the one before its own."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        place = 28 + 12 + (16 if event.report.optre_lead else 4)

        def change(octets: bytearray) -> bytearray:
            octets[place + 3] -= 1
            return octets

        return edited_octets(super().group_broken(event), change)


@mutant(
    breaks="rtrext.9.1.code-of-repterr",
    also_trips={"rtrext.5.4.": because.NO_REPORT, "rtrext.9.5.": because.NO_REPORT},
    roles=AT_CLIENT,
)
class ReportsByAnUnknownOperation(OptionalHalf):
    """Sends REPTERR under a code that no document has."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        def change(octets: bytearray) -> bytearray:
            octets[_CODE] = UNKNOWN.to_bytes(4)
            return octets

        return edited_octets(super().group_broken(event), change)


@mutant(breaks="rtrext.9.1.no-payload-after-an-error-report", roles=AT_CLIENT)
class SendsPayloadAfterAReport(OptionalHalf):
    """Leaves a word after the header of an error report."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        return edited_octets(super().group_broken(event), lambda octets: octets + bytes(4))


@mutant(breaks="rtrext.9.5.nothing-beside-badcont", roles=AT_CLIENT)
class SaysMoreBesideBadcont(OptionalHalf):
    """Sends two words with BADCONT."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        def change(octets: bytearray) -> bytearray:
            length = int.from_bytes(octets[24:28]) + 8
            octets[24:28] = length.to_bytes(4)
            return octets + bytes(8)

        actions = super().group_broken(event)
        is_bare = isinstance(event.report.optre_info, BadContinuation)
        return edited_octets(actions, change) if is_bare else actions


# -- what is said of an error


@mutant(breaks="rtrext.9.5.expected-and-actual-value", roles=AT_CLIENT)
class SwapsExpectedAndActual(OptionalHalf):
    """Reports the value found as the one expected, and the other way round."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        def change(report: ReptErr) -> ReptErr:
            info = report.optre_info
            if not isinstance(info, BadSequence | BadXid):
                return report
            swapped = type(info)(info.optri_current, info.optri_expect)
            return msgspec.structs.replace(report, optre_info=swapped)

        return edited_reports(super().group_broken(event), change)


@mutant(breaks="rtrext.9.5.value-and-valid-range", roles=AT_CLIENT)
class ReportsNoValue(OptionalHalf):
    """Reports zero as the payload length that it has found."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        def change(report: ReptErr) -> ReptErr:
            info = report.optre_info
            if not isinstance(info, BadPayloadLength):
                return report
            return msgspec.structs.replace(
                report, optre_info=msgspec.structs.replace(info, optri_value=0)
            )

        return edited_reports(super().group_broken(event), change)


@mutant(breaks="rtrext.9.5.value-within-the-range-is-unaligned", roles=AT_CLIENT)
class ReportsAnyLengthAsValid(OptionalHalf):
    """Reports a range that contains each payload length."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        def change(report: ReptErr) -> ReptErr:
            info = report.optre_info
            if not isinstance(info, BadPayloadLength):
                return report
            return msgspec.structs.replace(
                report, optre_info=msgspec.structs.replace(info, optri_max=2**32 - 1)
            )

        return edited_reports(super().group_broken(event), change)


@mutant(breaks="rtrext.9.5.report-names-the-transmission", roles=AT_CLIENT)
class NamesTheFirstTransmission(OptionalHalf):
    """Names the first transmission of a group, whichever is faulty."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        def change(report: ReptErr) -> ReptErr:
            first = msgspec.structs.replace(report.optre_bad, xmsi_seq=0)
            return msgspec.structs.replace(report, optre_bad=first)

        return edited_reports(super().group_broken(event), change)


# -- what is not for these reports


def _broken(send: bytes, info: ErrorInformation) -> BrokenGroup:
    """A Send that is to be reported."""
    bad = TransmissionId(int.from_bytes(send[:4]), MessageType.REPLY, 0)
    return BrokenGroup((send,), ReptErr(bad, None, info))


@mutant(breaks="rtrext.9.5.base-errors-are-not-reported-so", roles=AT_CLIENT)
class ReportsAWrongDirection(Assembler):
    """Reports an XMTRESP whose header says CALL."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        part = part_of(send)
        if part is not None and isinstance(part.contents, XmtResp) and not part.way:
            return (_broken(send, BadContinuation()),)
        return super().take(send)


@mutant(breaks="rtrext.9.5.xdr-errors-are-not-reported-so", roles=AT_CLIENT)
class ReportsWhatItCannotDecode(Assembler):
    """Reports an XMTRESP that cannot be decoded."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        if part_of(send) is None and send[_CODE] == ROPT_XMTRESP.to_bytes(4):
            return (_broken(send, BadPayloadLength(0, 1, 2)),)
        return super().take(send)


@mutant(breaks="rtrext.9.5.rpc-errors-are-not-reported-so")
class ReportsAnRpcThatItCannotDecode(Requester):
    """Reports a response whose RPC message cannot be decoded."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        part = part_of(arrived.octets)
        if part is None or not isinstance(part.contents, XmtResp):
            return super()._take_group(arrived)
        try:
            rpc.decode_reply(part.rest)
        except DecodeError:
            bad = TransmissionId(part.xid, part.way, 0)
            report = ReptErr(bad, None, BadContinuation())
            said = replace(part, contents=report, rest=b"").octets
            return [Send(next(self._keys), said), *super()._take_group(arrived)]
        return super()._take_group(arrived)


@mutant(breaks="rtrext.9.5.type-is-wrong-within-a-group-only", roles=AT_CLIENT)
class ReportsTheTypeOfAnAnnouncement(Assembler):
    """Reports that CONNPROP is no continuation, where nothing is to be continued."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        part = part_of(send)
        if part is None or not isinstance(part.contents, ConnProp):
            return super().take(send)
        return (*super().take(send), _broken(send, BadOptionalType(7, 1)))


# -- being told


def _answer(part_xid: int) -> Send:
    """An error that refuses an operation."""
    error = v2.Rdma2Error(v2.ErrInvalidOption())
    return Send(0, v2.encode_header(v2.Rdma2Header(part_xid, v2.VERSION, 1, error)))


@mutant(breaks="rtrext.5.4.error-reports-are-supported")
class RefusesErrorReports(Requester):
    """Answers a report by RDMA2_ERR_INVAL_OPTION."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        actions = super()._refused(xid, body)
        return [_answer(xid), *actions] if isinstance(body, GroupError) else actions


@mutant(breaks="rtrext.9.5.report-may-name-an-earlier-one")
class HangsUpOnTwoTransmissions(Requester):
    """Ends the connection when a report names two transmissions."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        if isinstance(body, GroupError) and body.report.optre_lead is not None:
            return [Disconnect("a report about two transmissions")]
        return super()._refused(xid, body)


@mutant(breaks="rtrext.5.4.reply-may-be-sent-otherwise")
class WaitsForAnotherGroup(Requester):
    """Drops an RDMA2_MSG that answers a request which went as a group."""

    def _take_reply(
        self, header: TransportHeader, body: RdmaMsg | RdmaNomsg, payload: bytes
    ) -> list[Action]:
        call = self._calls.get(header.rdma_xid)
        if call is not None and call.group is not None:
            raise FaultFound(Fault.BAD_REPLY_HEADER, "a group is awaited")
        return super()._take_reply(header, body, payload)
