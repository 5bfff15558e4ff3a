"""Ends that say otherwise, or at another time, what they have to say of their properties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.wire.operations import RespProp
from targets.reference.replaced_parts import BOTH_ENDS
from targets.variants.base import variant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.properties.exchange import PropertyExchange
    from rpcrdma.endpoint.properties.judgements import PropertyJudgement
    from rpcrdma.endpoint.properties.wishes import PropertyWishes
    from rpcrdma.wire.properties import PropertyValue

LATER: Final = 3
"""Messages of the peer's after which an end says what it might have said before them."""

BEYOND: Final = 5
"""Elements by which a set is too short for a bit."""

NO_CHANGE: Final = dict.fromkeys(
    (
        "xcharext/3.1/change-of-its-own-holds-when-it-is-told",
        "xcharext/3.1/size-that-is-told-later-holds-then",
        "xcharext/3.1/client-offers-a-reply-chunk-by-its-own-size",
        "xcharext/4/update-is-in-form",
        "xcharext/4.3/request-goes-on-when-an-earlier-operation-is-refused[update",
    ),
    "it makes no change, as it says from the first",
)


class SaysLater(OptionalHalf):
    """Holds some messages back until so many of the peer's have come."""

    _held: tuple[tuple[int, Action], ...] = ()

    def later(self, actions: list[Action]) -> list[Action]:
        """Hold these back."""
        self._held += tuple((LATER, action) for action in actions)
        return []

    def heard(self, sends: int) -> list[Action]:
        """Let go what has waited for long enough, after everything else."""
        actions = super().heard(sends)
        counted = tuple((left - sends, action) for left, action in self._held)
        self._held = tuple(one for one in counted if one[0] > 0)
        return actions + [action for left, action in counted if left <= 0]


@variant(
    "xcharext.4.1.connprop-may-come-first",
    roles=BOTH_ENDS,
    leaves_open={
        "xcharext/3.1/size-that-is-told-later-holds-then": "by then no older Receive is left",
    },
    documents="xcharext",
)
class AnnouncesLater(SaysLater):
    """Sends CONNPROP when three more messages have come."""

    _counting = 0

    def begin(self) -> list[Action]:
        """Not yet."""
        self._counting = LATER
        return []

    def heard(self, sends: int) -> list[Action]:
        """Begin when it is time."""
        actions = super().heard(sends)
        if self._counting:
            self._counting -= 1
            if not self._counting:
                actions += super().begin()
        return actions


@variant("D-141", roles=BOTH_ENDS, documents="xcharext")
class SetsABitTooMany(PropertyRules):
    """Sets a bit for an element that the set does not have, in RESPPROP."""

    def response(
        self,
        want: Sequence[PropertyValue],
        judged: Mapping[int, PropertyJudgement],
        *,
        high_bit_first: bool,
    ) -> RespProp:
        """With the bit, if anything is done."""
        answer = super().response(want, judged, high_bit_first=high_bit_first)
        done = self.members(answer.optrespr_done, high_bit_first=high_bit_first)
        if not done:
            return answer
        more = self.subset((*sorted(done), len(want) + BEYOND), high_bit_first=high_bit_first)
        return RespProp(more, answer.optrespr_rej, answer.optrespr_other)


@variant(
    "xcharext.4.1.marked-values-stay",
    roles=BOTH_ENDS,
    leaves_open=NO_CHANGE,
    documents="xcharext",
)
class MarksEverything(OptionalHalf):
    """Says of every property that it will not change, and changes none."""

    def __init__(
        self, exchange: PropertyExchange, granted: int, wishes: PropertyWishes | None = None
    ) -> None:
        fixed = frozenset(exchange.options.known.by_code)
        exchange.options = replace(exchange.options, fixed=fixed)
        super().__init__(exchange, granted, wishes)
