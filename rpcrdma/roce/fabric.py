"""The fabric that speaks RoCEv2 by itself: no RDMA stack, no driver, no root (see `base.Fabric`).

    with RoceFabric(UdpLink("192.0.2.1")) as fabric:
        connection = fabric.connect(Address("192.0.2.2", 20049), ConnectionParameters(), 5.0)

What carries the datagrams is a link (`rpcrdma.roce.link`); what a reliable connection is, is in
`rpcrdma.roce.transport`; how one is made, in `rpcrdma.roce.cm`.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import ConnectionRejected, DeviceUnavailable, FabricError
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.private_data import MOST_IN_REQUEST, require_room
from rpcrdma.fabric.refusals import unanswered
from rpcrdma.fabric.trace import EventKind, Side, Trace
from rpcrdma.roce.cm import CmNoticeKind
from rpcrdma.roce.connection import RoceConnection
from rpcrdma.roce.heartbeat import Heartbeat
from rpcrdma.roce.link.faulty_link import FaultyLink
from rpcrdma.roce.listener import RoceListener
from rpcrdma.roce.parts import USUAL, RoceParts
from rpcrdma.roce.settings import ORDINARY, RoceSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from rpcrdma.fabric.base import Clock, ConnectionParameters
    from rpcrdma.fabric.memory import HandleAllocator
    from rpcrdma.roce.cm import CmNotice
    from rpcrdma.roce.link.base import Link

__all__ = ["RoceFabric"]

_FIRST_FREE_PORT: Final = 49152
_FREE_PORTS: Final = 0x10000 - _FIRST_FREE_PORT


class RoceFabric:
    """All connections of one link.

    Args:
        link: which is closed together with the fabric.
        settings: of the transport.
        seed: of numbers, keys and addresses; None for those that nobody can guess.
        allocator: of handles and addresses; one of its own if None.
        parts: of which classes this side is made.

    Attributes:
        wire: the link, and what goes wrong on the way to it and from it.
    """

    def __init__(
        self,
        link: Link,
        settings: RoceSettings = ORDINARY,
        seed: int | None = None,
        allocator: HandleAllocator | None = None,
        parts: RoceParts = USUAL,
    ) -> None:
        self.settings = settings
        self.parts = parts
        self.wire = link if isinstance(link, FaultyLink) else FaultyLink(link)
        self.device = parts.device(self.wire, seed, allocator)
        self.trace = Trace()
        self.device.on_request = self._requested
        self._ports = random.Random(seed)  # noqa: S311  # any free port will do
        self._listeners: dict[int, RoceListener] = {}
        self._connections: list[RoceConnection] = []
        self._closed = False
        self._heartbeat = None if link.is_virtual else Heartbeat(self.device)
        if link.is_virtual:
            link.attach(self, self.device.progress)

    @property
    def trace(self) -> Trace:
        """What happens, and the frames; these are made only for one that keeps them."""
        return self._trace

    @trace.setter
    def trace(self, trace: Trace) -> None:
        self._trace = trace
        self.device.link.tap = trace.add_frame if trace.keep else None

    @property
    def name(self) -> str:
        """`roce`, and what carries it."""
        return self.device.link.name

    @property
    def clock(self) -> Clock:
        """The link's clock, which stands while a packet is owed (`link.owed`)."""
        return self.wire.patience

    def connect(
        self, address: Address, parameters: ConnectionParameters, timeout: float
    ) -> RoceConnection:
        """Connect to a listener."""
        require_room(parameters.private_data, MOST_IN_REQUEST)
        link = self.device.link
        local, path_mtu = link.local_address(address.host), link.path_mtu(address.host)
        connection = RoceConnection(self, parameters, local, address.host)
        connection.recorder.note(
            Side.LOCAL, EventKind.CONNECT, data=parameters.private_data, detail=str(address)
        )
        connection.request(address.port, path_mtu)
        self.device.wait_patiently(lambda: connection.established or connection.ended, timeout)
        if connection.established:
            self.adopt(connection)
            return connection
        connection.abandon()
        refusal = connection.refusal
        if isinstance(refusal, ConnectionRejected):
            connection.recorder.note(Side.PEER, EventKind.REJECT, data=refusal.private_data)
            raise ConnectionRejected(f"{address}: {refusal}", refusal.private_data)
        connection.recorder.note(
            Side.LOCAL, EventKind.FAILURE, detail="no answer to the connection request"
        )
        raise unanswered(address, timeout)

    def listen(self, address: Address) -> RoceListener:
        """Listen at a port of the link's address.

        Raises:
            DeviceUnavailable: the address is not the link's.
            FabricError: this fabric listens there already.
        """
        own = self.device.link.local_address(address.host)
        if own != address.host:
            raise DeviceUnavailable(f"{address.host} is not the address of this fabric, {own}")
        with self.device.lock:
            port = address.port or self._free_port()
            if port in self._listeners:
                raise FabricError(f"somebody listens at {address} already")
            listener = RoceListener(self, Address(address.host, port))
            self._listeners[port] = listener
            self.device.manager.listen(port)
        return listener

    def unlisten(self, listener: RoceListener) -> None:
        """Refuse whoever comes to this listener from now on."""
        with self.device.lock:
            if self._listeners.get(listener.address.port) is listener:
                del self._listeners[listener.address.port]
                self.device.manager.unlisten(listener.address.port)
                self.device.manage()

    def attach(self, step: Callable[[], None]) -> None:
        """Have `step` called while this fabric waits."""
        self.device.link.attach(self, step)

    def adopt(self, connection: RoceConnection) -> None:
        """Close the connection together with the fabric."""
        self._connections = [entry for entry in self._connections if not entry.ended]
        self._connections.append(connection)

    def calm(self) -> None:
        """End all faults, and wait until nothing that they took is owed."""
        self.wire.heal()
        self.device.outwait(lambda: bool(self.wire.owed))

    def silence(self, connection: RoceConnection) -> None:
        """Make a connection's end answer no longer, as if its host were gone; for tests."""
        self.device.silence(connection)

    def close(self) -> None:
        """Close listeners, connections and the link, once the peers know."""
        if self._closed:
            return
        self._closed = True
        for listener in list(self._listeners.values()):
            listener.close()
        for connection in self._connections:
            connection.close()
        link = self.device.link
        if self._heartbeat is not None:
            self.device.wait(lambda: not self.device.is_disconnecting, self.settings.linger)
            self._heartbeat.stop()
        link.detach(self)
        self._connections.clear()
        self.device.close()

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

    def _free_port(self) -> int:
        while True:
            port = _FIRST_FREE_PORT + self._ports.randrange(_FREE_PORTS)
            if port not in self._listeners:
                return port

    def _requested(self, notice: CmNotice) -> None:
        """Bring a connection request to whoever listens at its port."""
        if notice.kind is not CmNoticeKind.REQUEST:
            return
        listener = self._listeners.get(notice.handshake.port)
        if listener is not None:
            listener.enqueue(notice.handshake)
