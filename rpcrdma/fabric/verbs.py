"""The fabric of real devices: pyverbs for the verbs, rdma_cm for connections.

    with VerbsFabric("10.9.0.1") as fabric:
        connection = fabric.connect(Address("10.9.0.1", 20049), ConnectionParameters(), 5.0)

Works on any device that rdma_cm can make reliable connections on.  pyverbs is imported when a
device is first needed, so this module can be imported everywhere.  All waits have deadlines, and no
C function is called that could block.

    rdmacm            the CM's calls            verbs_device      opening a device, error sentences
    cm                handshakes                verbs_queue       queue pair and completion queue
    verbs_connection  the connection            verbs_memory      regions and message buffers
    verbs_receives    posted Receives           verbs_work        requests until they complete
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import FabricError
from rpcrdma.fabric import cm
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.clock import RealClock
from rpcrdma.fabric.private_data import (
    MOST_IN_REJECT,
    MOST_IN_REPLY,
    MOST_IN_REQUEST,
    require_room,
)
from rpcrdma.fabric.rdmacm import CmEvent, CmEventKind, EventChannel, Identifier
from rpcrdma.fabric.recorder import note_rejection
from rpcrdma.fabric.refusals import answered_already, unanswered, unfinished
from rpcrdma.fabric.trace import EventKind, Side, Trace
from rpcrdma.fabric.verbs_device import VerbsDevice, unavailable

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from rpcrdma.fabric.base import Clock
    from rpcrdma.fabric.verbs_connection import VerbsConnection
    from rpcrdma.fabric.verbs_queue import Queue

__all__ = ["VerbsFabric", "VerbsListener", "VerbsRequest"]

_BACKLOG: Final = 128


class VerbsRequest:
    """A peer that wants to connect (see `base.ConnectionRequest`)."""

    def __init__(self, listener: VerbsListener, event: CmEvent) -> None:
        self._listener = listener
        self._event = event
        self._answered = False
        self._channel = EventChannel()
        self._identifier = Identifier(self._channel, event.identifier)
        self._identifier.move_to(self._channel)
        self._established = self._gone = False

    @property
    def private_data(self) -> bytes:
        """What the peer sent with its request; the CM appends zeroes."""
        return self._event.private_data

    def accept(self, parameters: ConnectionParameters, timeout: float) -> VerbsConnection:
        """Accept; returns when the peer has finished the handshake."""
        self._take()
        require_room(parameters.private_data, MOST_IN_REPLY)
        fabric = self._listener.fabric
        try:
            connection, queue = fabric.new_connection(self._identifier, parameters)
        except OSError as error:  # whoever asked is gone
            self._discard()
            raise FabricError(f"the connection request cannot be accepted: {error}") from error
        recorder = connection.recorder
        recorder.note(Side.PEER, EventKind.CONNECT, data=self._event.private_data)
        recorder.note(Side.LOCAL, EventKind.CONNECT, data=parameters.private_data)
        try:
            queue.connect(self._identifier)
            self._identifier.accept(cm.options(parameters, queue, queue.device.most_reads))
        except (FabricError, OSError) as error:
            connection.close()
            self._discard()
            raise FabricError(f"the connection request cannot be accepted: {error}") from error
        if not cm.wait(self._is_decided, timeout, [self._channel.fileno()]) or self._gone:
            connection.close()
            self._discard()
            raise unfinished(timeout)
        connection.establish(self._identifier, self._channel, self._event.private_data)
        return connection

    def reject(self, private_data: bytes = b"") -> None:
        """Refuse the connection."""
        self._take()
        require_room(private_data, MOST_IN_REJECT)
        note_rejection(self._listener.fabric, private_data)
        self._identifier.reject(private_data)
        self._discard()

    def discard(self) -> None:
        """Answer nothing (the listener closes)."""
        if not self._answered:
            self._answered = True
            self._discard()

    def _take(self) -> None:
        if self._answered:
            raise answered_already()
        self._answered = True

    def _is_decided(self) -> bool:
        while (event := self._channel.next_event()) is not None:
            if event.kind is CmEventKind.ESTABLISHED:
                self._established = True
                break  # whatever follows is the connection's business
            self._gone = True
        return self._established or self._gone

    def _discard(self) -> None:
        self._identifier.close()
        self._channel.close()


class VerbsListener:
    """Waits for peers at one address (see `base.Listener`)."""

    def __init__(self, fabric: VerbsFabric, address: Address) -> None:
        self.fabric = fabric
        self._channel = EventChannel()
        self._identifier = Identifier(self._channel)
        self._waiting: list[VerbsRequest] = []
        self._open = True
        try:
            self._identifier.bind(address.host, address.port)
            self._identifier.listen(_BACKLOG)
        except OSError as error:
            self.close()
            raise unavailable(error, str(address)) from error
        self._address = Address(address.host, self._identifier.port)

    @property
    def address(self) -> Address:
        """Where it listens."""
        return self._address

    @property
    def device(self) -> str | None:
        """The device that has the address; None if it listens on all of them."""
        return self._identifier.device

    def accept(self, timeout: float) -> VerbsRequest | None:
        """The next request, or None when the time is over."""
        if not self._open:
            return None
        cm.wait(self._has_request, timeout, [self._channel.fileno()])
        return self._waiting.pop(0) if self._waiting else None

    def close(self) -> None:
        """Stop listening; those who wait are refused."""
        if self._open:
            self._open = False
            for request in self._waiting:
                request.discard()
            self._waiting.clear()
            self._identifier.close()
            self._channel.close()

    def _has_request(self) -> bool:
        while (event := self._channel.next_event()) is not None:
            if event.kind is CmEventKind.CONNECT_REQUEST:
                self._waiting.append(VerbsRequest(self, event))
        return bool(self._waiting)


class VerbsFabric:
    """The RDMA devices of this machine (see `base.Fabric`).

    Attributes:
        looks: at a completion queue before sleeping, since a reply often comes sooner than sleeping
            and waking would take.
    """

    def __init__(self, address: str | None = None) -> None:
        """Use the device that has `address`, or whichever leads to the peer."""
        self.trace = Trace()
        self.steps: list[Callable[[], None]] = []
        self.looks = 40
        self._source = address
        self._clock = RealClock()
        self._devices: dict[str, VerbsDevice] = {}
        self._connections: list[VerbsConnection] = []
        self._listeners: list[VerbsListener] = []

    @property
    def name(self) -> str:
        """`verbs`, with the devices in use."""
        return " ".join(["verbs", *sorted(self._devices)])

    @property
    def clock(self) -> Clock:
        """The machine's clock."""
        return self._clock

    def connect(
        self, address: Address, parameters: ConnectionParameters, timeout: float
    ) -> VerbsConnection:
        """Connect to a listener."""
        require_room(parameters.private_data, MOST_IN_REQUEST)
        deadline = self._clock.now() + timeout
        try:
            handshake = cm.Handshake(self._source, address, timeout)
        except OSError as error:
            raise unavailable(error, str(self._source or address.host)) from error
        connection: VerbsConnection | None = None
        try:
            self._await(handshake, lambda: handshake.resolved, address, deadline, timeout)
            began = self._clock.now()
            if handshake.identifier.device is not None:
                self._open(handshake.identifier.device)
            deadline += self._clock.now() - began  # that time was not the peer's
            connection, queue = self.new_connection(handshake.identifier, parameters)
            recorder = connection.recorder
            recorder.note(
                Side.LOCAL, EventKind.CONNECT, data=parameters.private_data, detail=str(address)
            )
            handshake.request(queue, parameters)
            self._await(handshake, lambda: handshake.established, address, deadline, timeout)
        except (FabricError, OSError) as error:
            self._note_failure(connection, error)
            if connection is not None:
                connection.close()
            handshake.abandon()
            if isinstance(error, OSError):
                raise unavailable(error, str(address)) from error
            raise
        handshake.stop()
        recorder.note(Side.PEER, EventKind.CONNECT, data=handshake.private_data)
        connection.establish(handshake.identifier, handshake.channel, handshake.private_data)
        return connection

    def listen(self, address: Address) -> VerbsListener:
        """Listen at an address of a device."""
        try:
            listener = VerbsListener(self, address)
        except OSError as error:
            raise unavailable(error, str(address)) from error
        self._listeners.append(listener)
        if listener.device is not None:
            self._open(listener.device)
        return listener

    def attach(self, step: Callable[[], None]) -> None:
        """Have `step` called while this fabric waits."""
        self.steps.append(step)

    def new_connection(
        self, identifier: Identifier, parameters: ConnectionParameters
    ) -> tuple[VerbsConnection, Queue]:
        """A connection whose queue pair is prepared and has its Receives."""
        name = identifier.device
        if name is None:
            raise unavailable(OSError(19, "no device"), "the address")
        device = self._open(name)
        # These need pyverbs, which opening the device has just proved to be there.
        from rpcrdma.fabric.verbs_connection import VerbsConnection
        from rpcrdma.fabric.verbs_queue import Queue

        queue = Queue(device, parameters)
        connection = VerbsConnection(self, queue, parameters)
        self._connections = [entry for entry in self._connections if not entry.closed]
        self._connections.append(connection)
        try:
            queue.prepare(identifier)
        except OSError:
            connection.close()
            raise
        connection.post_initial_receives()
        return connection, queue

    def _open(self, name: str) -> VerbsDevice:
        """The device, opened when it is first asked for.

        That imports pyverbs, which in a machine without KVM takes as long as a peer waits for an
        answer: a listener does it before there is any peer.
        """
        if name not in self._devices:
            self._devices[name] = VerbsDevice(name)
            importlib.import_module("rpcrdma.fabric.verbs_connection")
        return self._devices[name]

    @staticmethod
    def silence(connection: VerbsConnection) -> None:
        """Make a connection's end answer no longer, as if its host were gone; for tests."""
        connection.silence()

    def close(self) -> None:
        """Close connections, listeners and devices, in this order."""
        self.steps.clear()
        for connection in self._connections:
            connection.close()
        for listener in self._listeners:
            listener.close()
        for device in self._devices.values():
            device.close()
        self._connections.clear()
        self._listeners.clear()
        self._devices.clear()

    def __enter__(self) -> Self:
        """Enter a `with` block that ends in `close`."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def _await(
        self,
        handshake: cm.Handshake,
        reached: Callable[[], bool],
        address: Address,
        deadline: float,
        timeout: float,
    ) -> None:
        left = max(0.0, deadline - self._clock.now())
        cm.wait(lambda: reached() or handshake.decided, left, (), self.steps)
        if handshake.failure is not None:
            raise handshake.failure
        if not reached():
            raise unanswered(address, timeout)

    def _note_failure(self, connection: VerbsConnection | None, error: Exception) -> None:
        if connection is None:
            return
        data = getattr(error, "private_data", None)
        if data is not None:
            connection.recorder.note(Side.PEER, EventKind.REJECT, data=data)
        else:
            connection.recorder.note(Side.LOCAL, EventKind.FAILURE, detail=str(error))
