"""A client that outlives its connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpcrdma.endpoint.core.actions import CallFailed, Failure, ReplyReceived
from rpcrdma.endpoint.ends.reconnecting import ReconnectingClient
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.retransmission import MOST_LOSSES, PAUSE
from rpcrdma.fabric.base import Address
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram

if TYPE_CHECKING:
    from collections.abc import Callable

    Pair = Callable[..., Any]

DEADLINE = 5.0
LAYER = TestProgram()


def made(exchange: Any) -> ReconnectingClient:  # noqa: ANN401  # a Pair of conftest.py
    return ReconnectingClient(exchange.fabric, exchange.server.address, DEADLINE, Requester)


def run(exchange: Any, client: ReconnectingClient, count: int = 1) -> list[object]:  # noqa: ANN401
    """What is delivered, once there is that much."""
    for _ in range(100):
        if len(client.delivered) >= count:
            break
        if not client.wait(0.1):
            exchange.network.schedule.wait(lambda: False, PAUSE)
    return list(client.delivered)


def reply(token: int, call: bytes) -> ReplyReceived:
    return ReplyReceived(token, calls.expected_reply(call))


def test_connects_when_there_is_something_to_send(pair: Pair) -> None:
    with pair() as exchange:
        client = made(exchange)
        assert not client.wait(0.0)
        call = calls.echo(1, b"note")

        token = client.call(LAYER, call)

        assert run(exchange, client) == [reply(token, call)]
        assert client.connections == 1


def test_connects_when_it_is_told_to(pair: Pair) -> None:
    with pair() as exchange:
        client = made(exchange)
        client.connect()
        client.step()

        assert client.connected


def test_a_call_in_progress_is_repeated_with_its_memory_registered_anew(pair: Pair) -> None:
    """The first connection is lost before a FETCH of two segments can be answered."""
    with pair() as exchange:
        client = made(exchange)
        client.connect()
        client.step()
        call = calls.fetch(7, 1_500_000)
        token = client.call(LAYER, call)

        for connection in exchange.fabric._connections:
            connection.disconnect()

        assert run(exchange, client) == [reply(token, call)]
        assert client.connections == 2


def test_goes_on_after_having_disconnected(pair: Pair) -> None:
    with pair() as exchange:
        client = made(exchange)
        first, second = calls.null(1), calls.null(2)
        client.call(LAYER, first)
        run(exchange, client)
        client.disconnect()
        assert not client.connected

        token = client.call(LAYER, second)

        assert run(exchange, client, 2)[1] == reply(token, second)


def test_gives_up_where_nobody_listens(pair: Pair) -> None:
    with pair() as exchange:
        nowhere = Address("dut", 1)
        client = ReconnectingClient(exchange.fabric, nowhere, DEADLINE, Requester)
        token = client.call(LAYER, calls.null(1))

        for _ in range(MOST_LOSSES):
            client.wait(0.0)
            exchange.network.schedule.wait(lambda: False, PAUSE)

        assert list(client.delivered) == [
            CallFailed(token, Failure.CONNECTION_LOST, "again and again")
        ]
        assert "nobody listens" in client.refusal


def test_a_cancelled_call_fails_with_and_without_a_connection(pair: Pair) -> None:
    with pair() as exchange:
        client = made(exchange)
        waiting = client.call(LAYER, calls.null(1))
        client.cancel(waiting)
        held = client.call(LAYER, calls.hold(2, 9))
        client.step()
        client.step()
        client.cancel(held)
        client.step()

        assert list(client.delivered) == [
            CallFailed(waiting, Failure.CANCELLED),
            CallFailed(held, Failure.CANCELLED),
        ]


def test_closing_twice_is_allowed(pair: Pair) -> None:
    with pair() as exchange:
        client = made(exchange)
        client.connect()
        client.step()
        client.close()
        client.close()
        assert not client.connected
