"""Waiting for peers, and answering them (see `base.Listener` and `base.ConnectionRequest`)."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from rpcrdma.errors import FabricError
from rpcrdma.fabric.private_data import MOST_IN_REJECT, MOST_IN_REPLY, require_room
from rpcrdma.fabric.recorder import note_rejection
from rpcrdma.fabric.refusals import answered_already, unfinished
from rpcrdma.roce.connection import RoceConnection

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Address, ConnectionParameters
    from rpcrdma.roce.cm import CmHandshake
    from rpcrdma.roce.fabric import RoceFabric

__all__ = ["RoceListener", "RoceRequest"]


class RoceRequest:
    """A peer that wants to connect."""

    def __init__(self, listener: RoceListener, handshake: CmHandshake) -> None:
        self._listener = listener
        self._handshake = handshake
        self._answered = False

    @property
    def is_over(self) -> bool:
        """Whether the peer has given up."""
        return self._handshake.is_over

    @property
    def private_data(self) -> bytes:
        """What the peer sent with its request; the CM appends zeroes."""
        peer = self._handshake.peer
        return b"" if peer is None else peer.private_data

    def accept(self, parameters: ConnectionParameters, timeout: float) -> RoceConnection:
        """Accept; returns when the peer has finished the handshake."""
        fabric, handshake = self._take(), self._handshake
        require_room(parameters.private_data, MOST_IN_REPLY)
        peer = handshake.peer
        if peer is None:
            raise FabricError("the connection request cannot be accepted: the peer is gone")
        connection = RoceConnection(fabric, parameters, handshake.local, handshake.remote)
        connection.accept(handshake, peer, fabric.device.link.path_mtu(handshake.remote))
        fabric.device.wait_patiently(lambda: connection.established or connection.ended, timeout)
        if not connection.established:
            connection.abandon()
            raise unfinished(timeout)
        fabric.adopt(connection)
        return connection

    def reject(self, private_data: bytes = b"") -> None:
        """Refuse the connection."""
        fabric = self._take()
        require_room(private_data, MOST_IN_REJECT)
        note_rejection(fabric, private_data, fabric.device.link.clock)
        device = fabric.device
        with device.lock:
            self._handshake.reject(private_data)
            device.manage()

    def _take(self) -> RoceFabric:
        if self._answered:
            raise answered_already()
        self._answered = True
        return self._listener.fabric


class RoceListener:
    """Waits for peers at one address."""

    def __init__(self, fabric: RoceFabric, address: Address) -> None:
        self.fabric = fabric
        self._address = address
        self._waiting: deque[RoceRequest] = deque()
        self._open = True

    @property
    def address(self) -> Address:
        """Where it listens."""
        return self._address

    def enqueue(self, handshake: CmHandshake) -> None:
        """Have one more peer wait, in the place of those that have given up."""
        self._drop_those_gone()
        self._waiting.append(RoceRequest(self, handshake))

    def accept(self, timeout: float) -> RoceRequest | None:
        """The next request, or None when the time is over."""
        if not self._open:
            return None
        device = self.fabric.device
        device.wait(self._is_waited_for, timeout)
        with device.lock:
            if not self._waiting:
                return None
            taken = self._waiting.popleft()
        device.on_activity()
        return taken

    def close(self) -> None:
        """Stop listening; those who wait are refused."""
        if self._open:
            self._open = False
            self.fabric.unlisten(self)
            while self._waiting:
                self._waiting.popleft().reject()

    def _is_waited_for(self) -> bool:
        with self.fabric.device.lock:
            self._drop_those_gone()
            return bool(self._waiting)

    def _drop_those_gone(self) -> None:
        # The CM bounds those that still want in: who asks and gives up again must not stay either.
        self._waiting = deque(asked for asked in self._waiting if not asked.is_over)
