"""Loopback: a simulated network in one process, faithful to reliable connections, deterministic.

    network = LoopbackNetwork(seed=1)
    tester, dut = network.fabric("tester"), network.fabric("dut")
    dut.attach(step)      # called after every delivery, from inside the tester's poll and connect

All fabrics of a network share one virtual clock and one event queue (`schedule`); nothing depends
on real time, threads or hash order, so the same calls with the same seed give the same run, to the
last handle.  The transport rules are in `loopback_connection`, the protection rules in `memory`,
what can be made to go wrong in `faults`.

A step must not block, but may: a wait inside it lets the network go on.  What it cannot do is wait
for the very caller that gave it its turn; so whoever connects from inside a step needs a listener
that is served by another step.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import ConnectionRejected, FabricError
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.faults import FaultPlan, IgnoreConnections, RefuseConnections
from rpcrdma.fabric.loopback_connection import LoopbackConnection
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.fabric.private_data import (
    MOST_IN_REJECT,
    MOST_IN_REPLY,
    MOST_IN_REQUEST,
    require_room,
)
from rpcrdma.fabric.recorder import note_rejection
from rpcrdma.fabric.refusals import answered_already, unanswered, unfinished
from rpcrdma.fabric.schedule import Schedule
from rpcrdma.fabric.trace import EventKind, Side, Trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from rpcrdma.fabric.base import Clock
    from rpcrdma.fabric.faults import Fault
    from rpcrdma.fabric.memory import Region

__all__ = ["LoopbackFabric", "LoopbackListener", "LoopbackNetwork", "LoopbackRequest"]

DEFAULT_LATENCY: Final = 10e-6
"""Seconds one way; about what Soft-RoCE takes on one host."""

_FIRST_FREE_PORT: Final = 49152


class LoopbackNetwork:
    """The network between the fabrics of one process.

    Args:
        latency: seconds one way.
        seed: of all that is chosen at random.
        make_allocator: makes what hands out handles: devices may do that badly.
    """

    def __init__(
        self,
        latency: float = DEFAULT_LATENCY,
        seed: int = 0,
        make_allocator: Callable[[int], HandleAllocator] = HandleAllocator,
    ) -> None:
        self.latency = latency
        self.schedule = Schedule()
        self.allocator = make_allocator(seed)
        self.faults = FaultPlan()
        self._listeners: dict[Address, LoopbackListener] = {}
        self._next_port = _FIRST_FREE_PORT

    @property
    def clock(self) -> Clock:
        """The virtual clock of all fabrics."""
        return self.schedule.clock

    def fabric(self, side: str) -> LoopbackFabric:
        """One participant; `side` (`tester`, `dut`) is its name in faults."""
        return LoopbackFabric(self, side)

    def host(self, side: str, wanted: str) -> str:  # as on a network of addresses
        """The name of a participant: on loopback, any that it likes."""
        return wanted

    def inject(self, fault: Fault) -> None:
        """Put a fault in force."""
        self.faults.add(fault)

    def heal(self) -> None:
        """End all faults; connections that they broke stay broken."""
        self.faults.clear()

    def wake_at(self, moment: float) -> None:
        """See that everybody gets a turn at `moment`, even if nothing is delivered then."""
        self.schedule.at(moment, lambda: None)

    def bind(self, address: Address, listener: LoopbackListener) -> Address:
        """Give the listener its address; port 0 becomes a free one.

        Raises:
            FabricError: somebody listens there already.
        """
        if address.port == 0:
            while Address(address.host, self._next_port) in self._listeners:
                self._next_port += 1
            address = Address(address.host, self._next_port)
            self._next_port += 1
        if address in self._listeners:
            raise FabricError(f"somebody listens at {address} already")
        self._listeners[address] = listener
        return address

    def unbind(self, address: Address) -> None:
        """Free the address."""
        self._listeners.pop(address, None)

    def deliver(self, request: LoopbackRequest, address: Address) -> None:
        """Bring a connection request to whoever listens at the address."""
        listener = self._listeners.get(address)
        if listener is None:
            request.answer_refusal(f"nobody listens at {address}", b"")
            return
        side = listener.fabric.side
        if self.faults.vanished(side, 0):
            return
        match self.faults.on_request(side):
            case RefuseConnections(private_data=private_data):
                request.answer_refusal(f"the listener at {address} refused", private_data)
            case IgnoreConnections():
                pass
            case None:
                listener.enqueue(request)


class LoopbackRequest:
    """A peer that wants to connect (see `base.ConnectionRequest`)."""

    def __init__(self, initiator: LoopbackConnection, private_data: bytes) -> None:
        self._initiator = initiator
        self._private_data = private_data
        self._listener: LoopbackListener | None = None
        self._answered = False
        self.abandoned = False
        self.established = False
        self.refusal: ConnectionRejected | None = None

    @property
    def private_data(self) -> bytes:
        """What the peer sent with its request."""
        return self._private_data

    def arrive(self, listener: LoopbackListener) -> None:
        """Be at the listener."""
        self._listener = listener

    def accept(self, parameters: ConnectionParameters, timeout: float) -> LoopbackConnection:
        """Accept; returns when the peer has finished the handshake."""
        listener = self._take()
        require_room(parameters.private_data, MOST_IN_REPLY)
        connection = LoopbackConnection(listener.fabric, parameters)
        connection.bind(self._initiator, self._private_data)
        connection.recorder.note(Side.LOCAL, EventKind.CONNECT, data=parameters.private_data)
        listener.fabric.adopt(connection)
        connection.transmit(partial(self._finish, connection, parameters.private_data))
        network = listener.fabric.network
        if not network.schedule.wait(lambda: connection.connected, timeout):
            connection.abandon()
            raise unfinished(timeout)
        return connection

    def reject(self, private_data: bytes = b"") -> None:
        """Refuse the connection."""
        listener = self._take()
        require_room(private_data, MOST_IN_REJECT)
        fabric = listener.fabric
        note_rejection(fabric, private_data)
        self.answer_refusal(f"the listener at {listener.address} refused", private_data)

    def answer_refusal(self, why: str, private_data: bytes) -> None:
        """Have the initiator learn that it was refused."""
        network = self._initiator.network
        network.schedule.after(network.latency, partial(self._refuse, why, private_data))

    def _take(self) -> LoopbackListener:
        if self._answered or self._listener is None:
            raise answered_already()
        self._answered = True
        return self._listener

    def _refuse(self, why: str, private_data: bytes) -> None:
        if not self.abandoned:
            self.refusal = ConnectionRejected(why, private_data)

    def _finish(self, connection: LoopbackConnection, private_data: bytes) -> None:
        """The reply is at the initiator: it is ready to use, and says so."""
        if self.abandoned:
            return
        self._initiator.bind(connection, private_data)
        self._initiator.establish()
        self.established = True
        self._initiator.transmit(connection.establish)


class LoopbackListener:
    """Waits for peers at one address (see `base.Listener`)."""

    def __init__(self, fabric: LoopbackFabric, address: Address) -> None:
        self.fabric = fabric
        self._waiting: deque[LoopbackRequest] = deque()
        self._address = fabric.network.bind(address, self)

    @property
    def address(self) -> Address:
        """Where it listens."""
        return self._address

    def enqueue(self, request: LoopbackRequest) -> None:
        """Have one more peer wait."""
        request.arrive(self)
        self._waiting.append(request)

    def accept(self, timeout: float) -> LoopbackRequest | None:
        """The next request of a peer that still waits."""
        schedule = self.fabric.network.schedule
        schedule.wait(lambda: bool(self._waiting), timeout)
        while self._waiting:
            schedule.note_activity()
            request = self._waiting.popleft()
            if not request.abandoned:
                return request
        return None

    def close(self) -> None:
        """Stop listening; those who wait are refused."""
        self.fabric.network.unbind(self._address)
        while self._waiting:
            self._waiting.popleft().reject()


class LoopbackFabric:
    """One participant of the network (see `base.Fabric`)."""

    def __init__(self, network: LoopbackNetwork, side: str) -> None:
        self.network = network
        self.side = side
        self.trace = Trace()
        self._connections: list[LoopbackConnection] = []
        self._listeners: list[LoopbackListener] = []

    @property
    def name(self) -> str:
        """For reports."""
        return "loopback"

    @property
    def clock(self) -> Clock:
        """The network's virtual clock."""
        return self.network.clock

    def connect(
        self, address: Address, parameters: ConnectionParameters, timeout: float
    ) -> LoopbackConnection:
        """Connect to a listener of this network."""
        require_room(parameters.private_data, MOST_IN_REQUEST)
        connection = LoopbackConnection(self, parameters)
        connection.recorder.note(
            Side.LOCAL, EventKind.CONNECT, data=parameters.private_data, detail=str(address)
        )
        request = LoopbackRequest(connection, parameters.private_data)
        connection.transmit(partial(self.network.deliver, request, address))
        self.network.schedule.wait(
            lambda: request.established or request.refusal is not None, timeout
        )
        if request.established:
            self.adopt(connection)
            return connection
        request.abandoned = True
        connection.abandon()
        if request.refusal is not None:
            connection.recorder.note(Side.PEER, EventKind.REJECT, data=request.refusal.private_data)
            raise request.refusal
        connection.recorder.note(
            Side.LOCAL, EventKind.FAILURE, detail="no answer to the connection request"
        )
        raise unanswered(address, timeout)

    def listen(self, address: Address) -> LoopbackListener:
        """Listen at any name and port.

        Raises:
            FabricError: somebody listens there already.
        """
        listener = LoopbackListener(self, address)
        self._listeners.append(listener)
        return listener

    def attach(self, step: Callable[[], None]) -> None:
        """Have `step` called after every delivery in the network."""
        self.network.schedule.attach(self, step)

    @property
    def valid_regions(self) -> tuple[Region, ...]:
        """What this side has registered and not invalidated, on connections that ended as well."""
        return tuple(chain.from_iterable(one.valid_regions for one in self._connections))

    def adopt(self, connection: LoopbackConnection) -> None:
        """Close the connection together with the fabric."""
        self._connections.append(connection)

    def close(self) -> None:
        """Close listeners and connections, and detach the steps."""
        self.network.schedule.detach(self)
        for listener in self._listeners:
            listener.close()
        for connection in self._connections:
            connection.close()
        self._listeners.clear()
        self._connections.clear()

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
