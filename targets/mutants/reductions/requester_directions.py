"""Mutants: what a client says of the results that it wants (rtrext 5.3, 6.2, 7.1, 7.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.requester.group_plan import Direction, GroupPlanner, Response
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire._generated_rtrext import PlacementType, ResponseRange, ResponseSet
from rpcrdma.wire.operations import XmtReq
from targets.mutants.base import mutant
from targets.mutants.reductions.edits import EditedSend, edited_first
from targets.reference.roles import REDUCTIONS

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.ulp.bindings import ReplyExpectation

_TYPE: Final = 28 + 4 + 4 + 8 + 4 + 4 + 3
"""Last octet of the type of the first direction of an XMTREQ without items: after the header's
words, two counts, a range, a count and a length."""


@mutant(
    breaks="rtrext.5.3.prepared-requester-says-so",
    also_trips=dict.fromkeys(
        (
            "rtrext.4.2.message-may-be-cut-anywhere",
            "rtrext.5.4.faulty-placement-is-reported",
            "rtrext.5.4.reply-may-be-sent-otherwise",
            "rtrext.6.2.segments-after-a-short-transmission-count",
            "rtrext.7.2.flagged-segments-take-bulk-data",
            "rtrext.7.3.tbsn-begins-at-the-offset",
            "rtrext.7.4.responder-chooses-the-segments",
            "rtrext.9.4.continuation-without-payload",
            "rtrext.9.5.",
        ),
        "where all results go to memory a response needs no target, and no second Send",
    ),
)
class DirectsToMemoryWithTargets(GroupPlanner):
    """Directs all results to memory, though it has told of target segments."""

    def kind(self) -> PlacementType:
        return PlacementType.XMDTYPE_EXRW


class _Directing(GroupPlanner):
    """Directs results otherwise."""

    def directed(
        self, expectation: ReplyExpectation, left: int, kind: PlacementType
    ) -> Response | None:
        """A plan with directions of one kind that come without memory."""
        response = super()._response(expectation, left)
        if response is None:
            return None
        return replace(response, directions=tuple(Direction(kind) for _ in response.directions))


@mutant(
    breaks="rtrext.5.3.unprepared-requester-directs-explicit-rdma",
    also_trips={
        "rfc8166.6.2.reply-resources-for-the-maximum": (
            "the few transmissions that are provided for take no longer Reply"
        ),
        **dict.fromkeys(
            (
                "rtrext.5.4.faulty-placement-is-reported",
                "rtrext.6.2.segments-after-a-short-transmission-count",
                "rtrext.7.3.tbsn-begins-at-the-offset",
                "rtrext.7.4.responder-chooses-the-segments",
                "rtrext.9.5.",
            ),
            "without targets no result can be placed by Sends",
        ),
        **dict.fromkeys(
            ("rtrext.6.2.direction-as-item-of-a-response", "rtrext.7.4.memory-is-deregistered"),
            "no direction offers memory that could be looked at",
        ),
        "rtrext.7.4.invalid-answers-are-not-used": "results do not leave the stream",
    },
    reductions=replace(REDUCTIONS, structure=None),
)
class DirectsToSendsWithoutTargets(_Directing):
    """Directs results to be placed by Sends, and has no target segment."""

    def _response(self, expectation: ReplyExpectation, receives_left: int) -> Response | None:
        response = self.directed(expectation, receives_left, PlacementType.XMDTYPE_TBSN)
        # What cannot be placed takes Sends as well.
        sends = min(8, receives_left)
        return response and replace(response, told=sends, reserved=sends)


@mutant(breaks="rtrext.6.2.choice-comes-with-memory")
class LeavesTheChoiceWithoutMemory(_Directing):
    """Leaves it to the Responder where results go, and offers no memory."""

    def _response(self, expectation: ReplyExpectation, receives_left: int) -> Response | None:
        return self.directed(expectation, receives_left, PlacementType.XMDTYPE_CHOICE)


@mutant(breaks="rtrext.7.4.exrw-direction-offers-memory")
class DirectsToNoMemory(_Directing):
    """Directs results to memory, and offers none."""

    def _response(self, expectation: ReplyExpectation, receives_left: int) -> Response | None:
        return self.directed(expectation, receives_left, PlacementType.XMDTYPE_EXRW)


@mutant(breaks="rtrext.7.4.bysize-direction-offers-memory")
class DirectsBySizeToNoMemory(_Directing):
    """Has results placed by their size, and offers no memory for long ones."""

    def _response(self, expectation: ReplyExpectation, receives_left: int) -> Response | None:
        return self.directed(expectation, receives_left, PlacementType.XMDTYPE_BYSIZE)


@mutant(
    breaks="rtrext.7.1.requests-direct-bulk-results",
    also_trips=dict.fromkeys(
        (
            "rtrext.5.4.faulty-placement-is-reported",
            "rtrext.6.2.direction-as-item-of-a-response",
            "rtrext.7.2.flagged-segments-take-bulk-data",
            "rtrext.7.4.",
            "rtrext.9.5.",
        ),
        "no response has results to look at where no direction asks for them",
    ),
)
class DirectsNothing(GroupPlanner):
    """Gives no directions for results, however long they may be."""

    def _response(self, expectation: ReplyExpectation, receives_left: int) -> Response | None:
        response = super()._response(expectation, receives_left)
        return None if response is None else replace(response, directions=())


def _typed(actions: list[Action], kind: int) -> list[Action]:
    """Actions whose Send has another type in its first direction; what follows stays."""
    first, *later = actions
    if not isinstance(first, Send):
        return actions
    octets = bytearray(first.data)
    octets[_TYPE] = kind
    return [Send(first.key, bytes(octets)), *later]


def _has_directions(call: OutgoingCall) -> bool:
    return call.group is not None and bool(call.group.response.directions)


@mutant(breaks="rtrext.7.4.tbsn-direction-is-empty")
class OffersMemoryForSends(Requester):
    """Offers memory in a direction that says XMDTYPE_TBSN."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        actions = super()._sent(call)
        return _typed(actions, PlacementType.XMDTYPE_TBSN) if _has_directions(call) else actions


@mutant(breaks="rtrext.6.2.types-of-directions")
class DirectsByAResult(Requester):
    """Says XMDTYPE_TOOSHORT in a direction."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        actions = super()._sent(call)
        return _typed(actions, PlacementType.XMDTYPE_TOOSHORT) if _has_directions(call) else actions


def _with_range(part: EditedSend, before: ResponseRange) -> EditedSend:
    """A request with one more range before those that it has."""
    contents = part.contents
    if not isinstance(contents, XmtReq) or not contents.optxrq_rsd:
        return part
    return part.saying(optxrq_rsd=(ResponseSet(before, ()), *contents.optxrq_rsd))


@mutant(breaks="rtrext.7.4.ranges-are-disjoint")
class OverlapsItsRanges(Requester):
    """Gives a range for the RPC header that is in the range of the results as well."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_first(
            super()._sent(call), lambda part: _with_range(part, ResponseRange(0, 40))
        )


@mutant(breaks="rtrext.7.4.ranges-ascend")
class PutsTheLastRangeFirst(Requester):
    """Gives a range that is after the others before them."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_first(
            super()._sent(call),
            lambda part: _with_range(part, ResponseRange(2**32 - 4, 2**32 - 1)),
        )
