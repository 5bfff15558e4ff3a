"""Mutants: what either end makes of the peer's answers to its requests (xcharext 3, 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import Disconnect
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.values import Disposition
from rpcrdma.wire.properties import PROP_RBSIZ, ReceiveBufferSize
from rpcrdma.wire.v2 import ErrInvalidOption, Rdma2Error, decode_header
from targets.mutants.base import mutant
from targets.reference.replaced_parts import BOTH_ENDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.properties.values import PropertyOutcome
    from rpcrdma.wire.properties import KnownProperty

GAP = "xcharext.4.3.gap-counts-as-rejection"
OVERLAP = "xcharext.4.3.overlap-counts-as-rejection"
LARGE = 16384


@mutant(
    breaks="xcharext.3.change-may-be-rejected",
    roles=BOTH_ENDS,
    also_trips={"xcharext.4.3.": "whatever counts as a rejection has that effect"},
)
class HangsUpWhenRejected(OptionalHalf):
    """Ends the connection when its request is rejected."""

    def take(self, message: bytes) -> list[Action]:
        before = self.exchange.outcomes
        actions = super().take(message)
        after = self.exchange.outcomes
        if after is not before and after is not None:
            rejected = [one for one in after if one.disposition is Disposition.REJECTED]
            if rejected and not isinstance(decode_header(message)[0].rdma_body, Rdma2Error):
                actions.append(Disconnect("a rejection"))
        return actions


@mutant(breaks="xcharext.3.refusal-of-the-operation-is-rejection", roles=BOTH_ENDS)
class TakesARefusalForAnAnswer(OptionalHalf):
    """Takes what it has asked for when the operation is refused."""

    def take(self, message: bytes) -> list[Action]:
        was_pending = self.exchange.is_pending
        actions = super().take(message)
        body = decode_header(message)[0].rdma_body
        refuses = isinstance(body, Rdma2Error) and isinstance(body.error, ErrInvalidOption)
        if refuses and was_pending:
            self.exchange.peer = self.exchange.peer.changed(ReceiveBufferSize(LARGE))
            self.apply()
        return actions


@mutant(breaks="xcharext.4.3.other-value-is-taken", roles=BOTH_ENDS)
class TakesWhatItAskedFor(PropertyRules):
    """Takes the value that it has asked for where the answer has another one."""

    def effects(
        self, outcomes: Iterable[PropertyOutcome], other: Iterable[KnownProperty]
    ) -> tuple[KnownProperty, ...]:
        changes = tuple(outcomes)
        found = super().effects(changes, other)
        if any(one.disposition is Disposition.OTHER for one in changes):
            return tuple(
                ReceiveBufferSize(LARGE) if isinstance(one, ReceiveBufferSize) else one
                for one in found
            )
        return found


@mutant(breaks="xcharext.4.3.foreign-values-are-ignored", roles=BOTH_ENDS)
class TakesForeignValues(PropertyRules):
    """Takes values from an answer that it has not asked for."""

    def effects(
        self, outcomes: Iterable[PropertyOutcome], other: Iterable[KnownProperty]
    ) -> tuple[KnownProperty, ...]:
        changes = tuple(outcomes)
        asked = {one.propid for one in changes}
        foreign = [
            one for one in other if isinstance(one, ReceiveBufferSize) and PROP_RBSIZ not in asked
        ]
        return (*super().effects(changes, other), *foreign)


@mutant(breaks=OVERLAP, roles=BOTH_ENDS)
class TakesDoneBeforeAllElse(PropertyRules):
    """Takes a property for changed that is reported as done, whatever else is said of it."""

    def dispositions(
        self,
        asked: Sequence[int],
        done: Collection[int],
        rejected: Collection[int],
        other: Collection[int],
    ) -> tuple[Disposition, ...]:
        found = super().dispositions(asked, done, rejected, other)
        return tuple(
            Disposition.DONE if position in done else one for position, one in enumerate(found)
        )


@mutant(breaks=GAP, roles=BOTH_ENDS)
class TakesSilenceForConsent(PropertyRules):
    """Takes a property for changed of which the answer says nothing."""

    def dispositions(
        self,
        asked: Sequence[int],
        done: Collection[int],
        rejected: Collection[int],
        other: Collection[int],
    ) -> tuple[Disposition, ...]:
        found = super().dispositions(asked, done, rejected, other)
        return tuple(
            Disposition.DONE if not (place in done or place in rejected or code in other) else one
            for place, (code, one) in enumerate(zip(asked, found, strict=True))
        )


@mutant(breaks="xcharext.4.3.answer-to-nothing-has-no-effect", roles=BOTH_ENDS)
class TakesAnyAnswerForItsOwn(PropertyRules):
    """Takes an answer for that to its request, whatever XID it has."""

    def answers(self, request: int, response: int) -> bool:
        return True


@mutant(breaks="xcharext.4.3.answer-to-nothing-has-no-effect", roles=BOTH_ENDS)
class TakesAnAnswerToAnEarlierRequest(PropertyRules):
    """Takes an answer for that to its request if it has the XID of an earlier message."""

    def answers(self, request: int, response: int) -> bool:
        return response <= request


@mutant(
    breaks="xcharext.2.1.bit-of-an-element",
    roles=BOTH_ENDS,
    also_trips={OVERLAP: "it does not see that the parts overlap"},
)
class ReadsBitsFromTheHighEnd(PropertyRules):
    """Takes the highest bit of a word for the first element of a set."""

    def members(self, words: Iterable[int], *, high_bit_first: bool) -> frozenset[int]:
        return super().members(words, high_bit_first=not high_bit_first)
