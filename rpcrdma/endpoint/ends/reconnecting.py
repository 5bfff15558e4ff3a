"""A client that outlives its connections: connects when there is something to send, and again.

What is repeated is decided by `rpcrdma.endpoint.requester.retransmission`; here is the I/O.  `step`
never blocks longer than connecting takes (for loopback, where `Fabric.attach` gives turns); `wait`
blocks for a bounded time, for a process of its own.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import CallFailed, Failure
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.driver import Driver, parameters_for
from rpcrdma.endpoint.requester.retransmission import Retransmission
from rpcrdma.errors import FabricError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.core.actions import ApplicationEvent
    from rpcrdma.endpoint.core.connection import EndpointRole
    from rpcrdma.fabric.base import Address, Fabric
    from rpcrdma.ulp.bindings import ReplyExpectation, UpperLayer

__all__ = ["ReconnectingClient"]


class ReconnectingClient:
    """Makes calls to one Responder, over one connection at a time.

    Attributes:
        delivered: replies and final failures, oldest first; the owner takes them out.
        refusal: why the latest try to connect failed; empty if it did not.
        connections: how many have been made.
    """

    def __init__(
        self,
        fabric: Fabric,
        address: Address,
        timeout: float,
        make_role: Callable[[], EndpointRole],
        retransmission: Retransmission | None = None,
        make_driver: type[Driver] = Driver,
    ) -> None:
        self.delivered: deque[ApplicationEvent] = deque()
        self.refusal = ""
        self.connections = 0
        self._fabric = fabric
        self._address = address
        self._timeout = timeout
        self._make_role = make_role
        self._retransmission = retransmission or Retransmission()
        self._make_driver = make_driver
        self._driver: Driver | None = None
        self._wanted = False
        self._not_before = 0.0
        self._tokens = 0

    @property
    def connected(self) -> bool:
        """Whether there is a connection."""
        return self._driver is not None and not self._driver.gone

    def connect(self) -> None:
        """Have a connection made in the next turn, though there be nothing to send."""
        self._wanted = True

    def call(
        self, upper_layer: UpperLayer, payload: bytes, expectation: ReplyExpectation | None = None
    ) -> int:
        """Have an unreduced call executed; returns the token of its reply or failure."""
        self._tokens += 1
        request = events.CallRequested(self._tokens, upper_layer, payload, expectation)
        self._retransmission.requested(request)
        if self._driver is not None and not self._driver.gone:
            self._driver.inject(request)
        return request.token

    def cancel(self, token: int) -> None:
        """Wait for a call no longer: it fails, unless it has just ended."""
        if self._driver is not None and not self._driver.gone:
            self._driver.inject(events.CallCancelled(token))
        elif self._retransmission.forget(token):
            self.delivered.append(CallFailed(token, Failure.CANCELLED))

    def disconnect(self) -> None:
        """End the connection; the next call makes a new one."""
        self._wanted = False
        if self._driver is not None:
            self._driver.close()
            self._collect(self._driver)

    def step(self) -> bool:
        """Handle what has happened; returns whether something had."""
        return self.wait(0.0)

    def wait(self, timeout: float) -> bool:
        """Handle what happens; waits up to `timeout` seconds for the first.  Returns as `step`."""
        if self._driver is None:
            return self._reconnect()
        busy = self._driver.wait(timeout)
        self._collect(self._driver)
        return busy

    def close(self) -> None:
        """End the connection for good; calls in progress are forgotten.  Twice is allowed."""
        if self._driver is not None:
            self._driver.close()
            self._driver = None

    def _reconnect(self) -> bool:
        wanted = self._wanted or self._retransmission.unfinished
        if not wanted or self._fabric.clock.now() < self._not_before:
            return False
        self._wanted = False
        role = self._make_role()
        parameters = parameters_for(role)
        try:
            connection = self._fabric.connect(self._address, parameters, self._timeout)
        except FabricError as error:
            self.refusal = str(error)
            self._lost()
            return True
        self.refusal = ""
        self.connections += 1
        self._driver = self._make_driver(connection, Endpoint(role))
        for request in self._retransmission.unfinished:
            self._driver.inject(request)
        return True

    def _collect(self, driver: Driver) -> None:
        """Pass on what the endpoint says, but for calls that will be sent again."""
        while driver.delivered:
            event = driver.delivered.popleft()
            if self._retransmission.passed_on(event):
                self.delivered.append(event)
        if driver.gone:
            driver.connection.close()
            self._driver = None
            self._lost()

    def _lost(self) -> None:
        self._not_before = self._fabric.clock.now() + self._retransmission.pause
        self.delivered.extend(self._retransmission.connection_lost())
