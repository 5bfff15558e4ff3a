"""Clients that go on otherwise when a version is refused, or a connection is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from rpcrdma.endpoint.core.actions import Disconnect
from rpcrdma.endpoint.negotiation.client import NegotiatingClient
from rpcrdma.endpoint.requester.retransmission import Retransmission
from targets.variants.base import variant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action, ApplicationEvent
    from rpcrdma.endpoint.negotiation.table import KnownServer


@variant("D-156", documents="v2")
class GoesOnOverAnotherConnection(NegotiatingClient):
    """Ends the connection on which Version Two was refused, and speaks Version One on the next."""

    def _fall_back(self, offer: events.CallRequested | None, now: float) -> list[Action]:
        return [Disconnect("this version only on a connection of its own")]


@variant(
    "D-157",
    leaves_open={
        "rfc8166/4.4.1/requester-takes-back-each-segment-beside": (
            "a connection that one call has cost ends the calls beside it, too"
        )
    },
)
class TellsOfLostCalls(Retransmission):
    """Tells its application of each call whose connection is lost, and makes none again."""

    def is_sent_again(self, event: ApplicationEvent) -> bool:
        return False


@variant("rfc8166.4.5.5.rpc-survives-connection-loss", documents="v2")
class GivesUpAfterTwoLosses(Retransmission):
    """Repeats a call once, and no more."""

    most_losses = 2


_lost: WeakKeyDictionary[KnownServer, int] = WeakKeyDictionary()
"""How many offers were lost on each server, where one more is made."""


@variant("D-137", documents="v2")
class OffersOnceMore(NegotiatingClient):
    """Offers Version Two again when an offer, or the refusal of it, cost the connection once."""

    def _disconnected(self, event: events.Disconnected, now: float) -> list[Action]:
        actions = super()._disconnected(event, now)
        server = self.negotiation.server
        if not server.speaks_two and server not in _lost:
            _lost[server] = 1
            server.speaks_two = True
        return actions


@variant("rfc8166.4.5.5.rpc-survives-connection-loss", documents="v2")
class WaitsBeforeItReconnects(Retransmission):
    """Connects again a second after a connection was lost."""

    pause = 1.0
