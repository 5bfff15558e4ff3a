"""The reference server's clients, over their connections and between them."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.backward.duplex import Duplex, server_duplex
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import Failure
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.backprog import Tally
from rpcrdma.ulp.testprog import TestProgram
from targets.reference.backward import BackwardPort, BackwardService


def connected(service: BackwardService) -> tuple[BackwardPort, Duplex]:
    port = service.port()
    role = server_duplex(Responder(TestProgram()), BackwardRequester())
    Endpoint(role).handle(events.Connected(), 0.0)
    port.attach(role)
    return port, role


def test_a_client_is_called_over_the_connection_on_which_it_was_ready() -> None:
    """Whichever connection asked for it."""
    service = BackwardService()
    (port, role), (other, _) = connected(service), connected(service)
    assert port.ready(7)
    other.call(7, calls.null)
    assert role.backward.flush()
    assert other.tally(7) == Tally(pending=1)


def test_how_calls_end_is_counted() -> None:
    """Replies and failures, for each client alone."""
    service = BackwardService()
    port, _ = connected(service)
    for _ in range(3):
        port.call(7, calls.null)
    channel = service.channel(7)
    channel.replied(channel.pending[0], b"")
    channel.failed(channel.pending[0], Failure.CANNOT_SEND)
    assert service.tally(7) == Tally(pending=1, answered=1, failed=1)
    assert service.tally(8) == Tally()


@pytest.mark.parametrize("identities", [(7, 7), (7, 8)])
def test_a_connection_is_one_clients(identities: tuple[int, int]) -> None:
    """The same may say so twice, another is refused."""
    port, _ = connected(BackwardService())
    first, second = identities
    assert port.ready(first)
    assert port.ready(second) is (first == second)


def test_a_program_without_a_connection_is_ready_for_nobody() -> None:
    """As in a Responder that works in one direction only."""
    assert not BackwardService().port().ready(1)
