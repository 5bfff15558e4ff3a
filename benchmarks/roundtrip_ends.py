"""Both ends of what `roundtrips.py` measures: the reference's server, and a client with a watch."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Final

from roundtrip_rows import NULL

from rpcrdma.endpoint.core.actions import ReplyReceived
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.properties.values import PROPERTY_OPERATIONS
from rpcrdma.errors import ConnectionLost, ConnectionRejected, DeadlineExceeded
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.ulp.testprog_calls import expected_reply
from targets.reference.client_parts import CLIENT, make_client
from targets.reference.server_parts import REFERENCE, VERSIONS, server_factory

if TYPE_CHECKING:
    from roundtrip_rows import Operation

    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.fabric.base import Address, Fabric

__all__ = ["DEADLINE", "TimedClient", "make_server"]

DEADLINE: Final = 10.0
"""Seconds that anything may take."""


def make_server(fabric: Fabric, address: Address, reductions: Reductions) -> Server:
    """A server that reduces round trips like this."""
    operations = PROPERTY_OPERATIONS | reductions.operations
    parts = replace(REFERENCE, operations=operations, reductions=reductions)
    return Server(fabric, address, server_factory(parts))


class TimedClient:
    """A client that makes one call at a time, and takes the time of each.

    Two calls are made at once.  The first offers Version Two; only its Reply settles the version,
    and with it the inline threshold, and grants credits.  What the ends then tell of themselves is
    known to both when the Reply to the second is there.

    Args:
        fabric: whose clock it goes by.
        address: of the server.
        reductions: how it reduces round trips.

    Raises:
        FabricError: there is no such server.
    """

    def __init__(self, fabric: Fabric, address: Address, reductions: Reductions) -> None:
        operations = PROPERTY_OPERATIONS | reductions.operations
        parts = replace(CLIENT, operations=operations, reductions=reductions)
        self._client, _ = make_client(fabric, address, parts, VERSIONS, DEADLINE)
        self._now = fabric.clock.now
        self._layer = TestProgram()
        self._xids = count(1)
        self._client.connect()
        self._client.wait(DEADLINE)
        if not self._client.connected:
            raise ConnectionRejected(f"{address}: {self._client.refusal}")
        self.time(NULL)
        self.time(NULL)

    def time(self, operation: Operation) -> float:
        """Seconds from the Call until the Requester holds the Reply.

        Raises:
            DeadlineExceeded: it did not come.
            ConnectionLost: the connection ended before that.
            ValueError: what came is not the Reply.
        """
        call = operation.call(next(self._xids))
        client, begin = self._client, self._now()
        client.call(self._layer, call)
        while not client.delivered:
            left = begin + DEADLINE - self._now()
            if not client.connected:  # it would make the call again on another connection
                raise ConnectionLost(f"{operation.name}: the connection was lost meanwhile")
            if left <= 0:
                raise DeadlineExceeded(f"{operation.name}: no reply within {DEADLINE:.0f} s")
            client.wait(left)
        seconds = self._now() - begin
        event = client.delivered.popleft()
        if not isinstance(event, ReplyReceived) or event.payload != expected_reply(call):
            raise ValueError(f"{operation.name}: the right reply did not come, but {event!r:.80}")
        return seconds

    def close(self) -> None:
        """End the connection."""
        self._client.close()
