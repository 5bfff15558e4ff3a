"""Mutants: what an end makes of refusals of its own operations (xcharext 3, 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import PostReceive
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.wire import fixed_words
from targets.mutants.base import mutant
from targets.reference.replaced_parts import BOTH_ENDS

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action


@mutant(breaks="xcharext.4.3.answer-to-nothing-has-no-effect", roles=BOTH_ENDS)
class WaitsForTheAnswerOfWhoRefuses(OptionalHalf):
    """Drops each refusal of its operations, and so waits for an answer all the same."""

    def take(self, message: bytes) -> list[Action]:
        if fixed_words(message).is_error:
            return [PostReceive.of(self.exchange.posted_length)]
        return super().take(message)


@mutant(breaks="xcharext.4.3.other-value-is-taken", roles=BOTH_ENDS)
class GivesItsRequestUpOverOtherRefusals(OptionalHalf):
    """Takes the refusal of any of its operations for that of the request which waits."""

    def take(self, message: bytes) -> list[Action]:
        actions = super().take(message)
        if fixed_words(message).is_error:
            self.exchange._request = None  # noqa: SLF001  # nothing public gives it up
        return actions
