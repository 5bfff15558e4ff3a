"""Ends that keep something of each connection or error, or that become slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.driver import Driver
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.fabric.base import Access
from rpcrdma.fabric.loopback_connection import LoopbackConnection
from targets.leaks.base import leak
from targets.reference.replaced_parts import BOTH_ENDS
from targets.usage import Resource

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action, Send
    from rpcrdma.endpoint.core.faults import Fault
    from rpcrdma.wire import FixedWords, RdmaError

REGION: Final = 1 << 16
"""Octets of a region that is kept."""

KEPT: Final = 1 << 18
"""Octets that are kept of an error: so many that the C library asks the kernel for them each time,
and does not take what it has been given back before."""

MOMENT: Final = 20e-6
"""Seconds that it takes to look at one pair."""

_errors: Final[list[bytearray]] = []


@leak(Resource.REGIONS, "connection", roles=("responder",))
class KeepsARegionOfEachConnection(Driver):
    """Leaves one region registered of each connection that has ended."""

    def close(self) -> None:
        super().close()
        # The fabric has released all that the connection had; what is left is made anew.
        self.connection.register(REGION, Access.LOCAL_WRITE)


@leak(Resource.RESIDENT, "error", "roce")
class KeepsMemoryOfEachError(Responder):
    """Keeps 256 KiB of memory of each ERR_CHUNK that it sends."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        _errors.append(bytearray(b"\1" * KEPT))  # written to: else it would not be resident
        return super().send_error(words, fault)


@leak(Resource.RESIDENT, "error", "roce")
class KeepsMemoryOfEachRefusal(Requester):
    """Keeps 256 KiB of memory of each call that is refused."""

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        _errors.append(bytearray(b"\1" * KEPT))
        return super()._refused(xid, body)


@leak(None, "connection", roles=BOTH_ENDS)
class TakesLongerWithEachConnection(Driver):
    """Looks through all pairs of connections that there have ever been before it answers."""

    def _send(self, action: Send) -> None:
        connection = self.connection
        if not isinstance(connection, LoopbackConnection):
            raise TypeError("this leak shows in virtual time alone")
        network = connection.network
        met: list[Driver] = vars(network).setdefault("met", [])
        if self not in met:
            met.append(self)
        network.schedule.wait(lambda: False, len(met) ** 2 * MOMENT)
        super()._send(action)
