"""Mutants: how either end answers its peer's requests for changes (xcharext 4.2, 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import PostReceive, Send
from rpcrdma.endpoint.properties.judgements import PropertyJudgement
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.values import Disposition
from rpcrdma.wire.operations import ReqProp, RespProp
from rpcrdma.wire.properties import (
    RequesterRemoteInvalidation,
    property_values,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.v2 import Rdma2Optional, decode_header
from targets.mutants.base import mutant
from targets.reference.replaced_parts import BOTH_ENDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.properties.judgements import Standing
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.properties import KnownProperty, PropertyValue

ANSWERED = "xcharext.4.2.supported-request-is-answered"
NO_ANSWER = "nobody can read an answer to anything"
SAME_XID = "xcharext.4.3.answer-has-the-requests-xid"
CREDIT = "v2.4.2.2.optional-credit-of-its-direction"
DIRECTION = "v2.4.2.2.optional-direction-without-payload"
OWN_XIDS = 0x5011
"""The high half of the XIDs of the reference's own optional messages."""


@mutant(
    breaks=ANSWERED,
    roles=BOTH_ENDS,
    also_trips=dict.fromkeys(
        ("v2.3.1.", "xcharext.2.1.", "xcharext.4.2.xid-may-be-in-use"), NO_ANSWER
    ),
)
class AnswersNoRequest(OptionalHalf):
    """Answers no request for changes."""

    def take(self, message: bytes) -> list[Action]:
        return [one for one in super().take(message) if isinstance(one, PostReceive)]


@mutant(
    breaks=ANSWERED,
    roles=BOTH_ENDS,
    also_trips=dict.fromkeys(
        ("xcharext.2.1.", "xcharext.4.2.xid-may-be-in-use"),
        "the second answer comes where something else is looked at",
    ),
    trips_at={
        "responder": dict.fromkeys(
            (
                "v2.3.1.refusal-echoes-the-xid",
                "v2.3.2.optional-messages-tell-their-direction",
                "v2.4.2.3.error-echoes-the-xid",
                "v2.5.1.answer-has-the-same-xid",
                "xcharext.4.3.answer-has-the-requests-xid",
            ),
            "the second answer comes where something else is looked at",
        )
    },
)
class AnswersRequestsTwice(OptionalHalf):
    """Answers each request for changes twice."""

    def take(self, message: bytes) -> list[Action]:
        actions = super().take(message)
        return actions + [one for one in actions if isinstance(one, Send)]


@mutant(breaks=SAME_XID, roles=BOTH_ENDS, also_trips={"xcharext.4.2.xid-may-be-in-use": NO_ANSWER})
class AnswersRequestsUnderTheNextXid(PropertyRules):
    """Answers a request under the XID that comes after its own."""

    def response_xid(self, xid: int) -> int:
        return super().response_xid(xid + 1)


@mutant(breaks=DIRECTION, roles=BOTH_ENDS)
class AnswersRequestsAsACall(PropertyRules):
    """Sends its answer to a request as a CALL."""

    def direction(self, option: Option) -> MessageType:
        return MessageType.CALL


@mutant(
    breaks=DIRECTION,
    roles=BOTH_ENDS,
    trips_at={
        "responder": {
            "xcharext.4.3.answer-has-the-requests-xid": "what says that it is an answer has none"
        }
    },
)
class AsksAsAnAnswer(PropertyRules):
    """Sends its requests as REPLYs."""

    def direction(self, option: Option) -> MessageType:
        return MessageType.REPLY if isinstance(option, ReqProp) else super().direction(option)


@mutant(
    breaks=CREDIT,
    roles=BOTH_ENDS,
    trips_at={
        "responder": {"v2.5.answer-reports-the-credit-limit": "a value of 0 reports no limit"},
    },
)
class GrantsNothingInOperations(OptionalHalf):
    """Sends operations with a credit value of 0."""

    def credit(self) -> int:
        return 0


@mutant(
    breaks="xcharext.4.3.unknown-property-is-rejected",
    roles=BOTH_ENDS,
    also_trips={
        "xcharext.2.1.bit-of-an-element": (
            "unknown properties are what other cases look for among the rejected"
        )
    },
)
class SaysDoneOfUnknownProperties(PropertyRules):
    """Reports unknown properties as done."""

    def judge(self, wanted: KnownProperty | None, standing: Standing) -> PropertyJudgement:
        if wanted is None:
            return PropertyJudgement(Disposition.DONE)
        return super().judge(wanted, standing)


@mutant(breaks="xcharext.4.3.unchangeable-property-is-rejected", roles=BOTH_ENDS)
class LeavesOutWhatItDoesNotChange(PropertyRules):
    """Says nothing of a known property that it does not change."""

    def response(
        self,
        want: Sequence[PropertyValue],
        judged: Mapping[int, PropertyJudgement],
        *,
        high_bit_first: bool,
    ) -> RespProp:
        left_out = {1, 2, 3}
        whole = super().response(want, judged, high_bit_first=high_bit_first)
        rejected = self.members(whole.optrespr_rej, high_bit_first=high_bit_first)
        kept = {place for place in rejected if want[place].pv_which not in left_out}
        words = self.subset(kept, high_bit_first=high_bit_first)
        return RespProp(whole.optrespr_done, words, whole.optrespr_other)


@mutant(
    breaks="xcharext.4.3.dispositions-cover-the-request",
    roles=BOTH_ENDS,
    also_trips=dict.fromkeys(
        (
            "xcharext.2.1.bit-of-an-element",
            "xcharext.3.1.reduction-after-the-peer-knows",
            "xcharext.6.1.codes-of-any-size",
        ),
        NO_ANSWER,
    ),
)
class TellsOnlyWhatIsDone(PropertyRules):
    """Tells in its answer what is done and nothing else."""

    def response(
        self,
        want: Sequence[PropertyValue],
        judged: Mapping[int, PropertyJudgement],
        *,
        high_bit_first: bool,
    ) -> RespProp:
        whole = super().response(want, judged, high_bit_first=high_bit_first)
        return RespProp(whole.optrespr_done, (), ())


@mutant(breaks="xcharext.4.3.dispositions-do-not-overlap", roles=BOTH_ENDS)
class RejectsWhatIsDone(PropertyRules):
    """Reports as rejected, too, what it reports as done."""

    def response(
        self,
        want: Sequence[PropertyValue],
        judged: Mapping[int, PropertyJudgement],
        *,
        high_bit_first: bool,
    ) -> RespProp:
        whole = super().response(want, judged, high_bit_first=high_bit_first)
        words = self.subset(range(len(want)), high_bit_first=high_bit_first)
        return RespProp(whole.optrespr_done, words, whole.optrespr_other)


@mutant(breaks="xcharext.4.3.others-were-asked-for", roles=BOTH_ENDS)
class TellsAllItsValues(PropertyRules):
    """Tells in each answer values of properties that were not asked for."""

    def response(
        self,
        want: Sequence[PropertyValue],
        judged: Mapping[int, PropertyJudgement],
        *,
        high_bit_first: bool,
    ) -> RespProp:
        whole = super().response(want, judged, high_bit_first=high_bit_first)
        codes = {value.pv_which for value in want}
        values = property_values(RequesterRemoteInvalidation(allowed=False))
        foreign = tuple(value for value in values if value.pv_which not in codes)
        others = (*whole.optrespr_other, *foreign)
        return RespProp(whole.optrespr_done, whole.optrespr_rej, others)


@mutant(breaks="xcharext.6.1.codes-of-any-size", roles=BOTH_ENDS)
class HasATableOfProperties(PropertyRules):
    """Has room for 64 properties of a message, and passes over the others."""

    def subset(self, positions: Iterable[int], *, high_bit_first: bool) -> tuple[int, ...]:
        few = (place for place in positions if place < 64)
        return super().subset(few, high_bit_first=high_bit_first)


@mutant(breaks="xcharext.4.2.xid-may-be-in-use", roles=BOTH_ENDS)
class DropsRequestsUnderItsOwnXids(OptionalHalf):
    """Drops a request whose XID is one of its own."""

    def take(self, message: bytes) -> list[Action]:
        header, _ = decode_header(message)
        body = header.rdma_body
        is_request = isinstance(body, Rdma2Optional) and body.rdma_optdir is MessageType.CALL
        if is_request and header.rdma_xid >> 16 == OWN_XIDS:
            return [PostReceive.of(self.exchange.posted_length)]
        return super().take(message)


@mutant(breaks="xcharext.4.3.done-is-done", roles=("responder",))
class SaysThatReductionsHaveChanged(PropertyRules):
    """Says of properties that reduce round trips that they have changed, and changes nothing."""

    def judge_reductions(self, wanted: KnownProperty, standing: Standing) -> PropertyJudgement:
        return PropertyJudgement(Disposition.DONE)
