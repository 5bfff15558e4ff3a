"""The reference client and server on loopback, in every combination of versions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.negotiation.table import KnownServer
from rpcrdma.endpoint.properties.values import PROPERTY_OPERATIONS
from rpcrdma.endpoint.properties.wishes import PropertyWishes
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.ulp import rpc, testprog_calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import decode_any_header, v2
from rpcrdma.wire.operations import ConnProp, ReptErr, ReqProp, RespProp, UpdProp, XmtCont
from rpcrdma.wire.optional import Option, decode_option, encode_option
from rpcrdma.wire.properties import (
    BackwardRequestSupport,
    BackwardSupport,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    property_values,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.subsets import subset
from targets.base import Act, ActKind
from targets.reference.client_parts import CLIENT, make_client
from targets.reference.roles import client_role
from targets.reference.server_parts import server_factory

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.core.connection import EndpointRole
    from targets.reference.client_parts import ClientParts

ACTS = (
    Act(ActKind.NULL),
    Act(ActKind.READ, 50_000),
    Act(ActKind.WRITE, 50_000),
    Act(ActKind.LONG_CALL),
    Act(ActKind.LONG_REPLY),
    Act(ActKind.MANY, count=40),
)


UNCALLED = replace(CLIENT, is_called=False)
BASE = replace(CLIENT, operations=PROPERTY_OPERATIONS)
"""A client without the round-trip reductions."""


def version_one_only() -> EndpointRole:
    return Responder(TestProgram())


def said(
    make: Callable[[], EndpointRole], versions: tuple[int, ...], parts: ClientParts = CLIENT
) -> list[tuple[int, str]]:
    """Version and kind of each message that the two ends sent, while all acts went well."""
    network = LoopbackNetwork()
    device, fabric = network.fabric("dut"), network.fabric("client")
    server = Server(device, Address("dut", 20049), make)
    device.attach(server.step)
    client, application = make_client(fabric, server.address, parts, versions)
    for act in ACTS:
        running = application.begin(act)
        while (result := running.poll()) is None:
            client.wait(0.01)
            application.collect()
        assert result.done, f"{act}: {result}"
    assert server.failure is None
    client.close()
    server.close()
    return [
        (header.rdma_vers, type(header.rdma_body).__name__)
        for event in fabric.trace.events
        if event.kind is EventKind.SEND
        for header in (decode_any_header(event.data)[0],)
    ]


def test_two_and_two_speak_version_two_and_tell_their_properties() -> None:
    """v2 5.1, xcharext 4.1."""
    messages = said(server_factory(), (1, 2), BASE)

    assert {version for version, _ in messages} == {2}
    assert messages.count((2, v2.Rdma2Optional.__name__)) == 2


def test_two_and_two_reduce_round_trips_where_both_support_it() -> None:
    """rtrext 5: groups carry what needs chunks otherwise."""
    messages = said(server_factory(), (1, 2))

    assert {version for version, _ in messages} == {2}
    assert messages.count((2, v2.Rdma2Optional.__name__)) > 2


def test_a_client_of_both_versions_reports_a_group_that_is_broken() -> None:
    """rtrext 5.4: whatever its role is put together of."""
    role = client_role(CLIENT, (1, 2), KnownServer(), PropertyWishes())
    endpoint = Endpoint(role)
    endpoint.handle(events.Connected(), 0.0)
    xid = 7
    call = events.CallRequested(1, TestProgram(), testprog_calls.null(xid))
    endpoint.handle(call, 0.0)
    words = v2.Rdma2Header(xid, v2.VERSION, 4, v2.Rdma2Msg(MessageType.REPLY, (), (), None))
    endpoint.handle(events.MessageReceived(v2.encode_header(words) + rpc.accepted(xid)), 0.0)
    stray = encode_option(MessageType.REPLY, XmtCont(1, 6, 0))
    message = v2.encode_header(v2.Rdma2Header(9, v2.VERSION, 4, stray))

    actions = endpoint.handle(events.MessageReceived(message), 0.0)

    (sent,) = [action for action in actions if isinstance(action, Send)]
    body = v2.decode_header(sent.data)[0].rdma_body
    assert isinstance(body, v2.Rdma2Optional)
    assert isinstance(decode_option(body), ReptErr)


def test_replies_invalidate_memory_of_a_client_of_version_two() -> None:
    """xcharext 3.2: it says so of itself, and the server makes use of it; each handle goes once."""
    network = LoopbackNetwork()
    device, fabric = network.fabric("dut"), network.fabric("client")
    server = Server(device, Address("dut", 20049), server_factory())
    device.attach(server.step)
    client, application = make_client(fabric, server.address, BASE, (1, 2))
    for act in (Act(ActKind.NULL), *ACTS):
        running = application.begin(act)
        while (result := running.poll()) is None:
            client.wait(0.01)
            application.collect()
        assert result.done, f"{act}: {result}"
    client.close()
    server.close()

    events = [one for one in fabric.trace.events if one.kind is EventKind.INVALIDATE]
    remote = [one.handle for one in events if one.side is Side.PEER]
    assert len(remote) == 4  # READ, WRITE, LONG_CALL, LONG_REPLY
    assert not {one.handle for one in events if one.side is Side.LOCAL} & set(remote)


def test_two_falls_back_to_one_on_the_same_connection() -> None:
    """v2 5.2: a single offer, one refusal, then Version One."""
    messages = said(version_one_only, (1, 2))

    assert messages[0] == (2, v2.Rdma2Msg.__name__)
    assert messages[1] == (2, v2.Rdma2Error.__name__)
    assert {version for version, _ in messages[2:]} == {1}


@pytest.mark.parametrize("make", [server_factory(), version_one_only], ids=["both", "one"])
def test_one_is_served_in_version_one(make: Callable[[], EndpointRole]) -> None:
    """v2 5.3: whatever else the server speaks."""
    assert {version for version, _ in said(make, (1,))} == {1}


@pytest.mark.parametrize(
    ("make", "versions", "spoken"),
    [
        (server_factory(), (1, 2), {2}),
        (version_one_only, (1, 2), {1, 2}),
        (server_factory(), (1,), {1}),
    ],
    ids=["both", "fall back", "one"],
)
def test_a_client_that_takes_no_backward_calls_negotiates_all_the_same(
    make: Callable[[], EndpointRole], versions: tuple[int, ...], spoken: set[int]
) -> None:
    """v2 5: the version has nothing to do with the direction."""
    messages = said(make, versions, UNCALLED)

    assert {version for version, _ in messages} == spoken


def test_a_client_that_takes_no_backward_calls_says_so() -> None:
    """xcharext 3.3: the default is that inline ones are welcome."""
    found = options_of(Act(ActKind.NULL), UNCALLED)

    (none,) = property_values(BackwardRequestSupport(BackwardSupport.BKREQSUP_NONE))
    assert any(none in one.opticonnpr_start for one in found if isinstance(one, ConnProp))


def options_of(act: Act, parts: ClientParts = CLIENT) -> list[Option]:
    """The optional messages of both ends while a client acts and then reads."""
    network = LoopbackNetwork()
    device, fabric = network.fabric("dut"), network.fabric("client")
    server = Server(device, Address("dut", 20049), server_factory())
    device.attach(server.step)
    client, application = make_client(fabric, server.address, parts, (1, 2))
    for one in (Act(ActKind.NULL), act, *(Act(ActKind.NULL),) * 100):
        running = application.begin(one)
        while (result := running.poll()) is None:
            client.wait(0.01)
            application.collect()
        assert result.done, f"{one}: {result}"
    client.close()
    server.close()
    return [
        decode_option(header.rdma_body)
        for event in (*fabric.trace.events, *device.trace.events)
        if event.kind is EventKind.SEND
        for header in (decode_any_header(event.data)[0],)
        if isinstance(header.rdma_body, v2.Rdma2Optional)
    ]


def test_a_client_asks_when_it_is_told_to() -> None:
    found = options_of(Act(ActKind.ASK_SIZE, 1024))

    assert ReqProp(property_values(ReceiveBufferSize(1024))) in found
    assert RespProp(subset({0}), (), ()) in found


def test_a_client_asks_for_plain_replies_when_it_is_told_to() -> None:
    found = options_of(Act(ActKind.ASK_INVALIDATION))

    assert ReqProp(property_values(RequesterRemoteInvalidation(allowed=False))) in found


def test_a_client_tells_of_its_change() -> None:
    found = options_of(Act(ActKind.CHANGE_SIZE, 8192))

    assert UpdProp(property_values(ReceiveBufferSize(8192))) in found
