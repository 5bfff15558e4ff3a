"""Mutants: what a server tells of itself and does not do (rtrext 5.1, 8.3, 9.2, 9.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import PostReceive
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.responder.groups import RequestGroups
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire.properties import RequestTransmissionReceiveLimit, RtrSupport
from rpcrdma.wire.transmission import MOST_IN_GROUP
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.group_bodies import GroupedMsg
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.endpoint.responder.group_rules import IncomingGroup
    from rpcrdma.wire.properties import KnownProperty
    from rpcrdma.wire.transmission import Transmission

ALL: Final = RtrSupport(7)


@mutant(
    breaks="rtrext.5.1.told-operations-are-understood",
    also_trips={
        "rtrext.9.4.continuation-needs-the-operation": (
            "a limit of several transmissions asks for what is refused"
        ),
    },
    roles=("responder",),
    without=("xmtcont",),
)
class TellsOfContinuationsThatItRefuses(PropertyRules):
    """Sets the bit of XMTCONT, which it does not support."""

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        return tuple(ALL if isinstance(one, RtrSupport) else one for one in super().announced(own))


@mutant(
    breaks="rtrext.9.4.continuation-needs-the-operation",
    roles=("responder",),
    without=("xmtcont",),
)
class AsksForContinuationsWithoutTheOperation(PropertyRules):
    """Tells that it takes requests of several transmissions, and does not support XMTCONT."""

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        limit = RequestTransmissionReceiveLimit(MOST_IN_GROUP)
        return tuple(
            limit if isinstance(one, RequestTransmissionReceiveLimit) else one
            for one in super().announced(own)
        )


@mutant(
    breaks="rtrext.8.3.receives-are-as-told",
    also_trips={
        **dict.fromkeys(
            (
                "xcharext.3.1.reduction-after-the-peer-knows",
                "xcharext.3.1.reduction-only-on-request",
            ),
            "Receives are shorter than told, whatever size is told",
        ),
        **dict.fromkeys(
            ("xcharext.4.4.update-tells-what-has-changed", "xcharext.4.operation-codes"),
            "a size is told when no Receive is shorter, and these always are",
        ),
    },
)
class PostsReceivesWithoutTheirLastUnit(Responder):
    """Posts Receives that are four octets shorter than it has told."""

    def repost(self) -> list[Action]:
        return [PostReceive.of(self.receive_length - 4)]


@mutant(
    breaks="rtrext.9.2.no-directions-may-be-given",
    also_trips=dict.fromkeys(
        (
            "v2.4.2.3.unparsable-arguments-get-garbage-args",
            "rtrext.4.2.",
            "rtrext.4.3.no-reply-chunk-where-responses-continue",
            "rtrext.5.1.told-operations-are-understood",
            "rtrext.5.2.response-stays-within-the-reserve",
            "rtrext.5.3.sending-and-receiving-are-separate",
            "rtrext.5.4.error-reports-are-supported",
            "rtrext.6.2.",
            "rtrext.7.2.flagged-segments-take-bulk-data",
            "rtrext.7.3.",
            "rtrext.8.5.no-response-beyond-the-limit",
            "rtrext.9.1.code-of-xmtcont",
            "rtrext.9.2.payload-of-xmtreq-crosses-segments",
            "rtrext.9.4.parts-are-the-payload-stream",
            "rtrext.9.5.badomt",
        ),
        because.REFUSED_FORM,
    ),
)
class WantsDirections(RequestGroups):
    """Refuses requests of one transmission without directions for their responses."""

    def take(self, body: GroupedMsg, arrived: Transmission, stream: int) -> IncomingGroup:
        group = super().take(body, arrived, stream)
        if not group.directions and arrived.sends == 1 and not body.rdma_reads:
            raise FaultFound(Fault.RESPONSE_RANGES, "no directions")
        return group
