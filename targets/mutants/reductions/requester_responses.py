"""Mutants: what a client makes of responses that come in groups (rtrext 4 to 7, 9)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import PostReceive
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire.operations import ROPT_XMTCONT, ROPT_XMTRESP, XmtResp
from rpcrdma.wire.rpc import xid_of
from rpcrdma.wire.transmission import Arrived, Assembler, Transmission
from targets.mutants import because
from targets.mutants.base import mutant
from targets.mutants.reductions.edits import dropped, part_of

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import MessageReceived
    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall

SEGMENT: Final = 1024
"""Octets of each segment of the client's Receives."""


def _payloads(arrived: Transmission) -> list[int]:
    """Octets of the Payload stream in each transmission."""
    found = []
    for send, end in zip(arrived.parts, arrived.ends, strict=True):
        part = part_of(send)
        found.append(end - (len(send) - len(part.rest)) if part is not None else 0)
    return found


# -- which transmissions are taken


@mutant(
    breaks="rtrext.9.3.response-is-whole-with-its-count",
    also_trips={"rtrext.9.5.": because.LEFT_OVER},
    roles=("requester",),
)
class TakesAllButTheLast(Assembler):
    """Takes a group of three transmissions and more for whole without the last."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        part = part_of(send)
        if part is not None and isinstance(part.contents, XmtResp):
            count = part.contents.optxrs_count
            fewer = count - 1 if count > 2 else count
            return super().take(part.saying(optxrs_count=fewer).octets)
        return super().take(send)


@mutant(
    breaks="rtrext.5.1.told-operations-are-understood",
    also_trips={
        **dict.fromkeys(
            (
                "rtrext.5.4.reply-may-be-sent-otherwise",
                "rtrext.9.1.code-of-repterr",
                "rtrext.9.3.response-is-whole-with-its-count",
            ),
            "no response is taken, whatever is right or wrong with it",
        ),
        "rtrext.9.5.": "continuations of a response that is not read seem to continue nothing",
    },
)
class TellsOfResponsesThatItRefuses(Requester):
    """Tells that it takes XMTRESP, and does not know the operation."""

    @property
    def reductions(self) -> Reductions:
        known = super().reductions
        return replace(known, operations=known.operations - {ROPT_XMTRESP})


@mutant(
    breaks="rtrext.9.4.continuation-needs-the-operation",
    also_trips={
        "rtrext.5.4.": because.NEEDS_SUCH_A_REPLY,
        "rtrext.7.4.invalid-answers-are-not-used": because.NEEDS_SUCH_A_REPLY,
        "rtrext.9.5.": "a continuation is reported as another operation, whatever it says",
    },
)
class AsksForContinuationsThatItRefuses(Requester):
    """Allows responses of several transmissions, and does not know XMTCONT."""

    @property
    def reductions(self) -> Reductions:
        known = super().reductions
        return replace(known, operations=known.operations - {ROPT_XMTCONT})


@mutant(breaks="rtrext.4.2.message-may-be-cut-anywhere")
class TakesNoCutWithinTheRpcHeader(Requester):
    """Drops a response whose first transmission ends within the RPC header."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        if arrived.sends > 1 and 0 < _payloads(arrived)[0] < 24:
            raise dropped("the RPC header is cut")
        return super()._take_group(arrived)


@mutant(
    breaks="rtrext.9.4.continuation-without-payload",
    also_trips=dict.fromkeys(
        (
            "rfc8166.2.2.2.reply-retires-the-xid",
            "rtrext.4.2.",
            "rtrext.4.3.reserve-may-stay-unused",
            "rtrext.5.3.",
            "rtrext.6.2.",
            "rtrext.7.1.requests-direct-bulk-results",
            "rtrext.7.3.bulk-data-are-put-back",
            "rtrext.7.4.exrw-direction-offers-memory",
            "rtrext.8.3.receives-are-as-told",
        ),
        because.NEEDS_SUCH_A_REPLY,
    ),
)
class TakesNoTransmissionWithoutPayload(Requester):
    """Drops a response of which a transmission has nothing of the Payload stream."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        if not all(_payloads(arrived)[1:]) and arrived.sends > 2:
            raise dropped("a transmission has no payload")
        return super()._take_group(arrived)


@mutant(
    breaks="rtrext.9.3.payload-of-xmtresp-crosses-segments",
    also_trips=dict.fromkeys(
        (
            "rtrext.3.3.only-eligible-items-leave-the-stream",
            "rtrext.4.3.reserved-receives-are-there",
            "rtrext.5.1.",
            "rtrext.5.4.faulty-groups-are-reported",
            "rtrext.5.peers-without-the-extension-are-served",
            "rtrext.7.3.no-entry-means-nothing-taken-out",
            "rtrext.8.3.receives-are-as-told",
            "rtrext.9.1.",
            "rtrext.9.2.",
            "rtrext.9.3.response-is-whole-with-its-count",
            "rtrext.9.4.",
            "rtrext.9.5.",
        ),
        because.NEEDS_SUCH_A_REPLY,
    ),
)
class ReadsPayloadInTheFirstSegmentAlone(Requester):
    """Drops a response whose first transmission has payload after the first segment."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        if arrived.ends[0] > SEGMENT:
            raise dropped("payload in the second segment")
        return super()._take_group(arrived)


@mutant(
    breaks="rtrext.9.4.payload-of-xmtcont-crosses-segments",
    also_trips=dict.fromkeys(
        (
            "rtrext.3.3.only-eligible-items-leave-the-stream",
            "rtrext.4.3.reserved-receives-are-there",
            "rtrext.5.1.",
            "rtrext.5.4.faulty-groups-are-reported",
            "rtrext.5.peers-without-the-extension-are-served",
            "rtrext.7.3.no-entry-means-nothing-taken-out",
            "rtrext.8.3.receives-are-as-told",
            "rtrext.9.1.",
            "rtrext.9.2.",
            "rtrext.9.3.",
            "rtrext.9.4.continuation-needs-the-operation",
            "rtrext.9.5.",
        ),
        because.NEEDS_SUCH_A_REPLY,
    ),
)
class ReadsContinuationsInTheFirstSegmentAlone(Requester):
    """Drops a response whose continuations have payload after the first segment."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        if any(end > SEGMENT for end in arrived.ends[1:]):
            raise dropped("payload in the second segment")
        return super()._take_group(arrived)


@mutant(
    breaks="rtrext.4.3.reserve-may-stay-unused",
    also_trips=dict.fromkeys(
        ("rtrext.6.2.choice-is-the-responders", "rtrext.7.3.", "rtrext.7.4.memory-is-deregistered"),
        because.NEEDS_SUCH_A_REPLY,
    ),
)
class WaitsForAllThatItReserved(Requester):
    """Drops a response of fewer transmissions than it has Receives for."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        part = part_of(arrived.octets)
        call = None if part is None else self._calls.get(part.xid)
        if call is not None and arrived.sends < call.reserved:
            raise dropped("more transmissions are awaited")
        return super()._take_group(arrived)


@mutant(breaks="rtrext.5.1.told-operations-are-understood")
class DiesOfAGroupThatAnswersNone(Requester):
    """Dies when an XMTRESP answers a call that was no group."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        call = self._calls.get(xid_of(arrived.octets))
        if call is not None and call.group is None:
            raise RuntimeError("nothing is provided for a group")
        return super()._take_group(arrived)


# -- lengths


@mutant(
    breaks="rtrext.8.3.receives-are-as-told",
    also_trips={
        "xcharext.3.1.": "these Receives are shorter than the size that was told, too",
        "rtrext.4.3.": "the connection ends before the case has what it needs",
    },
)
class PostsShorterReceives(Requester):
    """Posts Receives of 3000 octets after the first, where it has told of 4096."""

    def _receive(self, event: MessageReceived, now: float) -> list[Action]:
        return [
            PostReceive.of(3000) if isinstance(action, PostReceive) else action
            for action in super()._receive(event, now)
        ]


@mutant(breaks="rfc8166.2.2.2.reply-retires-the-xid")
class MakesCallsOfGroupsAgain(Requester):
    """Makes a call again, by the base protocol, that was answered as a group."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        call.goes_otherwise = call.group is not None
        return super()._end(call)
