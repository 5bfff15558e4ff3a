"""A Requester and a Responder that know of each other what they would have announced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from rpcrdma.endpoint.core.actions import ReplyReceived
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.reductions import Reductions
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.ends.calling import Client
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.properties.values import PropertyValues
from rpcrdma.endpoint.requester.requester import RequesterOptions
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

OCTETS = 4096
STRUCTURE = BufferStructure(
    OCTETS,
    (
        BufferSegmentGroup(1, BufferSegment(1024, 4, 0)),
        BufferSegmentGroup(3, BufferSegment(1024, 1024, XMRSFLAG_DDP)),
    ),
)
BARE = Reductions()
"""Continuation, without targets for bulk data."""

BULKY = Reductions(structure=STRUCTURE)
"""Receives that take bulk data."""

SERVER = Address("server", 1)


def announced(reductions: Reductions) -> PropertyValues:
    """What an end says of itself."""
    return PropertyValues(
        rtr_support=reductions.support,
        buffer_structure=reductions.structure,
        request_limit=reductions.request_limit,
        response_limit=reductions.response_limit if reductions.can_continue else 1,
    )


class Facing:
    """Both ends on loopback; `client` makes calls of the test program in Version Two."""

    def __init__(self, requester: Reductions, responder: Reductions, credits_: int = 32) -> None:
        network = LoopbackNetwork()
        thresholds = InlineThresholds(OCTETS, OCTETS)
        told = announced(requester)
        options = ResponderOptions(thresholds, reductions=responder)

        def make() -> Responder:
            layer = TestProgram()
            role = Responder(layer, options, None, CallRules((TWO,)), ReplyRules((TWO,)))
            role.heed(TWO.number, OCTETS, told)
            self.responder = role
            return role

        fabric = network.fabric("server")
        self.server = Server(fabric, SERVER, make)
        fabric.attach(self.server.step)
        chosen = RequesterOptions(thresholds, dialect=TWO, credits=credits_, reductions=requester)
        self.fabric = network.fabric("client")
        self.client = Client(self.fabric, SERVER, 1.0, chosen)
        self.client.requester.heed(TWO.number, OCTETS, announced(responder))
        self.layer = TestProgram()
        self._xid = 0x1000
        assert self.does(testprog_calls.null), "the first reply grants credits"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.client.close()
        self.server.close()

    def does(self, make: Callable[[int], bytes]) -> bool:
        """Whether a call gets the very reply that it asks for."""
        self._xid += 1
        call = make(self._xid)
        event = self.client.complete(self.client.call(self.layer, call), 1.0)
        assert isinstance(event, ReplyReceived), event
        assert self.server.failure is None, self.server.failure
        return event.payload == testprog_calls.expected_reply(call)
