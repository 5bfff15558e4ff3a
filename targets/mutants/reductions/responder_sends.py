"""Mutants: what the Sends of a server's responses say, and how they go out (rtrext 4.2, 9, 11)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire._generated_rtrext import (
    NoItem,
    PlacementType,
    TooShort,
    encode_message_item,
    encode_xmt_resp,
)
from rpcrdma.wire.operations import ROPT_XMTREQ, ROPT_XMTRESP, UpdProp, XmtCont, XmtResp
from rpcrdma.wire.optional import UnknownOption
from rpcrdma.wire.rpc import MessageType
from targets.mutants import because
from targets.mutants.base import mutant
from targets.mutants.reductions.edits import EditedSend, edited_first, edited_later, edited_parts

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall

GAP: Final = bytes(4)

UNKNOWN: Final = 77
"""An operation that no document defines."""


@mutant(breaks="rtrext.4.2.group-is-received-in-order")
class SendsTheLastContinuationFirst(Responder):
    """Sends the continuations of a response in the opposite order."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        actions = super()._send_group(call, request, reply)
        return edited_parts(actions, lambda parts: [parts[0], *parts[:0:-1]])


@mutant(breaks="rtrext.4.2.nothing-in-between")
class SendsAnUpdateWithinAResponse(Responder):
    """Sends an update of no properties after the first transmission of a longer response."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        def between(parts: list[EditedSend]) -> list[EditedSend]:
            if len(parts) == 1:
                return parts
            update = replace(parts[0], way=MessageType.CALL, contents=UpdProp(()), rest=b"")
            return [parts[0], update, *parts[1:]]

        return edited_parts(super()._send_group(call, request, reply), between)


@mutant(breaks="rtrext.9.1.code-of-xmtresp")
class RespondsByAnUnknownOperation(Responder):
    """Begins responses by an operation that no document defines."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        actions = super()._send_group(call, request, reply)
        return edited_first(actions, lambda part: replace(part, opttype=UNKNOWN))


@mutant(breaks="rtrext.9.1.code-of-xmtcont")
class ContinuesResponsesByAnUnknownOperation(Responder):
    """Continues responses by an operation that no document defines."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        actions = super()._send_group(call, request, reply)
        return edited_later(actions, lambda part: replace(part, opttype=UNKNOWN))


@mutant(breaks="rtrext.9.1.structure-overlays-the-information")
class PutsAWordAfterTheContents(Responder):
    """Puts a word after the contents of an XMTRESP."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        actions = super()._send_group(call, request, reply)
        return edited_first(actions, lambda part: replace(part, spare=GAP))


@mutant(
    breaks="rtrext.9.1.first-transmission-has-payload",
    also_trips={
        "rtrext.8.5.no-response-beyond-the-limit": (
            "a response that just fits has one transmission more than allowed"
        ),
    },
)
class BeginsWithNothing(Responder):
    """Puts a transmission without payload before a response that has nothing but payload."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        def behind_nothing(parts: list[EditedSend]) -> list[EditedSend]:
            first = parts[0]
            if not isinstance(first.contents, XmtResp) or first.contents.optxrs_ddp:
                return parts
            count = len(parts) + 1
            empty = replace(first.saying(optxrs_count=count, optxrs_pslen=0), rest=b"")
            xnum = 1
            moved = [replace(first, contents=XmtCont(xnum, 6, first.contents.optxrs_pslen))]
            for part in parts[1:]:
                xnum += 1
                moved.append(part.saying(optxc_xnum=xnum))
            return [empty, *moved]

        return edited_parts(super()._send_group(call, request, reply), behind_nothing)


@mutant(
    breaks="rtrext.9.1.pslen-of-a-first-transmission",
    also_trips=dict.fromkeys(
        (
            "rtrext.4.2.group-is-received-in-order",
            "rtrext.6.2.",
            "rtrext.7.1.directions-apply-to-the-whole-response",
            "rtrext.7.2.",
            "rtrext.7.3.all-bulk-data-are-listed",
            "rtrext.7.4.",
            "rtrext.8.3.size-follows-from-the-structure",
            "rtrext.9.1.structure-overlays-the-information",
            "rtrext.9.3.count-of-a-response",
            "rtrext.9.4.parts-are-the-payload-stream",
            "rtrext.11.padding-tells-nothing",
        ),
        because.WRONG_STREAM,
    ),
)
class TellsLessPayloadThanThereIs(Responder):
    """Tells four octets of payload too few in the first transmission."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        def less(part: EditedSend) -> EditedSend:
            contents = part.contents
            length = contents.optxrs_pslen if isinstance(contents, XmtResp) else 4
            return part.saying(optxrs_pslen=length - 4)

        return edited_first(super()._send_group(call, request, reply), less)


@mutant(
    breaks="rtrext.9.4.pslen-of-a-continuation",
    also_trips=dict.fromkeys(
        (
            "rtrext.6.2.target-segments-are-numbered",
            "rtrext.8.3.size-follows-from-the-structure",
        ),
        because.WRONG_STREAM,
    ),
)
class TellsLessPayloadInContinuations(Responder):
    """Tells four octets of payload too few in continuations that have any."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        def less(part: EditedSend) -> EditedSend:
            length = part.contents.optxc_pslen if isinstance(part.contents, XmtCont) else 0
            return part.saying(optxc_pslen=length - 4) if length else part

        return edited_later(super()._send_group(call, request, reply), less)


@mutant(breaks="rtrext.9.3.count-of-a-response")
class CountsOneTransmissionTooFew(Responder):
    """Tells one transmission less than a response of several has."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        def fewer(part: EditedSend) -> EditedSend:
            count = part.contents.optxrs_count if isinstance(part.contents, XmtResp) else 1
            return part.saying(optxrs_count=max(1, count - 1))

        return edited_first(super()._send_group(call, request, reply), fewer)


@mutant(
    breaks="rtrext.9.4.continuations-follow-a-beginning",
    also_trips=dict.fromkeys(
        ("rtrext.5.4.error-reports-are-supported", "rtrext.9.3.count-of-a-response"),
        "a continuation more than the count says follows each response",
    ),
)
class ContinuesWholeResponses(Responder):
    """Sends a continuation without anything after each response."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        def one_more(parts: list[EditedSend]) -> list[EditedSend]:
            surplus = XmtCont(len(parts), 6, 0)
            return [*parts, replace(parts[0], contents=surplus, rest=b"")]

        return edited_parts(super()._send_group(call, request, reply), one_more)


@mutant(breaks="rtrext.9.3.payload-begins-after-xmtresp")
class LeavesAGapAfterXmtresp(Responder):
    """Puts four octets before the payload of an XMTRESP, and leaves out its last four."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        def gap(part: EditedSend) -> EditedSend:
            contents = part.contents
            if not isinstance(contents, XmtResp) or contents.optxrs_ddp:
                return part
            return replace(part, rest=GAP + part.rest[:-4])

        return edited_first(super()._send_group(call, request, reply), gap)


@mutant(
    breaks="rtrext.9.4.payload-begins-after-xmtcont",
    also_trips=dict.fromkeys(
        (
            "rtrext.3.3.only-eligible-items-leave-the-stream",
            "rtrext.4.2.",
            "rtrext.4.3.no-reply-chunk-where-responses-continue",
            "rtrext.5.2.response-stays-within-the-reserve",
            "rtrext.5.4.error-reports-are-supported",
            "rtrext.6.2.target-segments-are-numbered",
            "rtrext.7.1.directions-apply-to-the-whole-response",
            "rtrext.8.3.size-follows-from-the-structure",
            "rtrext.8.5.no-response-beyond-the-limit",
            "rtrext.9.1.",
            "rtrext.9.2.no-directions-may-be-given",
            "rtrext.9.3.payload-begins-after-xmtresp",
            "rtrext.9.4.parts-are-the-payload-stream",
        ),
        because.WRONG_STREAM,
    ),
)
class LeavesAGapAfterXmtcont(Responder):
    """Puts four octets before the payload of an XMTCONT, and leaves out its last four."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        def gap(part: EditedSend) -> EditedSend:
            length = part.contents.optxc_pslen if isinstance(part.contents, XmtCont) else 0
            if length != len(part.rest):
                return part  # bulk data would move
            return replace(part, rest=GAP + part.rest[:-4])

        return edited_later(super()._send_group(call, request, reply), gap)


@mutant(
    breaks="rtrext.9.4.parts-are-the-payload-stream",
    also_trips=dict.fromkeys(
        (
            "rtrext.3.3.only-eligible-items-leave-the-stream",
            "rtrext.4.2.",
            "rtrext.4.3.no-reply-chunk-where-responses-continue",
            "rtrext.5.2.response-stays-within-the-reserve",
            "rtrext.5.4.error-reports-are-supported",
            "rtrext.6.2.target-segments-are-numbered",
            "rtrext.7.1.directions-apply-to-the-whole-response",
            "rtrext.8.3.size-follows-from-the-structure",
            "rtrext.8.5.no-response-beyond-the-limit",
            "rtrext.9.1.",
            "rtrext.9.2.no-directions-may-be-given",
            "rtrext.9.3.payload-begins-after-xmtresp",
        ),
        because.WRONG_STREAM,
    ),
)
class RepeatsTheEndOfAPart(Responder):
    """Begins the last part of a response with the last four octets of the part before it."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        def again(parts: list[EditedSend]) -> list[EditedSend]:
            last = parts[-1]
            length = last.contents.optxc_pslen if isinstance(last.contents, XmtCont) else 0
            if not length or length != len(last.rest):
                return parts
            rest = parts[-2].rest[-4:] + last.rest[:-4]
            return [*parts[:-1], replace(last, rest=rest)]

        return edited_parts(super()._send_group(call, request, reply), again)


@mutant(breaks="rtrext.9.4.continuation-has-the-xid")
class ContinuesUnderTheNextXid(Responder):
    """Sends continuations under the XID after that of their group."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        actions = super()._send_group(call, request, reply)
        return edited_later(actions, lambda part: replace(part, xid=(part.xid + 1) % 2**32))


@mutant(breaks="rtrext.9.4.itype-is-the-first-operation")
class TellsOfRequestsInContinuations(Responder):
    """Puts the code of XMTREQ into continuations of responses."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        actions = super()._send_group(call, request, reply)
        return edited_later(actions, lambda part: part.saying(optxc_itype=ROPT_XMTREQ))


@mutant(breaks="rtrext.9.4.number-of-a-continuation")
class NumbersPartsOfResponsesFromZero(Responder):
    """Gives the first continuation the number zero."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        def less(part: EditedSend) -> EditedSend:
            number = part.contents.optxc_xnum if isinstance(part.contents, XmtCont) else 1
            return part.saying(optxc_xnum=number - 1)

        return edited_later(super()._send_group(call, request, reply), less)


@mutant(breaks="rtrext.6.2.codes-of-the-types")
class NumbersNoItemSeven(Responder):
    """Gives NOITEM the code after its own."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        actions = super()._send_group(call, request, reply)
        return edited_first(actions, lambda part: _retyped(part, NoItem(), 7))


@mutant(breaks="rtrext.6.2.types-of-items-in-responses")
class AnswersByAChoice(Responder):
    """Answers the direction of a result that is too small by the type CHOICE."""

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        actions = super()._send_group(call, request, reply)
        return edited_first(
            actions, lambda part: _retyped(part, TooShort(), PlacementType.XMDTYPE_CHOICE)
        )


def _retyped(part: EditedSend, where: NoItem | TooShort, code: int) -> EditedSend:
    """A response whose entries of one type say another one."""
    contents = part.contents
    if not isinstance(contents, XmtResp):
        return part
    octets = encode_xmt_resp(contents)
    for entry in contents.optxrs_ddp:
        if entry.xmdmi_where == where:
            told = encode_message_item(entry)
            octets = octets.replace(told, told[:-4] + code.to_bytes(4))
    return replace(part, contents=UnknownOption(ROPT_XMTRESP, octets))
