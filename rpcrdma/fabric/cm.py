"""Handshakes of the connection manager, as steps that never block, and the waiting around them.

An initiator and a listener may live in one thread (tests do that); each must then make progress
while the other is waited for.  So every initiator's handshake under way is on a list of its thread,
and `wait` advances all of them.
"""

from __future__ import annotations

import os
import select
import threading
import time
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import ConnectionRejected, FabricError
from rpcrdma.fabric.rdmacm import CmEvent, CmEventKind, ConnectOptions, EventChannel, Identifier
from rpcrdma.fabric.refusals import why_refused
from rpcrdma.fabric.verbs_device import unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rpcrdma.fabric.base import Address, ConnectionParameters
    from rpcrdma.fabric.verbs_queue import Queue

__all__ = ["Handshake", "options", "wait"]

_SLICE: Final = 0.002  # seconds; how long others in this process may wait for their turn
_RESOLVE_MS: Final = 5000


class _Underway(threading.local):
    def __init__(self) -> None:
        self.handshakes: list[Handshake] = []


_underway = _Underway()


def wait(
    ready: Callable[[], bool],
    timeout: float,
    descriptors: Iterable[int],
    steps: Iterable[Callable[[], None]] = (),
) -> bool:
    """Advance handshakes and call `steps` until `ready()`; False when the time is over first."""
    deadline = time.monotonic() + timeout
    own = list(descriptors)
    others = list(steps)
    while True:
        for handshake in tuple(_underway.handshakes):
            handshake.advance()
        for step in others:
            step()
        if ready():
            return True
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        if others:
            left = min(left, _SLICE)
        waiting = [entry.channel.fileno() for entry in _underway.handshakes]
        select.select([*own, *waiting], [], [], left)


class Handshake:
    """An initiator's way from an address to an established connection."""

    def __init__(self, source: str | None, address: Address, timeout: float) -> None:
        """Start; `advance` does the rest, and `prepare` is called once the device is known."""
        self.channel = EventChannel()
        self.identifier = Identifier(self.channel)
        self.private_data = b""
        self.failure: FabricError | None = None
        self.established = False
        self.resolved = False
        self._address = address
        self._queue: Queue | None = None
        milliseconds = min(_RESOLVE_MS, max(1, int(timeout * 1000)))
        self._timeout_ms = milliseconds
        self.identifier.resolve_address(source, address.host, address.port, milliseconds)
        _underway.handshakes.append(self)

    @property
    def decided(self) -> bool:
        """Whether the handshake is over, well or not."""
        return self.established or self.failure is not None

    def request(self, queue: Queue, parameters: ConnectionParameters) -> None:
        """Send the request; the queue pair is prepared already."""
        self._queue = queue
        self.identifier.connect(options(parameters, queue, queue.device.most_reads))

    def advance(self) -> None:
        """Take in what has happened."""
        while not self.decided and (event := self.channel.next_event()) is not None:
            self._handle(event)

    def stop(self) -> None:
        """Need no more turns."""
        if self in _underway.handshakes:
            _underway.handshakes.remove(self)

    def abandon(self) -> None:
        """Give up."""
        self.stop()
        self.identifier.close()
        self.channel.close()

    def _handle(self, event: CmEvent) -> None:
        try:
            match event.kind:
                case CmEventKind.ADDR_RESOLVED:
                    self.identifier.resolve_route(self._timeout_ms)
                case CmEventKind.ROUTE_RESOLVED:
                    self.resolved = True
                case CmEventKind.CONNECT_RESPONSE if self._queue is not None:
                    self.private_data = event.private_data
                    self._queue.connect(self.identifier)
                    self.identifier.establish()
                    self.established = True
                case CmEventKind.REJECTED:
                    text = f"{self._address}: {why_refused(event.status)}"
                    self.failure = ConnectionRejected(text, event.private_data)
                case CmEventKind.ADDR_ERROR | CmEventKind.ROUTE_ERROR:
                    number = abs(event.status)
                    self.failure = unavailable(
                        OSError(number, os.strerror(number)), f"the way to {self._address.host}"
                    )
                case _:
                    # DISCONNECTED here is a peer that left in the middle of the handshake.
                    self.failure = FabricError(
                        f"{self._address}: {event.kind.name} (status {event.status})"
                    )
        except OSError as error:
            self.failure = unavailable(error, str(self._address))


def options(parameters: ConnectionParameters, queue: Queue, most_reads: int) -> ConnectOptions:
    """What this side says in its request or reply."""
    return ConnectOptions(
        private_data=parameters.private_data,
        responder_resources=most_reads,
        initiator_depth=most_reads,
        retry=parameters.retry,
        rnr_retry=parameters.rnr_retry,
        queue_pair=queue.number,
    )
