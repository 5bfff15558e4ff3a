"""Of which classes the reference client consists, and how they are put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.wishes import PropertyWishes

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Address, Fabric


from functools import partial
from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.duplex import ClientDuplex
from rpcrdma.endpoint.backward.responder import (
    BackwardCallRules,
    BackwardReplyRules,
    BackwardResponder,
)
from rpcrdma.endpoint.core.driver import Driver
from rpcrdma.endpoint.core.xids import XidSource
from rpcrdma.endpoint.ends.reconnecting import ReconnectingClient
from rpcrdma.endpoint.negotiation.client import NegotiatingClient
from rpcrdma.endpoint.negotiation.table import KnownServer, NegotiationRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.requester_parts import REQUESTER, RequesterParts
from rpcrdma.endpoint.requester.retransmission import Retransmission
from rpcrdma.fabric.memory import HandleAllocator
from targets.reference.acts import UpperTester
from targets.reference.roles import EVERY_OPERATION, REDUCTIONS, client_role

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.fabric.base import Fabric
    from rpcrdma.roce.parts import RoceParts


__all__ = ["CLIENT", "CONNECT_TIMEOUT", "ClientParts", "make_client"]

CONNECT_TIMEOUT: Final = 2.0
"""Seconds that one try to connect may take."""


@dataclass(frozen=True, slots=True)
class ClientParts:
    """The classes of which a client is put together; a mutant replaces one of them.

    Attributes:
        requester: the role.  inside: what a Requester consists of.
        retransmission: what outlives a connection.
        xids: where XIDs come from.
        duplex: both directions together.
        backward: the backward half.  backward_calls: how it judges.
        backward_replies: how it answers.
        allocator: on loopback, where the handles of its memory come from.
        is_called: whether there is a backward half at all.
        negotiation: which version is spoken.  negotiating: the role that finds it out.
        optional: Version Two's optional messages.  properties: how it deals with properties.
        operations: that are supported, by opttype.
        reductions: how round trips are reduced, as far as the operations allow.
        driver: what runs it on a connection, in the tester's process.
        transport: what is below, on the fabric `switch`; None: as it should be.
    """

    requester: type[Requester] = Requester
    inside: RequesterParts = REQUESTER
    retransmission: type[Retransmission] = Retransmission
    xids: type[XidSource] = XidSource
    duplex: type[ClientDuplex] = ClientDuplex
    backward: type[BackwardResponder] = BackwardResponder
    backward_calls: type[BackwardCallRules] = BackwardCallRules
    backward_replies: type[BackwardReplyRules] = BackwardReplyRules
    allocator: type[HandleAllocator] = HandleAllocator
    is_called: bool = True
    negotiation: type[NegotiationRules] = NegotiationRules
    negotiating: type[NegotiatingClient] = NegotiatingClient
    optional: type[OptionalHalf] = OptionalHalf
    properties: type[PropertyRules] = PropertyRules
    operations: frozenset[int] = EVERY_OPERATION
    reductions: Reductions = REDUCTIONS
    driver: type[Driver] = Driver
    transport: RoceParts | None = None


CLIENT: Final = ClientParts()
"""The reference itself, as a client."""


def make_client(
    fabric: Fabric,
    address: Address,
    parts: ClientParts = CLIENT,
    versions: tuple[int, ...] = (1,),
    connect_timeout: float = CONNECT_TIMEOUT,
) -> tuple[ReconnectingClient, UpperTester]:
    """A client of the server at an address, and the application above it.

    Args:
        fabric: of the client.
        address: of the server.
        parts: of which the client is made.
        versions: that it speaks.
        connect_timeout: seconds that one try to connect may take.
    """
    wishes = PropertyWishes()
    make_role = partial(client_role, parts, versions, KnownServer(), wishes)
    again = parts.retransmission()
    client = ReconnectingClient(fabric, address, connect_timeout, make_role, again, parts.driver)
    return client, UpperTester(client, parts.xids(), wishes)
