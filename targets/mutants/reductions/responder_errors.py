"""Mutants: which messages a server refuses or reports, and by what (rtrext 5, 6.2, 9.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import Disconnect
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.group_placement import PlacementFound
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.responder.groups import RequestGroups
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DecodeError
from rpcrdma.wire import fixed_words, v2
from rpcrdma.wire._generated_rtrext import BadHeaderType, BadPayloadLength
from rpcrdma.wire.operations import ROPT_XMTREQ
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import GroupBroken
    from rpcrdma.endpoint.core.group_bodies import GroupError
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.endpoint.responder.group_reply import PlannedGroup
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import FixedWords

ITEMS: Final = 28
"""Offset of how many items an XMTREQ has."""

LONG: Final = 4096


def _word(message: bytes, offset: int) -> int:
    return int.from_bytes(message[offset : offset + 4])


def _is_request(message: bytes) -> bool:
    """Whether a message says that it is an XMTREQ."""
    words = fixed_words(message)
    is_operation = (
        words.version == v2.VERSION and words.procedure == v2.Rdma2Procedure.RDMA2_OPTIONAL
    )
    return is_operation and len(message) > ITEMS + 4 and _word(message, 20) == ROPT_XMTREQ


@mutant(breaks="rtrext.5.4.faulty-placement-is-reported")
class ReportsTheFirstPlacementOnly(Responder):
    """Reports bulk data in the wrong place once on a connection."""

    def send_report(self, words: FixedWords, found: PlacementFound) -> list[Action]:
        is_first = "reported" not in vars(self)
        vars(self)["reported"] = True
        return super().send_report(words, found) if is_first else []


@mutant(breaks="rtrext.5.4.faulty-placement-is-reported")
class SaysNothingOfItemsInTheWrongPlace(Responder):
    """Drops requests whose bulk data cannot be where they are told to be."""

    def send_report(self, words: FixedWords, found: PlacementFound) -> list[Action]:
        return self.discard(words, Fault.BAD_PLACEMENT)


@mutant(breaks="rtrext.5.4.error-reports-are-supported")
class AnswersReportsByErrors(Responder):
    """Answers a report about a response by an error."""

    def take_report(self, words: FixedWords, body: GroupError, rest: bytes) -> list[Action]:
        return self.send_error(words, Fault.UNDECODABLE_HEADER)


@mutant(
    breaks="rtrext.5.4.request-may-be-sent-otherwise",
    also_trips={
        "rtrext.5.4.faulty-groups-are-reported": because.CONNECTION_GONE,
        "rtrext.9.5.": because.CONNECTION_GONE,
    },
    roles=("responder",),
)
class HangsUpAfterAReport(OptionalHalf):
    """Ends the connection after it has reported a faulty group."""

    def group_broken(self, event: GroupBroken) -> list[Action]:
        return [*super().group_broken(event), Disconnect("a faulty group")]


@mutant(breaks="rtrext.5.2.groups-answer-xmtreq")
class AnswersLongRepliesByGroups(Responder):
    """Answers Calls of Version Two's own by groups where the Requester has told of targets."""

    def _goes_as_group(self, call: IncomingCall, reply: bytes) -> bool:
        own = call.group is None and call.words.version == v2.VERSION
        if own and self.groups.peer.targets and len(reply) > LONG:
            return True
        return super()._goes_as_group(call, reply)


@mutant(
    breaks="rtrext.5.peers-without-the-extension-are-served",
    also_trips={
        **dict.fromkeys(
            ("v2.1.", "v2.2.1.large-reply-goes-by-rdma", "v2.4.2.header-layout"),
            "a long Reply does not come by the means that are looked at",
        ),
        "xcharext.2.1.": because.SEEN_BY_LONG_CALLS,
        "xcharext.3.": because.SEEN_BY_LONG_CALLS,
        "xcharext.4.": because.SEEN_BY_LONG_CALLS,
    },
)
class AnswersThoseWithoutTheExtensionByGroups(Responder):
    """Answers Calls with long replies by groups where the Requester has told of no targets."""

    def _goes_as_group(self, call: IncomingCall, reply: bytes) -> bool:
        own = call.group is None and call.words.version == v2.VERSION
        if own and not self.groups.peer.targets and len(reply) > LONG:
            return True
        return super()._goes_as_group(call, reply)


@mutant(
    breaks="rtrext.2.version-one-peers-are-served",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.5.3.form-of-reply-follows-the-chunks",
            "rfc8166.4.2.4.",
            "rfc8166.8.2.2.",
        ),
        "a Reply in a group answers no Call of Version One, whatever its lists are",
    ),
)
class AnswersVersionOneByGroups(Responder):
    """Answers Calls of Version One with chunks for data and a longer reply by groups."""

    def _goes_as_group(self, call: IncomingCall, reply: bytes) -> bool:
        is_one = call.words.version == 1 and bool(call.chunks) and call.reply is not None
        return is_one or super()._goes_as_group(call, reply)


@mutant(
    breaks="rtrext.6.2.direction-as-item-of-a-request",
    also_trips={
        "rtrext.9.5.xdr-errors-are-not-reported-so": (
            "contents that end too early look as if they had such items, and are dropped"
        ),
    },
)
class DropsRequestsWithUnknownItems(Responder):
    """Drops requests whose items are of a type that they cannot have."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        try:
            return super()._judge(message, words)
        except FaultFound as found:
            undecodable = found.fault is Fault.UNDECODABLE_HEADER and _is_request(message)
            if undecodable and _word(message, ITEMS):
                return self.discard(words, found.fault)
            raise


@mutant(breaks="rtrext.6.2.result-as-direction")
class DropsRequestsWithUnknownDirections(Responder):
    """Drops requests whose directions are of a type that they cannot have."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        try:
            return super()._judge(message, words)
        except FaultFound as found:
            undecodable = found.fault is Fault.UNDECODABLE_HEADER and _is_request(message)
            if undecodable and not _word(message, ITEMS) and _word(message, ITEMS + 4):
                return self.discard(words, found.fault)
            raise


@mutant(
    breaks="rtrext.9.5.xdr-errors-are-not-reported-so",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.5.2.xdr-error-gets-err-chunk",
            "v2.3.2.optional-messages-tell-their-direction",
            "rtrext.6.2.",
            "rtrext.9.1.structure-overlays-the-information",
        ),
        "whatever cannot be decoded is reported in place of what should answer it",
    ),
)
class ReportsContentsThatAreNone(Responder):
    """Reports requests that it cannot decode."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        try:
            return super()._judge(message, words)
        except FaultFound as found:
            is_operation = words.procedure == v2.Rdma2Procedure.RDMA2_OPTIONAL
            if found.fault is Fault.UNDECODABLE_HEADER and is_operation:
                raise PlacementFound(0, BadPayloadLength(0, 4, LONG), "contents") from found
            raise


@mutant(
    breaks="rtrext.9.5.base-errors-are-not-reported-so",
    also_trips={
        "v2.4.2.3.unknown-procedure-gets-bad-header": (
            "a procedure that nobody knows is reported in place of being refused"
        ),
    },
)
class ReportsUnknownProcedures(Responder):
    """Reports a procedure that it does not know."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        try:
            return super()._judge(message, words)
        except FaultFound as found:
            if words.version == v2.VERSION and words.procedure > v2.Rdma2Procedure.RDMA2_OPTIONAL:
                expected = v2.Rdma2Procedure.RDMA2_MSG
                info = BadHeaderType(expected, words.procedure)
                raise PlacementFound(0, info, "a procedure") from found
            raise


@mutant(
    breaks="rtrext.9.5.rpc-errors-are-not-reported-so",
    also_trips={
        "rtrext.7.4.every-direction-is-answered": (
            "a report comes in place of the Reply whose entries are looked at"
        ),
    },
)
class ReportsGarbage(Responder):
    """Reports requests in groups whose arguments it cannot decode."""

    def _take_payload(self, call: IncomingCall, payload: bytes) -> list[Action]:
        if call.group is not None:
            try:
                self._upper_layer.arguments(payload)
            except DecodeError as error:
                info = BadPayloadLength(len(payload), 0, LONG)
                raise PlacementFound(0, info, "garbage") from error
        return super()._take_payload(call, payload)


@mutant(breaks="v2.4.2.3.unparsable-arguments-get-garbage-args")
class SaysNothingOfOddItems(RequestGroups):
    """Does not answer requests with directions whose items cannot be put back."""

    def plan(
        self,
        call: IncomingCall,
        request: bytes,
        reply: bytes,
        credit: int,
        upper_layer: UpperLayer,
    ) -> PlannedGroup:
        if not request and call.group is not None and call.group.directions:
            raise FaultFound(Fault.NOT_A_CALL)
        return super().plan(call, request, reply, credit, upper_layer)
