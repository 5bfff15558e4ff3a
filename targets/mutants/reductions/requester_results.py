"""Mutants: what a client makes of the results in responses that come in groups (rtrext 4 to 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.group_bodies import GroupedMsg
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import ByExplicitRdma, InTargetedSegments
from rpcrdma.wire.operations import ROPT_XMTRESP, XmtResp
from rpcrdma.wire.transmission import Arrived, Assembler, Transmission
from targets.mutants import because
from targets.mutants.base import mutant
from targets.mutants.reductions.edits import dropped, edited_response, part_of, renumbered

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall

SEGMENT: Final = 1024
"""Octets of each segment of the client's Receives."""

TARGETS: Final = 3
"""Target segments of each."""

DROPPED_FIRST: Final = "a response is dropped before its fault is found"


def _response(arrived: Transmission) -> XmtResp | None:
    part = part_of(arrived.octets)
    return part.contents if part is not None and isinstance(part.contents, XmtResp) else None


def _numbers(arrived: Transmission) -> list[int]:
    """The target segments of all items of a response."""
    response = _response(arrived)
    places = [] if response is None else [item.xmdmi_where for item in response.optxrs_ddp]
    return [
        number
        for place in places
        if isinstance(place, InTargetedSegments)
        for number in place.xmdl_bsnum
    ]


# -- where results are


@mutant(
    breaks="rtrext.4.2.placement-applies-to-the-whole-message",
    also_trips=dict.fromkeys(
        (
            "rfc8166.2.2.2.reply-retires-the-xid",
            "rtrext.4.2.message-may-be-cut-anywhere",
            "rtrext.4.3.reserve-may-stay-unused",
            "rtrext.6.2.",
            "rtrext.7.2.flagged-segments-take-bulk-data",
            "rtrext.7.3.",
            "rtrext.7.4.responder-chooses-the-segments",
            "rtrext.9.4.continuation-without-payload",
        ),
        because.NO_USE,
    ),
)
class PlacesWhatTheFirstTransmissionHas(Requester):
    """Finds bulk data in the first transmission of a response alone; elsewhere zeros."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        parts = [arrived.parts[0]]
        for send, end in zip(arrived.parts[1:], arrived.ends[1:], strict=True):
            parts.append(send[:end] + bytes(len(send) - end))
        return super()._take_group(Transmission(tuple(parts), arrived.octets, arrived.ends))


@mutant(
    breaks="rtrext.7.3.bulk-data-are-put-back",
    also_trips=dict.fromkeys(
        (
            "rfc8166.2.2.2.reply-retires-the-xid",
            "rtrext.4.2.",
            "rtrext.4.3.reserve-may-stay-unused",
            "rtrext.6.2.",
            "rtrext.7.2.flagged-segments-take-bulk-data",
            "rtrext.7.3.",
            "rtrext.7.4.responder-chooses-the-segments",
            "rtrext.9.4.continuation-without-payload",
        ),
        because.NO_USE,
    ),
)
class PutsZerosBack(Requester):
    """Puts zeros in the place of results that Sends hold."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        pairs = zip(arrived.parts, arrived.ends, strict=True)
        parts = tuple(send[:end] + bytes(len(send) - end) for send, end in pairs)
        return super()._take_group(Transmission(parts, arrived.octets, arrived.ends))


@mutant(
    breaks="rtrext.6.2.segments-after-a-short-transmission-count",
    also_trips={
        **dict.fromkeys(
            ("rtrext.5.4.faulty-placement-is-reported", "rtrext.9.5.badtbsn"),
            "a number after the last is taken for the last, so that no fault is found",
        ),
        **dict.fromkeys(
            (
                "rtrext.7.2.flagged-segments-take-bulk-data",
                "rtrext.7.4.responder-chooses-the-segments",
            ),
            "targets are miscounted as soon as a transmission before them is short",
        ),
    },
)
class CountsTargetsThatWereReached(Requester):
    """Numbers only those target segments that the transmissions of a response reach."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        reached = [
            send * TARGETS + number
            for send, octets in enumerate(arrived.parts)
            for number in range(TARGETS)
            if len(octets) > SEGMENT * (number + 1)
        ]

        def change(response: XmtResp) -> XmtResp:
            items = tuple(
                renumbered(item, lambda number: reached[min(number, len(reached) - 1)])
                for item in response.optxrs_ddp
            )
            return msgspec.structs.replace(response, optxrs_ddp=items)

        return super()._take_group(edited_response(arrived, change))


@mutant(
    breaks="rtrext.7.2.flagged-segments-take-bulk-data",
    also_trips={
        **dict.fromkeys(
            (
                "rfc8166.2.2.2.reply-retires-the-xid",
                "rtrext.3.3.only-eligible-items-leave-the-stream",
                "rtrext.4.2.",
                "rtrext.4.3.reserve-may-stay-unused",
                "rtrext.5.1.",
                "rtrext.5.3.",
                "rtrext.5.4.reply-may-be-sent-otherwise",
                "rtrext.5.peers-without-the-extension-are-served",
                "rtrext.6.2.",
                "rtrext.7.1.requests-direct-bulk-results",
                "rtrext.7.3.",
                "rtrext.7.4.",
                "rtrext.8.3.receives-are-as-told",
                "rtrext.9.1.",
                "rtrext.9.2.",
                "rtrext.9.4.continuation-without-payload",
            ),
            because.NEEDS_SUCH_A_REPLY,
        ),
        "rtrext.5.4.faulty-placement-is-reported": DROPPED_FIRST,
        "rtrext.9.5.": DROPPED_FIRST,
    },
)
class TakesNothingInTheLastTarget(Requester):
    """Drops a response with bulk data in the last target segment of a buffer."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        if any(number % TARGETS == TARGETS - 1 for number in _numbers(arrived)):
            raise dropped("bulk data in the last target")
        return super()._take_group(arrived)


@mutant(
    breaks="rtrext.7.4.responder-chooses-the-segments",
    also_trips={
        "rtrext.5.4.faulty-placement-is-reported": DROPPED_FIRST,
        "rtrext.9.5.badtbsn": DROPPED_FIRST,
        "rtrext.6.2.segments-after-a-short-transmission-count": because.NEEDS_SUCH_A_REPLY,
        "rtrext.7.2.flagged-segments-take-bulk-data": because.NEEDS_SUCH_A_REPLY,
        "rtrext.7.3.tbsn-begins-at-the-offset": because.NEEDS_SUCH_A_REPLY,
    },
)
class TakesTheFirstTargetsAlone(Requester):
    """Drops a response with bulk data in other target segments than the first ones in order."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        numbers = _numbers(arrived)
        if numbers != list(range(len(numbers))):
            raise dropped("other targets than the first")
        return super()._take_group(arrived)


@mutant(
    breaks="rtrext.7.3.no-entry-means-nothing-taken-out",
    also_trips=dict.fromkeys(
        (
            "rtrext.3.3.only-eligible-items-leave-the-stream",
            "rtrext.4.3.reserved-receives-are-there",
            "rtrext.5.1.",
            "rtrext.5.peers-without-the-extension-are-served",
            "rtrext.8.3.receives-are-as-told",
            "rtrext.9.1.",
            "rtrext.9.2.",
            "rtrext.9.3.",
            "rtrext.9.4.",
        ),
        because.NO_USE,
    ),
)
class MissesWhatIsNotListed(Requester):
    """Takes the last word of a long stream without items for something else."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        response = _response(arrived)
        if response is not None and not response.optxrs_ddp and arrived.sends > 1:
            arrived = Transmission(arrived.parts, arrived.octets[:-4], arrived.ends)
        return super()._take_group(arrived)


# -- answers to directions


@mutant(
    breaks="rtrext.6.2.choice-is-the-responders",
    also_trips=dict.fromkeys(
        ("rtrext.4.3.reserve-may-stay-unused", "rtrext.7.3.", "rtrext.7.4.memory-is-deregistered"),
        because.NEEDS_SUCH_A_REPLY,
    ),
)
class TakesNoChoiceOfMemory(Requester):
    """Drops a response that has put a result into memory where that was left open."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        response = _response(arrived)
        items = () if response is None else response.optxrs_ddp
        if any(isinstance(item.xmdmi_where, ByExplicitRdma) for item in items):
            raise dropped("memory was chosen")
        return super()._take_group(arrived)


@mutant(breaks="rtrext.7.3.types-of-items-may-be-mixed")
class TakesResultsOfOneKind(Requester):
    """Drops a response that has results in memory and others in Sends."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        response = _response(arrived)
        items = () if response is None else response.optxrs_ddp
        if len({type(item.xmdmi_where) for item in items}) > 1:
            raise dropped("results of two kinds")
        return super()._take_group(arrived)


@mutant(breaks="rtrext.6.2.direction-as-item-of-a-response", roles=("requester",))
class ReadsADirectionAsAnAnswer(Assembler):
    """Takes XMDTYPE_CHOICE or BYSIZE in a response for XMDTYPE_EXRW."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        octets = bytearray(send)
        is_response = octets[12:16] == _OPTIONAL and octets[20:24] == _XMTRESP
        has_item = is_response and len(octets) > _TYPE and any(octets[_ITEMS])
        if not has_item or octets[_TYPE] not in (3, 4):
            return super().take(send)
        octets[_TYPE] = 1
        return super().take(bytes(octets))


_OPTIONAL: Final = v2.Rdma2Procedure.RDMA2_OPTIONAL.to_bytes(4)
_XMTRESP: Final = ROPT_XMTRESP.to_bytes(4)


_ITEMS: Final = slice(28, 32)
"""How many items a response has."""

_TYPE: Final = 28 + 12 + 3
"""Last octet of the type of the first item: after the header's words, a count and two words."""


@mutant(breaks="rtrext.7.4.invalid-answers-are-not-used")
class PassesOverSurplusAnswers(Requester):
    """Uses a response with more entries than its request has directions."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        part = part_of(arrived.octets)
        call = None if part is None else self._calls.get(part.xid)
        if call is None or call.group is None:
            return super()._take_group(arrived)
        wanted = len(call.group.response.directions)

        def change(response: XmtResp) -> XmtResp:
            return msgspec.structs.replace(response, optxrs_ddp=response.optxrs_ddp[:wanted])

        return super()._take_group(edited_response(arrived, change))


@mutant(breaks="rtrext.7.4.memory-is-deregistered")
class KeepsMemoryThatWasNotUsed(Requester):
    """Leaves memory of directions accessible to which no result has gone."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        if isinstance(call.answer, GroupedMsg):
            call.note_returned()
            for memory in (one for chunk in call.writes for one in chunk):
                if not memory.returned:
                    memory.safe = True
        return super()._end(call)
