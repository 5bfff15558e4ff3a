"""Both ends of the reference as they reduce round trips, on loopback, with what a fault needs.

What the ends would have announced they know from the first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import cycle
from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.direction import DirectionRules
from rpcrdma.endpoint.backward.duplex import ClientDuplex, Duplex
from rpcrdma.endpoint.backward.requester import BackwardOptions, BackwardRequester
from rpcrdma.endpoint.backward.responder import (
    BackwardCallRules,
    BackwardReplyRules,
    BackwardResponder,
)
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.reductions import ALL_OPERATIONS
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.ends.reconnecting import ReconnectingClient
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.properties.exchange import PropertyExchange
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.values import PropertyOptions, PropertyValues
from rpcrdma.endpoint.requester.requester import Requester, RequesterOptions
from rpcrdma.endpoint.requester.requester_parts import REQUESTER, RequesterParts
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.rpc import MessageType
from tests.endpoint.group_faults import Mischief, Mischievous
from tests.endpoint.groups import SERVER, announced

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpcrdma.endpoint.core.connection import EndpointRole
    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.endpoint.properties.optional_half import Limited

CONNECTING = 1.0
"""Seconds that a connection may take."""

SEGMENT = 16384
"""Octets of the longest RDMA segment: some items need several."""


@dataclass(frozen=True)
class EndOptions:
    """How one end is made.

    Attributes:
        reductions: what it does.
        receives: credits that it asks for, or that it grants.
        is_boasting: whether it tells that it supports every operation, whatever it does.
        is_invalidated: whether a client lets replies invalidate its memory.
        grants: most credits of each reply of a server, over and over; none: all that it has.
    """

    reductions: Reductions
    receives: int = 32
    is_boasting: bool = False
    is_invalidated: bool = False
    grants: tuple[int, ...] = ()

    @property
    def longest(self) -> int:
        """Octets of the longest Send that it takes."""
        octets = self.reductions.receive_octets
        return BufferLayout.of(self.reductions.structure, octets).length

    @property
    def told(self) -> PropertyValues:
        """What it says of itself."""
        told = self.reductions
        if self.is_boasting:
            told = replace(told, operations=ALL_OPERATIONS)
        values = announced(told)
        return replace(values, receive_buffer=self.longest, remote_invalidation=self.is_invalidated)


@dataclass(frozen=True)
class EndClasses:
    """Of which classes the ends are made."""

    requester: RequesterParts = REQUESTER
    responder: type[Responder] = Responder


REFERENCE = EndClasses()


class GroupEnds:
    """A client that reconnects, and a server.

    Attributes:
        mischief: of each fabric, by name.
        requester_receives: that the client posts at the beginning of each connection.
        responder_receives: likewise of the server.
        reserve: Receives that the client posts beside those, at most.
    """

    def __init__(
        self, client: EndOptions, server: EndOptions, classes: EndClasses = REFERENCE
    ) -> None:
        self._client, self._server, self._classes = client, server, classes
        self._thresholds = InlineThresholds(server.longest, client.longest)
        self.network = LoopbackNetwork()
        self.device, self.fabric = self.network.fabric("server"), self.network.fabric("client")
        self.mischief = {"client": Mischief(), "server": Mischief()}
        self.requester_receives = self.responder_receives = 0
        self.reserve = client.reductions.reserve
        self.server = Server(self.device, SERVER, self._new_responder)
        self.device.attach(self.server.step)
        self.client = ReconnectingClient(self.fabric, SERVER, CONNECTING, self._new_requester)

    def close(self) -> None:
        self.client.close()
        self.server.close()

    def _new_requester(self) -> EndpointRole:
        own = self._client
        options = RequesterOptions(
            self._thresholds,
            credits=own.receives,
            segment=SEGMENT,
            dialect=TWO,
            reductions=own.reductions,
        )
        forward = Requester(options, self._classes.requester)
        calls, replies = BackwardCallRules((TWO,)), BackwardReplyRules((TWO,))
        nothing = BackwardOptions(self._thresholds, credits=0)
        backward = BackwardResponder(TestProgram(), nothing, calls, replies)
        role = ClientDuplex(forward, backward, _optional(own, self._server))
        self.requester_receives = len(role.initial_receives)
        return Mischievous(role, self.mischief["client"])

    def _new_responder(self) -> EndpointRole:
        own, replies = self._server, _FickleReplies(self._server.grants)
        options = ResponderOptions(self._thresholds, own.receives, reductions=own.reductions)
        calls = CallRules((TWO,))
        forward = self._classes.responder(TestProgram(), options, None, calls, replies)
        optional = _optional(own, self._client)
        directions = DirectionRules(MessageType.REPLY, own.reductions.operations)
        role = Duplex(forward, BackwardRequester(), directions, optional)
        self.responder_receives = len(role.initial_receives)
        return Mischievous(role, self.mischief["server"])


class _FickleReplies(ReplyRules):
    """Replies whose grants change."""

    def __init__(self, grants: tuple[int, ...]) -> None:
        super().__init__((TWO,))
        self._grants = cycle(grants or (2**32 - 1,))

    def grant(self, requested: int, posted: int) -> int:
        return min(super().grant(requested, posted), next(self._grants))


def _optional(own: EndOptions, peer: EndOptions) -> OptionalHalf:
    """What knows of the peer what that would have announced."""
    values = PropertyValues(receive_buffer=own.longest)
    exchange = PropertyExchange(
        PropertyOptions(values, announced=False, operations=own.reductions.operations)
    )
    exchange.peer = peer.told
    return _Knowing(exchange, own.receives)


class _Knowing(OptionalHalf):
    """What limits the halves before the first message, too."""

    def join(self, halves: Sequence[Limited], posted: Iterable[int]) -> None:
        super().join(halves, posted)
        self.apply()
