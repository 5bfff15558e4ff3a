"""Makes calls: what an application uses of a `Requester` (blocking, with deadlines).

`Client.call` hands a call over and returns its token; `next_event` waits for the next reply or
failure, whichever call it is of; `complete` waits for that of one call.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.duplex import ClientDuplex
from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.driver import Driver, parameters_for
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.errors import DeadlineExceeded

if TYPE_CHECKING:
    from rpcrdma.endpoint.backward.responder import BackwardResponder
    from rpcrdma.endpoint.core.actions import ApplicationEvent
    from rpcrdma.endpoint.requester.requester import RequesterOptions
    from rpcrdma.fabric.base import Address, Fabric
    from rpcrdma.ulp.bindings import ReplyExpectation, UpperLayer

__all__ = ["Client"]


class Client:
    """A Requester on a connection of its own; `backward` executes the server's Calls, if it may."""

    def __init__(
        self,
        fabric: Fabric,
        address: Address,
        timeout: float,
        options: RequesterOptions | None = None,
        backward: BackwardResponder | None = None,
    ) -> None:
        self.requester = Requester(options)
        role = self.requester if backward is None else ClientDuplex(self.requester, backward)
        connection = fabric.connect(address, parameters_for(role), timeout)
        self.driver = Driver(connection, Endpoint(role))
        self._clock = fabric.clock
        self._tokens = 0
        self._early: deque[ApplicationEvent] = deque()

    def call(
        self,
        upper_layer: UpperLayer,
        payload: bytes,
        expectation: ReplyExpectation | None = None,
    ) -> int:
        """Have an unreduced call executed; returns the token of its reply or failure."""
        self._tokens += 1
        self.driver.inject(events.CallRequested(self._tokens, upper_layer, payload, expectation))
        return self._tokens

    def cancel(self, token: int) -> None:
        """Wait for a call no longer: it fails, unless it has just ended."""
        self.driver.inject(events.CallCancelled(token))

    def next_event(self, timeout: float) -> ApplicationEvent:
        """The next reply or failure of any call.

        Raises:
            DeadlineExceeded: none came within `timeout` seconds.
        """
        if self._early:
            return self._early.popleft()
        return self._wait_until(self._clock.now() + timeout, timeout)

    def complete(self, token: int, timeout: float) -> ApplicationEvent:
        """The reply or failure of one call; those of others are kept for `next_event`.

        Raises:
            DeadlineExceeded: it did not come within `timeout` seconds.
        """
        if self._early:
            for early in self._early:
                if early.token == token:
                    self._early.remove(early)
                    return early
        end = self._clock.now() + timeout
        while True:
            event = self._wait_until(end, timeout)
            if event.token == token:
                return event
            self._early.append(event)

    def close(self) -> None:
        """End the connection; calls in progress fail."""
        self.driver.close()

    def _wait_until(self, end: float, timeout: float) -> ApplicationEvent:
        driver, delivered = self.driver, self.driver.delivered
        while not delivered:
            left = end - self._clock.now()
            if left <= 0 or driver.gone:
                raise DeadlineExceeded(f"no reply came within {timeout:.3f} s")
            driver.wait(left)
        return delivered.popleft()
