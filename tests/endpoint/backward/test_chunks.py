"""Backward Calls that do not fit inline, to a client that takes chunks."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from rpcrdma.endpoint.backward.direction import DirectionRules
from rpcrdma.endpoint.backward.duplex import ClientDuplex, Duplex
from rpcrdma.endpoint.backward.requester import BackwardOptions, BackwardRequester
from rpcrdma.endpoint.backward.responder import (
    BackwardCallRules,
    BackwardReplyRules,
    BackwardResponder,
)
from rpcrdma.endpoint.core.actions import ApplicationEvent, CallFailed, Failure, ReplyReceived
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.driver import Driver, parameters_for
from rpcrdma.endpoint.core.events import CallRequested
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.properties.exchange import PropertyExchange
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.values import (
    PROPERTY_OPERATIONS,
    PropertyOptions,
    PropertyValues,
)
from rpcrdma.endpoint.requester.requester import Requester, RequesterOptions
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.trace import EventKind
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire.properties import BackwardSupport
from rpcrdma.wire.rpc import MessageType

DEADLINE = 5.0
FOUR = InlineThresholds(call=4096, reply=4096)
SUPPORT = BackwardSupport


@dataclass
class World:
    """A server that calls its one client back, and the client, in Version Two."""

    support: BackwardSupport
    credits: int = 4
    heard: list[ApplicationEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.network = LoopbackNetwork()
        self.channel = Backchannel(self.heard.append)
        device = self.network.fabric("dut")
        self.server = Server(device, Address("dut", 1), self._serve)
        device.attach(self.server.step)
        self.fabric = self.network.fabric("client")
        forward = Requester(RequesterOptions(FOUR, credits=4, dialect=TWO))
        general = self.support is SUPPORT.BKREQSUP_GENL
        rules = BackwardCallRules((TWO,), general=general), BackwardReplyRules((TWO,))
        backward = BackwardResponder(TestProgram(), BackwardOptions(FOUR, self.credits), *rules)
        role = ClientDuplex(forward, backward, self._optional())
        connection = self.fabric.connect(self.server.address, parameters_for(role), DEADLINE)
        self.driver = Driver(connection, Endpoint(role))
        self.driver.inject(CallRequested(1, TestProgram(), calls.null(1)))
        self.turn()

    def _optional(self) -> OptionalHalf:
        options = PropertyOptions(PropertyValues(backward=self.support))
        return OptionalHalf(PropertyExchange(options), 4)

    def _serve(self) -> Duplex:
        forward = Responder(TestProgram(), calls=CallRules((TWO,)), replies=ReplyRules((TWO,)))
        backward = BackwardRequester(BackwardOptions(FOUR, self.credits), TestProgram())
        directions = DirectionRules(MessageType.REPLY, PROPERTY_OPERATIONS)
        role = Duplex(forward, backward, directions, self._optional())
        role.peer_is_ready(self.channel)
        return role

    def call_back(self, text: bytes) -> None:
        self.channel.call(lambda xid: calls.long_call(xid, text))

    def turn(self) -> None:
        while self.driver.wait(0.05):
            pass
        assert self.server.failure is None

    @property
    def reads(self) -> int:
        """RDMA Reads of the client: what it fetched of the server's memory."""
        return sum(event.kind is EventKind.RDMA_READ for event in self.fabric.trace.events)


def test_what_does_not_fit_goes_by_a_read_chunk() -> None:
    """xcharext 3.3: general support is support for Long Calls."""
    world = World(SUPPORT.BKREQSUP_GENL)

    world.call_back(b"s" * 100)
    world.call_back(b"l" * 20_000)
    world.turn()

    assert [type(event) for event in world.heard] == [ReplyReceived, ReplyReceived]
    assert world.reads == 1


@pytest.mark.parametrize("support", [SUPPORT.BKREQSUP_INLINE, SUPPORT.BKREQSUP_NONE])
def test_chunks_are_kept_from_a_client_that_does_not_take_them(support: BackwardSupport) -> None:
    """xcharext 3.3: the Call fails at once; with NONE, so does any other."""
    world = World(support)

    world.call_back(b"s" * 100)
    world.call_back(b"l" * 20_000)
    world.turn()

    failed = [event.failure for event in world.heard if isinstance(event, CallFailed)]
    served = 0 if support is SUPPORT.BKREQSUP_NONE else 1
    assert failed == [Failure.CANNOT_SEND] * (2 - served)
    assert len(world.heard) == 2
    assert world.reads == 0


def test_credits_count_calls_of_both_kinds() -> None:
    """bidir 2.1.2: more Calls than credits, short and long ones mixed, are all answered."""
    world = World(SUPPORT.BKREQSUP_GENL, credits=2)

    for index in range(12):
        world.call_back(bytes(20_000 if index % 2 else 10))
    world.turn()

    assert [type(event) for event in world.heard] == [ReplyReceived] * 12
    assert world.channel.pending == ()


def test_each_long_call_has_one_receive() -> None:
    """bidir 2.2.2: the queue has no room for one more with each, until its memory is back."""
    world = World(SUPPORT.BKREQSUP_GENL, credits=2)

    for _ in range(60):
        world.call_back(bytes(20_000))
    world.turn()

    assert [type(event) for event in world.heard] == [ReplyReceived] * 60


def test_a_lost_connection_gives_the_calls_back_to_the_channel() -> None:
    """bidir 2.3: they wait for the client's next connection."""
    world = World(SUPPORT.BKREQSUP_GENL)

    world.call_back(bytes(20_000))
    world.driver.close()
    for _ in range(10):
        world.server.step()

    assert world.heard == []
    assert [call.carrier for call in world.channel.pending] == [None]
