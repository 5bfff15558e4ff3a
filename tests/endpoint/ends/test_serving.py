"""Many connections of one listener, and defects of what is served."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.ends.calling import Client
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DeadlineExceeded
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram

DEADLINE = 5.0
LAYER = TestProgram()


class Defective(Responder):
    """Raises what nobody declared."""

    def execute(self, payload: bytes) -> list[bytes]:
        raise ZeroDivisionError("planted")


def start(role: type[Responder]) -> tuple[Server, LoopbackNetwork]:
    network = LoopbackNetwork()
    device = network.fabric("dut")
    server = Server(device, Address("dut", 1), lambda: role(TestProgram()))
    device.attach(server.step)
    return server, network


def test_connections_come_and_go() -> None:
    """Each is dropped when its peer leaves, and the others go on."""
    server, network = start(Responder)
    fabric = network.fabric("tester")
    clients = [Client(fabric, server.address, DEADLINE) for _ in range(3)]
    for number, client in enumerate(clients):
        client.complete(client.call(LAYER, calls.null(number)), DEADLINE)
    assert server.connections == 3
    clients[0].close()
    clients[1].complete(clients[1].call(LAYER, calls.null(9)), DEADLINE)
    assert server.connections == 2
    assert server.failure is None
    server.close()
    server.close()
    assert server.connections == 0


def test_a_defect_costs_its_own_connection_and_is_kept() -> None:
    """It never reaches whoever gave the turn."""
    server, network = start(Defective)
    fabric = network.fabric("tester")
    client, other = (Client(fabric, server.address, DEADLINE) for _ in range(2))
    token = client.call(LAYER, calls.null(1))
    event = client.complete(token, DEADLINE)
    assert event.token == token
    assert server.failure == "ZeroDivisionError: planted"
    assert other.driver.connection.connected
    server.close()


def test_serving_ends_when_it_is_no_longer_wanted() -> None:
    """`running` is asked between turns, connections or not."""
    server, network = start(Responder)
    answers = iter([True, True, False])
    server.serve(lambda: next(answers))
    connection = network.fabric("tester").connect(server.address, ConnectionParameters(), DEADLINE)
    answers = iter([True, True, False])
    server.serve(lambda: next(answers))
    assert connection.connected
    server.close()


def test_a_closed_server_takes_no_turn() -> None:
    """A late turn of the fabric does nothing."""
    server, network = start(Responder)
    client = Client(network.fabric("tester"), server.address, DEADLINE)
    server.close()
    server.step()
    token = client.call(LAYER, calls.null(1))
    assert client.complete(token, DEADLINE).token == token
    with pytest.raises(DeadlineExceeded):
        client.next_event(0.01)
