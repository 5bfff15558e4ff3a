"""Ends that make use of what a document permits or only describes: cases tell of it in a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.direction import DirectionRules, Half
from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.negotiation.table import NegotiationRules, NegotiationState
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header, fixed_words
from rpcrdma.wire.rpc import MessageType
from targets.variants.base import variant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action


UNCLAIMED = "it claims no backward direction"


@variant("v2.5.2.no-answer-means-version-one")
class OffersAgainAfterSilence(NegotiationRules):
    """Offers Version Two on every connection, though no offer is answered."""

    def assume(self, state: NegotiationState) -> bool:
        """Whether the peer is taken for one without Version Two: not after silence."""
        return state is NegotiationState.ONE


@variant(
    "bidir.3.2.unsupported-messages-are-dropped",
    leaves_open=dict.fromkeys(("bidir/", "v2/", "xcharext/"), UNCLAIMED),
    without=("backward",),
)
class AnswersCallsThoughItServesNobody(Requester):
    """Answers a backward Call by an empty Reply, though it claims to take none."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        if DirectionRules(MessageType.CALL).sort(event.data) is not Half.BACKWARD:
            return actions
        xid = fixed_words(event.data).xid
        header = encode_header(TransportHeader(xid, 1, 1, RdmaMsg((), (), None)))
        return [*actions, Send(next(self._keys), header + rpc.accepted(xid))]
