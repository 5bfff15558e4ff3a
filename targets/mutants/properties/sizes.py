"""Mutants: receive buffer sizes, the peer's and the own one (xcharext 3.1, 4.3, 4.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import CallFailed, Deliver, Disconnect, Failure
from rpcrdma.endpoint.properties.judgements import PropertyJudgement
from rpcrdma.endpoint.properties.messages import PostedLength
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.values import (
    DEFAULT_RECEIVE_BUFFER,
    Disposition,
    PropertyValues,
)
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.plan import NO_RESULTS
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire.operations import ReqProp
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.properties import ReceiveBufferSize, decode_property
from targets.mutants.base import mutant
from targets.reference.replaced_parts import BOTH_ENDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import CallRequested
    from rpcrdma.endpoint.properties.judgements import Standing
    from rpcrdma.endpoint.properties.receive_sizes import ReceiveSizes
    from rpcrdma.endpoint.requester.plan import CallPlan, ResultsPlan
    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire.properties import KnownProperty

OBEYED = "xcharext.3.1.no-send-beyond-the-announced-size"
AFTER_ANSWER = "xcharext.3.1.reduction-after-the-peer-knows"
AFTER_OLD = "xcharext.3.1.raise-told-after-the-old-receives"
DONE = "xcharext.4.3.done-is-done"
HOLDS = "xcharext.4.4.update-tells-what-has-changed"
LARGE = 16384
DEFAULTS = (1024, 4096)
"""Octets of messages that a client may send without having been told anything."""

HEADER = 32
"""Octets of a header of Version Two without chunks."""
TOLD = "every size that is told, by whatever operation, is one to obey"


# -- the peer's


@mutant(
    breaks=OBEYED,
    roles=BOTH_ENDS,
    also_trips={
        "xcharext.4.3.other-value-is-taken": "a size that an answer tells has no effect, either"
    },
    trips_at={
        "responder": {"xcharext.2.1.": "no size that is told has an effect, whatever tells it"},
        "requester": {
            "rtrext.8.3.size-follows-from-the-structure": "a structure tells a size, too"
        },
    },
)
class IgnoresThePeersSize(PropertyRules):
    """Sends messages of 16384 octets, whatever size the peer has told."""

    def send_limit(self, peer: PropertyValues, requested: int | None) -> int:
        limit = super().send_limit(peer, requested)
        return limit if peer.receive_buffer == DEFAULT_RECEIVE_BUFFER else max(limit, LARGE)


@mutant(breaks=OBEYED, roles=BOTH_ENDS)
class GoesByTheStructureAlone(PropertyRules):
    """Sends what the segments of the peer's structure take, whatever size it has told as well."""

    def send_limit(self, peer: PropertyValues, requested: int | None) -> int:
        limit = super().send_limit(peer, requested)
        return limit if peer.buffer_structure is None else peer.longest_structured


@mutant(breaks=OBEYED, roles=BOTH_ENDS)
class TakesSizeZeroForNoLimit(PropertyRules):
    """Takes a receive buffer size of 0 for one without limit."""

    def send_limit(self, peer: PropertyValues, requested: int | None) -> int:
        return super().send_limit(peer, requested) or LARGE


@mutant(
    breaks="xcharext.4.4.new-values-replace-the-old",
    roles=BOTH_ENDS,
    also_trips={
        OBEYED: "a size that an update tells is one to obey",
        "xcharext.4.3.other-value-is-taken": "another value in an answer is new as well",
        **dict.fromkeys(
            (
                "xcharext.2.1.any-order",
                "xcharext.2.1.rest-is-processed",
                "xcharext.4.1.unsupported-property-is-ignored",
            ),
            "the case tells a smaller size by an update",
        ),
    },
)
class IgnoresUpdates(PropertyRules):
    """Goes on with the sizes that it knew before an update."""

    def updated(self, peer: PropertyValues, changes: Iterable[KnownProperty]) -> PropertyValues:
        return peer


@mutant(
    breaks="xcharext.3.default-without-information",
    roles=BOTH_ENDS,
    also_trips=dict.fromkeys(
        ("xcharext.4.1.", "xcharext.4.3.", "xcharext.4.4.new-values-replace-the-old"),
        "where nothing else is in force the default is",
    ),
    trips_at={
        "responder": dict.fromkeys(
            (
                "rtrext.8.3.size-follows-from-the-structure",
                "v2.2.3.no-send-beyond-4096-octets",
                "v2.4.2.",
                "xcharext.2.1.",
                "xcharext.3.change-may-be-rejected",
                "xcharext.3.refusal-of-the-operation-is-rejection",
            ),
            "where nothing else is in force the default is",
        )
    },
)
class AssumesLongReceives(PropertyRules):
    """Sends messages of 8192 octets to a peer that has told nothing else."""

    def send_limit(self, peer: PropertyValues, requested: int | None) -> int:
        limit = super().send_limit(peer, requested)
        return 8192 if limit == PropertyValues().receive_buffer else limit


@mutant(breaks="xcharext.3.1.asked-for-size-is-kept-at-once", roles=BOTH_ENDS)
class WaitsForTheAnswerToSendLess(PropertyRules):
    """Goes on with long messages until its request for shorter ones is answered."""

    def send_limit(self, peer: PropertyValues, requested: int | None) -> int:
        return super().send_limit(peer, None)


# -- its own


@mutant(
    breaks="xcharext.3.1.receives-as-large-as-announced",
    roles=BOTH_ENDS,
    also_trips={
        "xcharext.3.1.reduction-only-on-request": (
            "Receives shorter than told look like those of a size reduced without a word"
        ),
        "xcharext.3.unrequested-change-does-no-harm": "that size is what the others begin with",
    },
)
class AnnouncesLongerReceives(PropertyRules):
    """Announces Receives of twice the length that it posts."""

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        doubled = ReceiveBufferSize(2 * own.receive_buffer)
        return super().announced(own.changed(doubled))


@mutant(
    breaks=DONE,
    roles=BOTH_ENDS,
    trips_at={"requester": {HOLDS: "what is done is told to hold, and does not"}},
)
class SaysDoneAndDoesNothing(PropertyRules):
    """Reports longer Receives as done and goes on with those that it has."""

    def judge_receive_buffer(self, octets: int, standing: Standing) -> PropertyJudgement:
        if octets > standing.own.receive_buffer:
            return PropertyJudgement(Disposition.DONE)
        return super().judge_receive_buffer(octets, standing)


@mutant(breaks=AFTER_OLD, roles=BOTH_ENDS)
class SaysDoneBeforeTheOldReceivesAreGone(PropertyRules):
    """Reports longer Receives as done while short ones are posted in front of them."""

    def judge_receive_buffer(self, octets: int, standing: Standing) -> PropertyJudgement:
        if standing.own.receive_buffer < octets <= standing.limits.largest_receive_buffer:
            return PropertyJudgement(Disposition.DONE, ReceiveBufferSize(octets))
        return super().judge_receive_buffer(octets, standing)


@mutant(breaks="xcharext.4.3.other-value-is-in-effect", roles=BOTH_ENDS)
class TellsAnotherSizeThanItHas(PropertyRules):
    """Answers a request for longer Receives by half of them, and posts none."""

    def judge_receive_buffer(self, octets: int, standing: Standing) -> PropertyJudgement:
        if octets <= standing.own.receive_buffer:
            return super().judge_receive_buffer(octets, standing)
        half = min(octets // 2, standing.limits.largest_receive_buffer)
        return PropertyJudgement(Disposition.OTHER, ReceiveBufferSize(max(half, 6000)))


@mutant(breaks=HOLDS, roles=BOTH_ENDS, also_trips={DONE: "answers are as early"})
class TellsUpdatesTooEarly(PropertyRules):
    """Tells of longer Receives while short ones are posted."""

    def may_tell_length(self, octets: int, receives: ReceiveSizes) -> bool:
        return True


@mutant(breaks="xcharext.3.1.reduction-only-on-request", roles=BOTH_ENDS)
class ShortensReceivesUnasked(PropertyRules):
    """Tells of shorter Receives for which nobody has asked."""

    def may_shorten_unasked(self) -> bool:
        return True


@mutant(
    breaks=AFTER_ANSWER,
    roles=BOTH_ENDS,
)
class ShortensReceivesAndSaysNo(PropertyRules):
    """Makes its Receives shorter at a request, which it rejects."""

    def judge_receive_buffer(self, octets: int, standing: Standing) -> PropertyJudgement:
        found = super().judge_receive_buffer(octets, standing)
        if octets < standing.own.receive_buffer:
            return PropertyJudgement(Disposition.REJECTED, found.value)
        return found


@mutant(breaks=AFTER_ANSWER, roles=BOTH_ENDS)
class ShortensReceivesBeyondTheAnswer(OptionalHalf):
    """Posts Receives as short as it is asked to, and answers that they are longer."""

    def take(self, message: bytes) -> list[Action]:
        actions = super().take(message)
        asked = _asked_for(message)
        if asked is not None and asked < self.exchange.posted_length:
            self.exchange.posted_length = asked
            self._carry_out([PostedLength(asked)])
        return actions


@mutant(
    breaks=AFTER_ANSWER,
    roles=BOTH_ENDS,
    also_trips={"xcharext.3.1.reduction-only-on-request": "nobody has heard of it"},
)
class ShortensReceivesInSilence(OptionalHalf):
    """Posts shorter Receives when it is told to by its own side, before it says a word of it."""

    def fulfil(self) -> list[Action]:
        actions = super().fulfil()
        for value in self.wishes.denied:
            if isinstance(value, ReceiveBufferSize):
                self.exchange.posted_length = value.octets
                self._carry_out([PostedLength(value.octets)])
        return actions


def _asked_for(message: bytes) -> int | None:
    """Octets of the Receives that a message asks for; None if it does not ask for any."""
    body = v2.decode_header(message)[0].rdma_body
    if not isinstance(body, v2.Rdma2Optional):
        return None
    try:
        option = decode_option(body)
        wanted = option.optreqpr_want if isinstance(option, ReqProp) else ()
        values = [decode_property(value) for value in wanted]
    except DecodeError:
        return None
    return next((one.octets for one in values if isinstance(one, ReceiveBufferSize)), None)


@mutant(
    breaks="xcharext.3.unrequested-change-does-no-harm",
    roles=BOTH_ENDS,
    also_trips=dict.fromkeys(
        (
            "xcharext.4.1.left-out-stays",
            "xcharext.4.3.other-value-is-taken",
            "xcharext.4.operation-codes",
        ),
        "the connection is gone over which it would tell",
    ),
)
class ChangesByHangingUp(OptionalHalf):
    """Ends the connection in order to change its Receives."""

    def fulfil(self) -> list[Action]:
        before = self.exchange.posted_length
        actions = super().fulfil()
        if self.exchange.posted_length > before:
            actions.append(Disconnect("longer Receives"))
        return actions


@mutant(
    breaks="xcharext.3.1.reply-chunk-beyond-the-size",
    also_trips={"xcharext.2.1.": TOLD, "xcharext.3.1.": TOLD},
)
class RepliesInlineBeyondTheSize(Responder):
    """Sends Replies inline up to 16384 octets, whatever the client has told."""

    def heed(self, version: int, send_limit: int, peer: PropertyValues) -> None:
        told = peer.receive_buffer != DEFAULT_RECEIVE_BUFFER
        super().heed(version, max(send_limit, LARGE) if told else send_limit, peer)


@mutant(
    breaks="xcharext.3.1.long-call-beyond-the-size",
    also_trips=dict.fromkeys(
        (
            "rtrext.8.3.size-follows-from-the-structure",
            "xcharext.2.1.",
            "xcharext.3.1.",
            "xcharext.4.1.unsupported-property-is-ignored",
            "xcharext.4.3.other-value-is-taken",
        ),
        TOLD,
    ),
)
class FailsCallsBeyondTheSize(Requester):
    """Sends no Call that does not fit a size that the server has told of its own."""

    def _request(self, event: CallRequested, now: float) -> list[Action]:
        limit = self._planner.send_limit
        if limit not in DEFAULTS and len(event.payload) + HEADER > limit:
            return [Deliver(CallFailed(event.token, Failure.CANNOT_SEND))]
        return super()._request(event, now)


@mutant(breaks="xcharext.3.1.reply-chunk-by-the-own-size")
class OffersReplyChunksByTheDefault(Requester):
    """Offers Reply chunks as if it took 4096 octets, though it has shorter Receives."""

    def post_from_now(self, octets: int) -> None:
        super().post_from_now(octets)
        self._planner.receive_limit = self.options.thresholds.reply


@mutant(breaks="xcharext.3.1.long-call-beyond-the-size")
class CountsNoChunksForResults(CallPlanner):
    """Chooses the form of a call as if its header had no chunks for results."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        return super().choose_form(payload, items, NO_RESULTS)


@mutant(breaks="xcharext.3.1.long-call-beyond-the-size")
class CountsNoReplyChunk(CallPlanner):
    """Chooses the form of a call as if its header had no Reply chunk."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        return super().choose_form(payload, items, replace(results, reply=()))


@mutant(breaks=OBEYED)
class RoundsTheSizeUp(CallPlanner):
    """Takes a size for the next multiple of four, as calls are."""

    @property
    def threshold(self) -> int:
        return self.send_limit + -self.send_limit % 4


@mutant(breaks=OBEYED)
class RoundsTheSizeOfRepliesUp(Responder):
    """Takes a size for the next multiple of four, as replies are."""

    def heed(self, version: int, send_limit: int, peer: PropertyValues) -> None:
        super().heed(version, send_limit + -send_limit % 4, peer)


@mutant(breaks=AFTER_OLD, roles=BOTH_ENDS)
class TellsAnotherRaiseAtOnce(PropertyRules):
    """Waits for shorter Receives to be used up only when it raises its size for the first time."""

    def may_tell_length(self, octets: int, receives: ReceiveSizes) -> bool:
        is_due = super().may_tell_length(octets, receives) or "raised" in vars(self)
        if is_due and octets > DEFAULT_RECEIVE_BUFFER:
            vars(self)["raised"] = True
        return is_due
