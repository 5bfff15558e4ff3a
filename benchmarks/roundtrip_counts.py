"""What an operation takes on loopback, where virtual time is latency and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from roundtrip_ends import TimedClient, make_server

from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.trace import EventKind, Side, Trace

if TYPE_CHECKING:
    from roundtrip_rows import Row

__all__ = ["Counts", "Work", "count_row"]

LATENCY: Final = 1 / 1024
"""Seconds one way: a power of two, of which a clock adds up exact sums."""

TRANSFERS: Final = (EventKind.RDMA_READ, EventKind.RDMA_WRITE)


@dataclass(frozen=True, slots=True)
class Work:
    """What one end has to do for an operation.

    Attributes:
        registrations: of memory, for the peer or for RDMA Reads and Writes of its own.
        completions: of Receives, and of RDMA Reads and Writes of its own.  Sends are left out: of
            16 the endpoint has one reported.
    """

    registrations: int
    completions: int

    @classmethod
    def traced(cls, trace: Trace) -> Work:
        """That of the end whose trace this is."""
        done = [(event.side, event.kind) for event in trace.events]
        received = done.count((Side.PEER, EventKind.SEND))
        own = sum(done.count((Side.LOCAL, kind)) for kind in TRANSFERS)
        return cls(done.count((Side.LOCAL, EventKind.REGISTER)), received + own)


@dataclass(frozen=True, slots=True)
class Counts:
    """What an operation takes.

    Attributes:
        transits: from the Call until the Requester holds the Reply.
        messages: what crosses the link, in the order in which the Requester sees it.
        requester, responder: the work of either end.
    """

    transits: float
    messages: tuple[str, ...]
    requester: Work
    responder: Work


def count_row(row: Row) -> Counts:
    """Make the call, once both ends have settled how they speak."""
    network = LoopbackNetwork(LATENCY)
    with network.fabric("responder") as device, network.fabric("requester") as fabric:
        server = make_server(device, Address("responder", 0), row.reductions)
        device.attach(server.step)
        client = TimedClient(fabric, server.address, row.reductions)
        client.time(row.operation)
        fabric.trace, device.trace = theirs, ours = Trace(), Trace()
        seconds = client.time(row.operation)
        crossing = (EventKind.SEND, *TRANSFERS)
        messages = tuple(event.kind.value for event in theirs.events if event.kind in crossing)
        return Counts(seconds / LATENCY, messages, Work.traced(theirs), Work.traced(ours))
