"""Both directions on one connection, on loopback and by hand."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from rpcrdma.endpoint.backward.duplex import ClientDuplex, Duplex, server_duplex
from rpcrdma.endpoint.backward.requester import BackwardOptions, BackwardRequester
from rpcrdma.endpoint.backward.responder import BackwardResponder
from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import (
    ApplicationEvent,
    Disconnect,
    PostReceive,
    ReplyReceived,
    Send,
)
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.driver import parameters_for
from rpcrdma.endpoint.core.reductions import ALL_OPERATIONS, NO_REDUCTIONS, Reductions
from rpcrdma.endpoint.ends.calling import Client
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.properties.exchange import PropertyExchange
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.values import (
    PROPERTY_OPERATIONS,
    PropertyOptions,
    PropertyValues,
)
from rpcrdma.endpoint.requester.requester import Requester, RequesterOptions
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions
from rpcrdma.errors import LocalProtocolError
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackFabric, LoopbackNetwork
from rpcrdma.fabric.segments import ReceiveSegment
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, TransportHeader, decode_header, encode_header, v2
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BadContinuation,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
    TransmissionId,
)
from rpcrdma.wire.operations import (
    ROPT_REPTERR,
    ROPT_XMTCONT,
    ROPT_XMTREQ,
    KnownOption,
    ReptErr,
    XmtCont,
    XmtReq,
)
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action

DEADLINE = 5.0
LAYER = TestProgram()
NO_CHUNKS = RdmaMsg((), (), None)
ANNOUNCE = b"ready"


class Announcing(TestProgram):
    """Takes a certain ECHO for the word that the client is ready, and calls back at once."""

    def __init__(self, service: Service, role: Duplex | None) -> None:
        super().__init__()
        self.service = service
        self.role = role

    def execute(self, call: bytes) -> list[bytes]:
        if ANNOUNCE in call and self.role is not None:
            self.role.peer_is_ready(self.service.channel)
            for _ in range(self.service.calls_back):
                self.service.channel.call(lambda xid: calls.echo(xid, b"backward"))
        return super().execute(call)


@dataclass
class Service:
    """A server for one client, and what became of its backward Calls."""

    calls_back: int = 1
    heard: list[ApplicationEvent] = field(default_factory=list)
    network: LoopbackNetwork = field(default_factory=LoopbackNetwork)

    def __post_init__(self) -> None:
        self.channel = Backchannel(self.heard.append)
        device = self.network.fabric("dut")
        self.server = Server(device, Address("dut", 1), self.role)
        device.attach(self.server.step)
        self.fabric: LoopbackFabric = self.network.fabric("tester")

    def role(self) -> Duplex:
        program = Announcing(self, None)
        role = server_duplex(Responder(program), BackwardRequester())
        program.role = role
        return role

    def client(self, credits: int = 4) -> Client:  # noqa: A002  # the word of the documents
        backward = BackwardResponder(TestProgram(), BackwardOptions(credits=credits))
        return Client(
            self.fabric, self.server.address, DEADLINE, RequesterOptions(credits=4), backward
        )


def echo(client: Client, xid: int, note: bytes) -> ApplicationEvent:
    return client.complete(client.call(LAYER, calls.echo(xid, note)), DEADLINE)


def test_backward_calls_are_answered_while_forward_calls_go_on() -> None:
    """More of them than credits, under XIDs that forward Calls have, too."""
    service = Service(calls_back=20)
    client = service.client()
    assert isinstance(echo(client, 1, ANNOUNCE), ReplyReceived)
    for xid in range(1, 30):
        event = echo(client, xid, b"forward")
        assert isinstance(event, ReplyReceived)
        assert event.payload == calls.expected_reply(calls.echo(xid, b"forward"))
    assert [event.payload for event in service.heard] == [
        calls.expected_reply(calls.echo(xid, b"backward")) for xid in range(1, 21)
    ]
    assert service.server.failure is None
    service.server.close()


def test_a_call_of_another_connections_making_is_sent_at_once() -> None:
    """The server is woken, though nothing has come from that client."""
    service = Service(calls_back=0)
    client, other = service.client(), service.client()
    echo(client, 1, ANNOUNCE)
    echo(other, 1, b"anything")
    service.channel.call(calls.null)
    assert client.driver.wait(DEADLINE)
    echo(client, 2, b"gives the reply time to arrive")
    assert len(service.heard) == 1
    service.server.close()


def test_backward_calls_wait_for_the_client_to_connect_and_announce_itself_again() -> None:
    """Connecting alone is not enough."""
    service = Service(calls_back=0)
    first = service.client()
    echo(first, 1, ANNOUNCE)
    first.close()
    service.server.step()
    service.channel.call(calls.null)
    second = service.client()
    echo(second, 1, b"forward only")
    assert service.heard == []
    echo(second, 2, ANNOUNCE)
    echo(second, 3, b"gives turns")
    assert len(service.heard) == 1
    service.server.close()


def test_a_client_without_backward_support_drops_backward_calls() -> None:
    """And goes on (bidir 3.2)."""
    service = Service(calls_back=2)
    client = Client(service.fabric, service.server.address, DEADLINE)
    echo(client, 5, ANNOUNCE)
    assert isinstance(echo(client, 6, b"forward"), ReplyReceived)
    assert service.heard == []
    assert len(service.channel.pending) == 2
    service.server.close()


# By hand: the server's end.


def armed() -> tuple[Endpoint, Backchannel]:
    channel = Backchannel()
    role = server_duplex(
        Responder(TestProgram(), ResponderOptions(receives=2)),
        BackwardRequester(BackwardOptions(credits=3)),
    )
    endpoint = Endpoint(role)
    endpoint.handle(events.Connected(), 0.0)
    role.peer_is_ready(channel)
    return endpoint, channel


def hear(endpoint: Endpoint, xid: int, payload: bytes, credit: int = 1) -> list[object]:
    message = encode_header(TransportHeader(xid, 1, credit, NO_CHUNKS)) + payload
    return list(endpoint.handle(events.MessageReceived(message), 0.0))


def test_the_receives_of_both_halves_are_posted() -> None:
    """A client's before it can announce anything, a server's with its Calls."""
    server, _ = armed()
    assert (len(server.role.initial_receives), server.role.later_receives) == (2, 3)
    assert parameters_for(server.role).receive_depth == 2 + 3 + 8
    client = ClientDuplex(
        Requester(RequesterOptions(credits=2, reductions=Reductions(reserve=5))),
        BackwardResponder(TestProgram(), BackwardOptions(credits=3)),
    )
    assert len(client.initial_receives) == 2 + 3
    assert client.later_receives == 5
    assert parameters_for(client).receive_depth == 2 + 3 + 5 + 8


def test_the_receives_are_laid_out_by_the_structure_of_the_forward_half() -> None:
    """All of them: nobody knows which message will meet which."""
    target = BufferSegmentGroup(2, BufferSegment(512, 512, XMRSFLAG_DDP))
    reductions = replace(NO_REDUCTIONS, structure=BufferStructure(1024, (target,)))
    client = ClientDuplex(
        Requester(RequesterOptions(credits=1, reductions=reductions)),
        BackwardResponder(TestProgram(), BackwardOptions(credits=1)),
    )

    parameters = parameters_for(client)

    assert parameters.initial_receives == ((ReceiveSegment(512, align=512),) * 2,) * 2


@pytest.mark.parametrize("payload", [b"", calls.null(1)[:39], rpc.accepted(1)[:23]])
def test_a_message_that_is_too_small_costs_a_receive_and_nothing_else(payload: bytes) -> None:
    """Its credit value grants nothing (bidir 2.4)."""
    endpoint, channel = armed()
    for _ in range(3):
        channel.call(calls.null)
    _, first = endpoint.handle(events.CallsWaiting(), 0.0)
    assert isinstance(first, Send)
    assert hear(endpoint, channel.pending[0].xid, payload, credit=50) == [PostReceive.of(1024)]


def test_the_reply_goes_before_what_its_call_made_wait() -> None:
    """The order of the actions is that of the work."""
    endpoint, channel = armed()
    channel.call(calls.null)
    post, reply, again, call = hear(endpoint, 9, calls.null(9))
    assert isinstance(post, PostReceive)
    assert isinstance(again, PostReceive)
    assert isinstance(reply, Send)
    assert isinstance(call, Send)
    assert decode_header(reply.data)[0].rdma_xid == 9
    assert decode_header(call.data)[0].rdma_xid == channel.pending[0].xid


@pytest.mark.parametrize(("key", "remembered"), [(-1, False), (1, True)])
def test_failed_work_is_told_to_the_half_whose_it_was(key: int, remembered: bool) -> None:
    """A backward Send that fails is no forward Call's fault."""
    endpoint, channel = armed()
    hear(endpoint, 9, calls.null(9))
    channel.call(calls.null)
    endpoint.handle(events.CallsWaiting(), 0.0)
    failed = events.WorkFailed(key, "remote access error")
    (disconnect,) = endpoint.handle(failed, 0.0)
    assert isinstance(disconnect, Disconnect)
    forward = endpoint.role.forward
    assert bool(forward._lost.count) is remembered


def test_nothing_follows_the_wish_to_disconnect() -> None:
    """It is the last action, or the connection would not be closing."""
    channel = Backchannel()
    role = server_duplex(
        Responder(TestProgram(), ResponderOptions(most_calls=0)), BackwardRequester()
    )
    endpoint = Endpoint(role)
    endpoint.handle(events.Connected(), 0.0)
    role.peer_is_ready(channel)
    channel.call(calls.null)
    assert isinstance(hear(endpoint, 9, calls.null(9))[-1], Disconnect)


def test_before_anybody_is_ready_everything_is_the_forward_halfs() -> None:
    """A server that has no backward Calls behaves like one that cannot make any."""
    role = server_duplex(Responder(TestProgram()), BackwardRequester())
    endpoint, plain = Endpoint(role), Endpoint(Responder(TestProgram()))
    for each in (endpoint, plain):
        each.handle(events.Connected(), 0.0)
    for payload in (b"", calls.null(1)[:39], rpc.accepted(1), calls.null(1)):
        assert hear(endpoint, 1, payload) == hear(plain, 1, payload)


def test_a_client_announces_nothing_while_its_first_call_awaits_the_reply() -> None:
    client = ClientDuplex(
        Requester(RequesterOptions(dialect=TWO)),
        BackwardResponder(TestProgram()),
        OptionalHalf(PropertyExchange(), 32),
    )
    operation = v2.Rdma2Optional(MessageType.CALL, 77, b"")
    answer = v2.Rdma2Optional(MessageType.REPLY, 3, b"")

    def settles(body: v2.Rdma2Body) -> bool:
        return client.may_settle(v2.encode_header(v2.Rdma2Header(1, 2, 1, body)))

    assert not settles(operation)
    assert settles(answer)
    assert settles(v2.Rdma2Msg(MessageType.REPLY, (), (), None))


@pytest.mark.parametrize("bears", [True, False])
def test_what_is_said_of_memory_is_what_the_connection_bears(bears: bool) -> None:
    """xcharext 3.2."""
    wanted = PropertyOptions(PropertyValues(remote_invalidation=True))
    optional = OptionalHalf(PropertyExchange(wanted), 32)
    role = ClientDuplex(
        Requester(RequesterOptions(dialect=TWO)), BackwardResponder(TestProgram()), optional
    )

    Endpoint(role).handle(events.Connected(bears), 0.0)

    assert optional.exchange.options.own.remote_invalidation is bears


def test_every_receive_of_a_broken_group_is_posted_again() -> None:
    """rtrext 4.3: each transmission used one up."""
    supported = frozenset({*PROPERTY_OPERATIONS, ROPT_XMTREQ, ROPT_XMTCONT, ROPT_REPTERR})
    optional = OptionalHalf(PropertyExchange(PropertyOptions(operations=supported)), 32)
    role = ClientDuplex(
        Requester(RequesterOptions(dialect=TWO, reductions=Reductions())),
        BackwardResponder(TestProgram()),
        optional,
    )
    endpoint = Endpoint(role)
    endpoint.handle(events.Connected(), 0.0)

    def hear_part(option: KnownOption) -> list[Action]:
        body = encode_option(MessageType.CALL, option)
        message = v2.encode_header(v2.Rdma2Header(7, 2, 1, body))
        return endpoint.handle(events.MessageReceived(message), 0.0)

    assert role.reductions.operations == ALL_OPERATIONS
    assert hear_part(XmtReq((), (), 3, 1, 0)) == []
    *receives, report = hear_part(XmtCont(2, ROPT_XMTREQ, 0))

    assert receives == [PostReceive.of(4096)] * 2
    assert isinstance(report, Send)
    assert v2.direction_of(v2.decode_header(report.data)[0].rdma_body) is MessageType.REPLY


def test_an_end_of_version_one_hears_of_no_group() -> None:
    role = server_duplex(Responder(TestProgram()), BackwardRequester())
    report = ReptErr(TransmissionId(7, MessageType.CALL, 0), None, BadContinuation())

    assert role.reductions.operations == frozenset()
    with pytest.raises(LocalProtocolError, match="supports no operation"):
        role.handlers[events.GroupBroken](events.GroupBroken(report, 1), 0.0)
