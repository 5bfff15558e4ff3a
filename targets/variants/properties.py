"""Ends of either role that deal otherwise with transport properties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rpcrdma.endpoint.properties.judgements import REJECTED, PropertyJudgement, Standing
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.values import Disposition
from targets.reference.replaced_parts import BOTH_ENDS
from targets.variants.base import variant

if TYPE_CHECKING:
    from collections.abc import Collection

    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.wire.properties import KnownProperty

WORD = 2**32
MOST_OCTETS = 6000


@variant(
    "xcharext.3.change-may-be-rejected",
    leaves_open={
        "xcharext/3.1/size-that-is-told-later-holds-then": "it makes no change",
        "xcharext/3.1/client-offers-a-reply-chunk-by-its-own-size": "it makes no change",
    },
    roles=BOTH_ENDS,
)
class RejectsEveryChange(PropertyRules):
    """Changes nothing that it is asked to change."""

    def judge(self, wanted: KnownProperty | None, standing: Standing) -> PropertyJudgement:
        return REJECTED


@variant("xcharext.2.1.any-order", roles=BOTH_ENDS)
class AnnouncesInAnotherOrder(PropertyRules):
    """Has its properties in CONNPROP the other way round."""

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        """The last one first."""
        return super().announced(own)[::-1]


@variant("D-77", roles=BOTH_ENDS)
class CountsOptionalXidsDownwards(PropertyRules):
    """Gives each optional message a lower XID than the one before."""

    def next_xid(self, last: int, taken: Collection[int]) -> int:
        """The next lower one that is free."""
        return next(xid for step in range(1, WORD) if (xid := (last - step) % WORD) not in taken)


@variant(
    "D-80",
    leaves_open={"xcharext/3.2": "no Reply may invalidate anything"},
    roles=("requester",),
)
class AllowsNoInvalidation(PropertyRules):
    """Does not announce that its memory may be invalidated."""

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        """Of remote invalidation, that it is off."""
        return super().announced(replace(own, remote_invalidation=False))


@variant("xcharext.4.3.other-value-is-in-effect", roles=BOTH_ENDS)
class GrantsOtherSizes(PropertyRules):
    """Grants no Receives of more than 6000 octets."""

    def judge_receive_buffer(self, octets: int, standing: Standing) -> PropertyJudgement:
        """At most those."""
        judged = super().judge_receive_buffer(min(octets, MOST_OCTETS), standing)
        if octets <= MOST_OCTETS or judged.disposition is not Disposition.DONE:
            return judged
        return replace(judged, disposition=Disposition.OTHER)
