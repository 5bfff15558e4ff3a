"""Ends with another pace: late with what they send, one thing at a time, tired of waiting.

The documents set no times.  A profile does: an answer may take as long as its `deadline`.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.core.actions import Disconnect, Send
from rpcrdma.endpoint.core.driver import Driver
from rpcrdma.endpoint.negotiation.client import NegotiatingClient
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.fabric.loopback_connection import LoopbackConnection
from rpcrdma.wire import v2
from rpcrdma.xdr.runtime import word_at
from targets.reference.replaced_parts import BOTH_ENDS
from targets.variants.base import variant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.connection import Endpoint
    from rpcrdma.fabric.base import Connection

SECOND: Final = 1.0
"""By which an end is late; a fifth of what the profile allows, and five times its grace period."""

MOMENT: Final = 0.005
"""Seconds in which several messages come together."""

IDLE: Final = 0.45
"""Seconds after which an end is tired of a connection on which nothing happens: longer than
two grace periods."""


class TimedDriver(Driver):
    """A driver that sends each message some time after it was told to."""

    def __init__(self, connection: Connection, endpoint: Endpoint) -> None:
        self.waiting: deque[tuple[float, Send | Disconnect]] = deque()
        super().__init__(connection, endpoint)

    def lateness(self, message: bytes) -> float:
        """Seconds by which a message is late, after those that were to be sent before it."""
        raise NotImplementedError

    def wait(self, timeout: float) -> bool:
        """Send what is due first."""
        busy = False
        while self.waiting and self.waiting[0][0] <= self._now():
            busy = True
            send = self.waiting.popleft()[1]
            if isinstance(send, Disconnect):
                super()._disconnect(send)
            else:
                super()._send(send)
        return super().wait(timeout) or busy

    def wake(self, moment: float) -> None:
        """Have a turn at a moment of the fabric's clock."""
        if isinstance(self.connection, LoopbackConnection):
            self.connection.network.wake_at(moment)

    def _send(self, action: Send) -> None:
        self._later(self.lateness(action.data), action)

    def _disconnect(self, action: Disconnect) -> None:
        self._later(0.0, action)

    def _later(self, seconds: float, action: Send | Disconnect) -> None:
        last = self.waiting[-1][0] if self.waiting else 0.0
        due = max(last, self._now() + seconds)
        self.waiting.append((due, action))
        self.wake(due)


@variant(
    "D-119",
    leaves_open={
        "bidir/2.2/server-has-its-receives-after-many-calls-of-its-own": (
            "it has not made as many Calls by the deadline"
        )
    },
    roles=("responder",),
    documents="bidir,v2",
)
@variant("D-119", roles=("requester",), documents="bidir,v2")
class IsLateWithEverything(TimedDriver):
    """Sends each message a second after it could."""

    def lateness(self, message: bytes) -> float:
        """A second."""
        return SECOND


def is_optional(message: bytes) -> bool:
    """Whether this is an RDMA2_OPTIONAL."""
    return word_at(message, 4) == v2.VERSION and word_at(message, 12) == (
        v2.Rdma2Procedure.RDMA2_OPTIONAL
    )


@variant("D-139", roles=BOTH_ENDS, documents="xcharext")
class IsLateWithWhatIsOptional(TimedDriver):
    """Sends each optional message a second after it could, and the others behind it."""

    def lateness(self, message: bytes) -> float:
        """A second, of an optional message."""
        return SECOND if is_optional(message) else 0.0


class TiresDriver(TimedDriver):
    """A driver that ends a connection on which nothing happens, and for which nobody waits."""

    def __init__(self, connection: Connection, endpoint: Endpoint) -> None:
        self._busy_until = 0.0
        self._woken_at = 0.0
        super().__init__(connection, endpoint)

    def lateness(self, message: bytes) -> float:
        """None."""
        return 0.0

    def wait(self, timeout: float) -> bool:
        """End it once nothing has happened for a while."""
        busy = super().wait(timeout)
        now = self._now()
        if busy or self._busy_until == 0.0 or self.is_waited_for():
            self._busy_until = now + IDLE
        elif now >= self._busy_until and not self.gone:
            self.connection.disconnect()
        if self._woken_at <= now and not self.gone:
            self._woken_at = self._busy_until
            self.wake(self._woken_at)
        return busy

    def is_waited_for(self) -> bool:
        """Whether an answer is due, to or from this end."""
        role = self.endpoint.role
        if isinstance(role, NegotiatingClient):
            role = role.role
        if not isinstance(role, Duplex):
            return True
        forward, backward = role.forward, role.backward
        if isinstance(forward, Requester):
            return forward.is_busy
        busy = isinstance(forward, Responder) and forward.is_busy
        return busy or (isinstance(backward, BackwardRequester) and bool(backward.in_flight))


@variant("D-155", roles=BOTH_ENDS, documents="v2,xcharext")
class HangsUpWhenIdle(TiresDriver):
    """Ends a connection on which nothing has happened for a moment, and no answer is due."""
