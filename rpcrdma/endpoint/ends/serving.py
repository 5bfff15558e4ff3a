"""Serves many connections of one listener: an `Endpoint` and its `Driver` for each.

`step` does not block: it is what `Fabric.attach` calls on loopback.  `serve` blocks, for a process
of its own: it takes turns, and when nothing happens it waits a moment for the connection that was
busy last, so that an idle server costs nearly nothing and a busy one answers at once.

A role that is a `Duplex` can make backward Calls of its own accord: it is handed what wakes it.

A defect of what is served (any undeclared exception) ends its connection and is kept in `failure`,
as a crash of a device under test would be; it never reaches whoever gave the turn.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.driver import Driver, parameters_for
from rpcrdma.errors import FabricError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.core.connection import EndpointRole
    from rpcrdma.fabric.base import Address, ConnectionRequest, Fabric

__all__ = ["Server"]

HANDSHAKE: Final = 5.0
"""Seconds that a peer has to finish connecting."""

IDLE_WAIT: Final = 0.01
"""Seconds for which `serve` waits when nothing happens on any connection."""

_log = logging.getLogger(__name__)


class Server:
    """All connections of one listener.

    Attributes:
        failure: the first defect that showed, in words; None while there is none.
    """

    def __init__(
        self,
        fabric: Fabric,
        address: Address,
        make_role: Callable[[], EndpointRole],
        make_driver: type[Driver] = Driver,
    ) -> None:
        self._listener = fabric.listen(address)
        self._make_role = make_role
        self._make_driver = make_driver
        self._drivers: list[Driver] = []
        self._stepping = False
        self._closed = False
        self.failure: str | None = None

    @property
    def address(self) -> Address:
        """Where it listens."""
        return self._listener.address

    @property
    def connections(self) -> int:
        """How many connections there are now."""
        return len(self._drivers)

    def step(self) -> None:
        """Handle whatever has happened on any connection.  Does not block."""
        self._turn(0.0)

    def serve(self, running: Callable[[], bool]) -> None:
        """Serve while `running()`, which is asked at least every hundredth of a second or so."""
        while running():
            self._turn(IDLE_WAIT)

    def close(self) -> None:
        """Stop listening and end all connections.  Twice is allowed."""
        if self._closed:
            return
        self._closed = True
        self._listener.close()
        for driver in self._drivers:
            driver.close()
        self._drivers.clear()

    def _turn(self, idle: float) -> None:
        # Accepting waits for the peer's side of the handshake, which may give us a turn again.
        if self._stepping or self._closed:
            return
        self._stepping = True
        try:
            busy = self._accept(0.0)
            for driver in list(self._drivers):
                busy = self._drive(driver, 0.0) or busy
            if idle and not busy:
                self._rest(idle)
        finally:
            self._stepping = False

    def _rest(self, idle: float) -> None:
        if self._drivers:
            self._drive(self._drivers[0], idle)
        else:
            self._accept(idle)

    def _accept(self, timeout: float) -> bool:
        request = self._listener.accept(timeout)
        if request is None:
            return False
        try:
            self._admit(request)
        except FabricError as error:
            _log.debug("a peer did not finish connecting: %s", error)
        return True

    def _admit(self, request: ConnectionRequest) -> None:
        role = self._make_role()
        connection = request.accept(parameters_for(role), HANDSHAKE)
        driver = self._make_driver(connection, Endpoint(role))
        if isinstance(role, Duplex):
            role.wake_by(partial(driver.inject, events.CallsWaiting()))
        self._drivers.insert(0, driver)

    def _drive(self, driver: Driver, timeout: float) -> bool:
        try:
            busy = driver.wait(timeout)
        except Exception as error:  # noqa: BLE001  # a defect of the device, not of its caller
            self._note(error)
            driver.connection.close()
            self._drivers.remove(driver)
            return True
        if driver.gone:
            driver.close()
            self._drivers.remove(driver)
        elif busy and timeout == 0.0 and self._drivers[0] is not driver:
            self._drivers.remove(driver)
            self._drivers.insert(0, driver)  # the one to wait for
        return busy

    def _note(self, error: Exception) -> None:
        _log.debug("the endpoint failed", exc_info=error)
        if self.failure is None:
            self.failure = f"{type(error).__name__}: {error}"
