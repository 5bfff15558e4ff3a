"""A client has no use for RDMA in Version One; what it does all the same is seen in the trace."""

from __future__ import annotations

import pytest

from conformance.tester.server.operations import operations_of_clients
from rpcrdma.fabric.trace import EventKind, Side, TraceEvent

ONE, TWO = ((7).to_bytes(4) + version.to_bytes(4) + bytes(8) for version in (1, 2))
NONE = "bidir.1.5.3.no-rdma-for-backward-transactions"


def event(kind: EventKind, side: Side, data: bytes = b"", connection: int = 1) -> TraceEvent:
    return TraceEvent(0.0, connection, side, kind, data)


@pytest.mark.parametrize("kind", [EventKind.RDMA_READ, EventKind.RDMA_WRITE])
@pytest.mark.parametrize("sent", [ONE, ONE[:6], b""])
def test_any_operation_of_a_client_is_told(kind: EventKind, sent: bytes) -> None:
    events = [event(EventKind.SEND, Side.LOCAL, sent), event(kind, Side.PEER)]

    (found,) = operations_of_clients(events)

    assert found.ids == (NONE,)


def test_operations_of_the_tester_are_its_own() -> None:
    assert not list(operations_of_clients([event(EventKind.RDMA_WRITE, Side.LOCAL)]))


def test_version_two_is_let_be_on_its_connection_alone() -> None:
    later = event(EventKind.SEND, Side.LOCAL, TWO, connection=2)
    reads = [event(EventKind.RDMA_READ, Side.PEER, connection=number) for number in (1, 2)]

    assert len(list(operations_of_clients([later, *reads]))) == 1
