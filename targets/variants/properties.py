"""Ends of either role that deal otherwise with transport properties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rpcrdma.endpoint.properties.judgements import REJECTED, PropertyJudgement, Standing
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.values import DEFAULT_RECEIVE_BUFFER, Disposition
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire.operations import RTREXT, operations_of
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


@variant(
    "D-142",
    leaves_open=dict.fromkeys(
        (
            "rtrext/",
            "v2/5/responder-has-its-receives-after-groups",
            "xcharext/3.1/requester-counts-the-chunk",
        ),
        "it claims nothing of round-trip reductions, and has no call of more than 4096 octets",
    ),
    roles=BOTH_ENDS,
    without=tuple(one.name for one in operations_of(RTREXT)),
    documents="v2,xcharext,rtrext",
)
class KeepsToTheDefaultSize(PropertyRules):
    """Sends messages of up to 4096 octets, whatever size the peer has told."""

    def send_limit(self, peer: PropertyValues, requested: int | None) -> int:
        """The default, or what it has asked for itself."""
        asked = DEFAULT_RECEIVE_BUFFER if requested is None else requested
        return min(asked, DEFAULT_RECEIVE_BUFFER)


@variant("D-142", roles=BOTH_ENDS, documents="xcharext")
class HeedsNoSizeBelowTheDefault(PropertyRules):
    """Takes a size below 4096 octets for 4096."""

    def send_limit(self, peer: PropertyValues, requested: int | None) -> int:
        """At least the default, unless it has asked for less."""
        least = replace(peer, receive_buffer=max(peer.receive_buffer, DEFAULT_RECEIVE_BUFFER))
        return super().send_limit(least, requested)


@variant("D-142", roles=BOTH_ENDS, documents="xcharext")
class AnswersWhateverTheSize(PropertyRules):
    """Answers operations whatever size the peer has told: no answer has 4096 octets."""

    def has_room(self, octets: int, limit: int) -> bool:
        """Always."""
        return True


@variant("D-142", documents="xcharext")
class OffersNoChunkForWhatItTakes(Requester):
    """Keeps Receives of 4096 octets when it tells less at a request, and offers chunks by those."""

    def post_from_now(self, octets: int) -> None:
        """At least the default."""
        super().post_from_now(max(octets, DEFAULT_RECEIVE_BUFFER))
