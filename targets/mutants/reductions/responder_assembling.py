"""Mutants: what a server makes of Sends that do not go on with a group (rtrext 4.2, 9.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadHeaderType,
    BadOptionalType,
    BadPayloadLength,
    BadSequence,
    BadXid,
    ReptErr,
    TransmissionId,
)
from rpcrdma.wire.operations import TransmissionOption, XmtCont, XmtReq, XmtResp
from rpcrdma.wire.transmission import Assembler, BrokenGroup, Transmission
from targets.mutants import because
from targets.mutants.base import mutant
from targets.mutants.reductions.edits import EditedSend, edited_reports, part_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import GroupBroken
    from rpcrdma.wire._generated_rtrext import ErrorInformation
    from rpcrdma.wire.transmission import Arrived

AT_SERVER: Final = ("responder",)

LARGEST: Final = 2**32 - 1


def _told(
    found: tuple[Arrived, ...], change: Callable[[ErrorInformation], ErrorInformation]
) -> tuple[Arrived, ...]:
    """What arrived, with other errors in the reports about broken groups."""
    return tuple(
        one
        if isinstance(one, Transmission)
        else BrokenGroup(
            one.lost, msgspec.structs.replace(one.report, optre_info=change(one.report.optre_info))
        )
        for one in found
    )


def _reread(send: bytes, change: Callable[[EditedSend], EditedSend]) -> bytes:
    """A Send as if its header had said something else; one that is no part of a group as it is."""
    part = part_of(send)
    if part is None or not isinstance(part.contents, TransmissionOption):
        return send
    return change(part).octets


@mutant(breaks="rtrext.9.5.badhmt", roles=AT_SERVER)
class ReportsAnotherProcedureAsNothingToContinue(Assembler):
    """Reports BADCONT where another procedure comes in place of a continuation."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        return _told(
            super().take(send),
            lambda info: BadContinuation() if isinstance(info, BadHeaderType) else info,
        )


@mutant(breaks="rtrext.9.5.badomt", roles=AT_SERVER)
class ReportsAnotherOperationAsNothingToContinue(Assembler):
    """Reports BADCONT where another operation comes in place of a continuation."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        return _told(
            super().take(send),
            lambda info: BadContinuation() if isinstance(info, BadOptionalType) else info,
        )


@mutant(
    breaks="rtrext.9.5.badcont",
    also_trips={"rtrext.9.5.error-codes": because.OTHER_REPORT},
    roles=AT_SERVER,
)
class ReportsNothingToContinueAsAnotherNumber(Assembler):
    """Reports BADSEQ where there is nothing to continue."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        return _told(
            super().take(send),
            lambda info: BadSequence(0, 1) if isinstance(info, BadContinuation) else info,
        )


@mutant(breaks="rtrext.9.5.nothing-beside-badcont", roles=AT_SERVER)
class PutsWordsAfterBadCont(OptionalHalf):
    """Puts two words after the code of BADCONT."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        def longer(part: EditedSend) -> EditedSend:
            contents = part.contents
            is_badcont = isinstance(contents, ReptErr) and isinstance(
                contents.optre_info, BadContinuation
            )
            return replace(part, spare=bytes(8)) if is_badcont else part

        return _rewritten(super().group_broken(event), longer)


@mutant(
    breaks="rtrext.9.5.badseq",
    also_trips={"rtrext.5.4.faulty-groups-are-reported": because.NO_REPORT},
    roles=AT_SERVER,
)
class TakesContinuationsOfAnyNumber(Assembler):
    """Takes whatever continuation comes for the next one."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        def next_one(part: EditedSend) -> EditedSend:
            is_next = isinstance(part.contents, XmtCont) and self.unfinished
            return part.saying(optxc_xnum=self.unfinished) if is_next else part

        return super().take(_reread(send, next_one))


@mutant(
    breaks="rtrext.9.5.badxid",
    also_trips={"rtrext.5.4.faulty-groups-are-reported": because.NO_REPORT},
    roles=AT_SERVER,
)
class TakesContinuationsOfAnyXid(Assembler):
    """Takes continuations under another XID for those of the group."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        def of_the_group(part: EditedSend) -> EditedSend:
            group = self._group
            is_next = isinstance(part.contents, XmtCont) and group is not None
            return replace(part, xid=group.next.xmsi_xid) if is_next and group else part

        return super().take(_reread(send, of_the_group))


@mutant(breaks="rtrext.9.5.badpl", roles=AT_SERVER)
class TakesAsMuchPayloadAsThereIs(Assembler):
    """Takes what there is where more of the Payload stream is told."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        return super().take(_reread(send, _with_what_there_is))


def _with_what_there_is(part: EditedSend) -> EditedSend:
    there = len(part.rest)
    match part.contents:
        case XmtReq(optxrq_pslen=told):
            return part.saying(optxrq_pslen=min(told, there))
        case XmtResp(optxrs_pslen=told):
            return part.saying(optxrs_pslen=min(told, there))
        case XmtCont(optxc_pslen=told):
            return part.saying(optxc_pslen=min(told, there))
        case _:
            return part


@mutant(
    breaks="rtrext.9.5.error-codes",
    also_trips={"rtrext.5.4.": because.OTHER_REPORT, "rtrext.9.5.": because.OTHER_REPORT},
    roles=AT_SERVER,
)
class SwapsTheCodesOfNumberAndXid(Assembler):
    """Reports another number by the code of another XID, and the other way round."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        def swapped(info: ErrorInformation) -> ErrorInformation:
            match info:
                case BadSequence(optri_expect=expected, optri_current=current):
                    return BadXid(expected, current)
                case BadXid(optri_expect=expected, optri_current=current):
                    return BadSequence(expected, current)
                case _:
                    return info

        return _told(super().take(send), swapped)


@mutant(breaks="rtrext.9.5.expected-and-actual-value", roles=AT_SERVER)
class ReportsTheActualValueFirst(Assembler):
    """Reports the value found in place of the one expected, and the other way round."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        def swapped(info: ErrorInformation) -> ErrorInformation:
            if isinstance(info, BadHeaderType | BadOptionalType | BadSequence | BadXid):
                return type(info)(info.optri_current, info.optri_expect)
            return info

        return _told(super().take(send), swapped)


@mutant(breaks="rtrext.9.5.value-and-valid-range", roles=AT_SERVER)
class ReportsTheGreatestLengthFirst(Assembler):
    """Reports the bounds of valid payload lengths in the wrong order."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        def crossed(info: ErrorInformation) -> ErrorInformation:
            if isinstance(info, BadPayloadLength):
                return BadPayloadLength(info.optri_value, info.optri_max, info.optri_min)
            return info

        return _told(super().take(send), crossed)


@mutant(breaks="rtrext.9.5.value-within-the-range-is-unaligned", roles=AT_SERVER)
class ReportsALengthAsOneOfTheValid(Assembler):
    """Reports that any payload length would be valid, the wrong one included."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        def widened(info: ErrorInformation) -> ErrorInformation:
            if isinstance(info, BadPayloadLength):
                return BadPayloadLength(info.optri_value, 0, LARGEST)
            return info

        return _told(super().take(send), widened)


@mutant(breaks="rtrext.9.5.report-names-the-transmission", roles=AT_SERVER)
class NamesTheTransmissionAfterTheFaultyOne(OptionalHalf):
    """Reports the number after that of the faulty transmission."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        def after(report: ReptErr) -> ReptErr:
            bad = report.optre_bad
            number = (bad.xmsi_seq + 1) % 2**32
            named = TransmissionId(bad.xmsi_xid, bad.xmsi_dir, number)
            return msgspec.structs.replace(report, optre_bad=named)

        return edited_reports(super().group_broken(event), after)


@mutant(breaks="rtrext.9.5.report-may-name-an-earlier-one", roles=AT_SERVER)
class NamesTheFaultyTransmissionAsTheEarlierOne(OptionalHalf):
    """Says that the faulty transmission itself has led to the fault."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        return edited_reports(
            super().group_broken(event),
            lambda report: msgspec.structs.replace(report, optre_lead=report.optre_bad),
        )


@mutant(
    breaks="rtrext.5.4.faulty-groups-are-reported",
    roles=AT_SERVER,
    also_trips={"rtrext.9.5.badcont": "nothing is said of a continuation of nothing, either"},
)
class SaysNothingOfFaultyGroups(OptionalHalf):
    """Drops faulty groups in silence."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        return self.heard(event.sends)


@mutant(breaks="rtrext.9.1.code-of-repterr", roles=AT_SERVER)
class ReportsByOperationNine(OptionalHalf):
    """Sends error reports as operation 9."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        return _rewritten(super().group_broken(event), lambda part: replace(part, opttype=9))


@mutant(breaks="rtrext.9.1.no-payload-after-an-error-report", roles=AT_SERVER)
class SendsOctetsAfterAnErrorReport(OptionalHalf):
    """Puts octets after an error report."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        return _rewritten(super().group_broken(event), lambda part: replace(part, rest=bytes(8)))


def _rewritten(actions: list[Action], change: Callable[[EditedSend], EditedSend]) -> list[Action]:
    """Actions whose Sends of error reports are changed."""
    found: list[Action] = []
    for action in actions:
        part = part_of(action.data) if isinstance(action, Send) else None
        if isinstance(action, Send) and part is not None and isinstance(part.contents, ReptErr):
            found.append(Send(action.key, change(part).octets))
        else:
            found.append(action)
    return found
