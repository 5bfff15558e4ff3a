"""What the reference consists of on one connection, by the versions that it speaks.

v2 section 5  Protocol Version Negotiation
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.backward.requester import BackwardOptions
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS, Reductions
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.negotiation.table import Negotiation
from rpcrdma.endpoint.properties.exchange import PropertyExchange
from rpcrdma.endpoint.properties.values import PropertyOptions, PropertyValues
from rpcrdma.endpoint.requester.requester import RequesterOptions
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
    PlacementType,
)
from rpcrdma.wire.operations import BY_CODE
from rpcrdma.wire.properties import BackwardSupport

if TYPE_CHECKING:
    from rpcrdma.endpoint.backward.duplex import ClientDuplex
    from rpcrdma.endpoint.core.connection import EndpointRole
    from rpcrdma.endpoint.core.dialect import Dialect
    from rpcrdma.endpoint.negotiation.table import KnownServer
    from rpcrdma.endpoint.properties.optional_half import OptionalHalf
    from rpcrdma.endpoint.properties.wishes import PropertyWishes
    from rpcrdma.endpoint.requester.requester import Requester
    from targets.reference.client_parts import ClientParts
    from targets.reference.server_parts import Parts

__all__ = ["EVERY_OPERATION", "REDUCTIONS", "client_role", "optional_half", "reductions_of"]

EVERY_OPERATION: Final = frozenset(BY_CODE)
"""The optional operations of all documents, by opttype."""

OPTIONS: Final = RequesterOptions(segment=256 * 1024)
"""Small enough a segment for the larger acts to need several."""

STRUCTURE: Final = BufferStructure(
    TWO.threshold,
    (
        BufferSegmentGroup(1, BufferSegment(1024, 4, 0)),
        BufferSegmentGroup(3, BufferSegment(1024, 1024, XMRSFLAG_DDP)),
    ),
)
"""The Receives of either end in Version Two: bulk data after room for headers."""

REDUCTIONS: Final = Reductions(
    structure=STRUCTURE,
    receive_octets=TWO.threshold,
    direction=PlacementType.XMDTYPE_CHOICE,
)
"""How either end reduces round trips; where results go is left to who knows how long they are."""

PROPERTIES: Final = PropertyOptions(
    PropertyValues(backward=BackwardSupport.BKREQSUP_GENL), operations=EVERY_OPERATION
)
"""What either end says of itself in Version Two: chunks are welcome backward, too."""

CLIENT_PROPERTIES: Final = replace(
    PROPERTIES,
    own=replace(PROPERTIES.own, remote_invalidation=True),
    limits=replace(PROPERTIES.limits, remote_invalidation=True),
)
"""What a client says: its memory may be invalidated, too, where its device bears that."""

UNCALLED_PROPERTIES: Final = replace(
    CLIENT_PROPERTIES,
    own=replace(CLIENT_PROPERTIES.own, backward=BackwardSupport.BKREQSUP_NONE),
    limits=replace(CLIENT_PROPERTIES.limits, backward=BackwardSupport.BKREQSUP_NONE),
)
"""What a client says that takes no backward Calls; in silence a server may make them (3.3)."""

FIRST_OF_TWO: Final = InlineThresholds(call=1024, reply=TWO.threshold)
"""Until the server has answered in Version Two (v2 section 5, D-55)."""


def reductions_of(parts: Parts | ClientParts) -> Reductions:
    """How an end that is made of these parts reduces round trips."""
    supported = parts.operations & parts.reductions.operations
    return replace(parts.reductions, operations=supported) if supported else NO_REDUCTIONS


def optional_half(
    parts: Parts | ClientParts,
    granted: int,
    wishes: PropertyWishes,
    properties: PropertyOptions = PROPERTIES,
) -> OptionalHalf:
    """What has to do with the optional messages of a connection, at either end.

    Args:
        parts: of which the end is made.
        granted: rdma_credit of these messages.
        wishes: what is wanted done about properties.
        properties: what the end says of itself beside how it reduces round trips.
    """
    reductions = reductions_of(parts)
    own = replace(
        properties.own,
        receive_buffer=reductions.receive_octets,
        rtr_support=reductions.support,
        buffer_structure=reductions.structure,
        request_limit=reductions.request_limit,
        response_limit=reductions.response_limit,
    )
    told = replace(properties, own=own).supporting(parts.operations)
    exchange = PropertyExchange(told, parts.properties)
    return parts.optional(exchange, granted, wishes)


def client_role(
    parts: ClientParts, versions: tuple[int, ...], server: KnownServer, wishes: PropertyWishes
) -> EndpointRole:
    """What works on a new connection to a server.

    Args:
        parts: of which it is made.
        versions: that it speaks.
        server: what is known of it from earlier connections.
        wishes: what is wanted done about properties.
    """
    if TWO.number not in versions:
        return _in_one(parts)[0]
    negotiation = Negotiation(server, parts.negotiation())
    return parts.negotiating(partial(_speaking, parts, wishes), negotiation)


def _speaking(
    parts: ClientParts, wishes: PropertyWishes, dialect: Dialect
) -> tuple[ClientDuplex, Requester]:
    return _in_two(parts, wishes) if dialect is TWO else _in_one(parts)


def _in_one(parts: ClientParts) -> tuple[ClientDuplex, Requester]:
    """It executes the test program, too, if the server calls back."""
    forward = parts.requester(OPTIONS, parts.inside)
    calls, replies = parts.backward_calls(), parts.backward_replies()
    backward = parts.backward(TestProgram(), _allowed(parts, BackwardOptions()), calls, replies)
    return parts.duplex(forward, backward), forward


def _in_two(parts: ClientParts, wishes: PropertyWishes) -> tuple[ClientDuplex, Requester]:
    reductions = reductions_of(parts)
    octets = reductions.receive_octets
    first = replace(FIRST_OF_TWO, reply=octets)
    options = replace(OPTIONS, dialect=TWO, thresholds=first, reductions=reductions)
    forward = parts.requester(options, parts.inside)
    both = InlineThresholds(call=TWO.threshold, reply=octets)
    properties = CLIENT_PROPERTIES if parts.is_called else UNCALLED_PROPERTIES
    calls, replies = parts.backward_calls((TWO,), general=True), parts.backward_replies((TWO,))
    called = _allowed(parts, BackwardOptions(both, reductions=reductions))
    backward = parts.backward(TestProgram(), called, calls, replies)
    optional = optional_half(parts, options.credits, wishes, properties)
    return parts.duplex(forward, backward, optional), forward


def _allowed(parts: ClientParts, options: BackwardOptions) -> BackwardOptions:
    """What is allowed in the backward direction: nothing without support for it."""
    return options if parts.is_called else replace(options, credits=0)
