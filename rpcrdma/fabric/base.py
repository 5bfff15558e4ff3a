"""The verbs-shaped interface that every fabric implements.

A *fabric* makes reliable connections between two endpoints; a *connection* carries Sends into
posted Receives and RDMA Reads and Writes into registered memory.  The words are those of the verbs:
what `loopback` simulates in process is what `verbs` asks of a device through pyverbs and rdma_cm.
One contract suite (`tests/fabric_contract`) runs on both.

Nothing here blocks but `Connection.poll`, `Fabric.connect`, `Listener.accept` and
`ConnectionRequest.accept`, each with a timeout in seconds of the fabric's own clock: virtual time
on loopback, wall-clock time on verbs.

This file is an interface only: it knows no protocol and does no I/O.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto
from typing import TYPE_CHECKING, Protocol

from rpcrdma.errors import FabricError
from rpcrdma.fabric.segments import require_segments

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from rpcrdma.fabric.completion import Completion, WorkId
    from rpcrdma.fabric.segments import Segments
    from rpcrdma.fabric.trace import Trace

__all__ = [
    "Access",
    "Address",
    "Clock",
    "Connection",
    "ConnectionParameters",
    "ConnectionRequest",
    "Fabric",
    "Listener",
    "MemoryRegion",
]


class Access(Flag):
    """What may be done with registered memory; local reading is always allowed."""

    LOCAL_WRITE = auto()
    REMOTE_READ = auto()
    REMOTE_WRITE = auto()


@dataclass(frozen=True, slots=True)
class Address:
    """Where a listener is: an IP address (or, on loopback, any name) and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class ConnectionParameters:
    """What is chosen when a connection is made.

    Attributes:
        private_data: octets that travel with the CM's request or reply (at most 56 in a request).
        send_depth: most Sends, Reads and Writes posted and not yet completed.
        receive_depth: most Receives posted.
        receive_segments: most segments of one Receive.
        initial_receives: the Receives to post before the connection can carry anything, so that
            the peer's first Send never finds none; of the fabric's own memory, since there is no
            registered memory of the connection yet.
        rnr_retry: how often a Send is tried again when the receiver has no Receive posted; 7 means
            for ever (verbs), 0 means the first time is an error.
        retry: how often an unanswered packet is sent again before the connection breaks.  Less
            than the 7 that there is room for: Soft-RoCE takes 7 for "for ever" here, too.

    Raises:
        FabricError: an initial Receive has no segment, more than `receive_segments`, or one of
            registered memory.
    """

    private_data: bytes = b""
    send_depth: int = 256
    receive_depth: int = 256
    receive_segments: int = 1
    initial_receives: tuple[Segments, ...] = ()
    rnr_retry: int = 7
    retry: int = 6

    def __post_init__(self) -> None:
        """Refuse initial Receives that no connection can have."""
        for segments in set(self.initial_receives):  # most have one list, many times
            require_segments(segments, self.receive_segments)
            if any(segment.region is not None for segment in segments):
                raise FabricError(
                    "an initial Receive has a segment of registered memory, of which a connection"
                    " has none before it is made (ConnectionParameters.initial_receives)"
                )


class Clock(Protocol):
    """Seconds that only grow; the only source of time above a fabric."""

    def now(self) -> float:
        """Seconds since an arbitrary start."""
        ...


class MemoryRegion(Protocol):
    """Registered memory of one connection's protection domain.

    `handle` (R_key, STag) and `offset` (the address of the first octet as the peer must name it)
    are what an RDMA segment carries; `length` is in octets.
    """

    @property
    def handle(self) -> int:
        """The R_key under which the peer reaches this memory."""
        ...

    @property
    def offset(self) -> int:
        """The address of the first octet, as it goes into an RDMA segment."""
        ...

    @property
    def length(self) -> int:
        """Size in octets."""
        ...

    @property
    def access(self) -> Access:
        """What the region was registered for."""
        ...

    @property
    def valid(self) -> bool:
        """False once invalidated, by this side or by the peer's Send With Invalidate."""
        ...

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        """Copy octets out (local access: works after invalidation, too)."""
        ...

    def write(self, data: bytes, start: int = 0) -> None:
        """Copy octets in (local access).

        Raises:
            ValueError: the octets do not fit.
        """
        ...


class Connection(Protocol):
    """One reliable connection.

    Posting never blocks.  Work of one connection starts in the order of posting; an RDMA Write is
    placed in the peer's memory before a Send posted after it is received.  After a failure or a
    disconnect every outstanding request completes as FLUSHED and posting raises `ConnectionLost`;
    an end whose work failed disconnects by itself, so that the other end does not wait for ever.
    Posting more than the parameters' depths raises `FabricError`.
    """

    @property
    def private_data(self) -> bytes:
        """What the peer sent when the connection was made; a device may append zeroes."""
        ...

    @property
    def connected(self) -> bool:
        """Whether work can still be posted."""
        ...

    @property
    def clock(self) -> Clock:
        """The clock in which this connection's timeouts are measured."""
        ...

    @property
    def bears_invalidation(self) -> bool:
        """Whether the peer can invalidate whatever is registered for it, by its Sends."""
        ...

    def register(self, length: int, access: Access) -> MemoryRegion:
        """Register `length` octets of zeroed memory (at least one).

        Raises:
            FabricError: the device has no room or no permission.
        """
        ...

    def invalidate(self, region: MemoryRegion) -> None:
        """End the peer's access to the region; done when this returns.  Twice is allowed."""
        ...

    def post_receive(self, segments: Segments) -> WorkId:
        """Post a Receive, whose message fills the segments in their order.

        Raises:
            ConnectionLost: the connection is gone.
            FabricError: there are more segments than the connection was made for, or none.
        """
        ...

    def post_send(
        self, data: bytes, *, invalidate: int | None = None, signalled: bool = True
    ) -> WorkId:
        """Send `data`; with `invalidate`, as a Send With Invalidate of that peer's handle.

        The success of a Send that is not `signalled` is not reported; a failure is.  It keeps its
        place in the send queue until signalled work posted after it completes, so the caller must
        signal often enough.

        Raises:
            ConnectionLost: the connection is gone.
        """
        ...

    def post_rdma_read(
        self, region: MemoryRegion, start: int, length: int, handle: int, offset: int
    ) -> WorkId:
        """Read `length` octets at (`handle`, `offset`) of the peer into `region` from `start` on.

        Raises:
            ConnectionLost: the connection is gone.
        """
        ...

    def post_rdma_write(
        self, region: MemoryRegion, start: int, length: int, handle: int, offset: int
    ) -> WorkId:
        """Write `length` octets of `region` from `start` on to (`handle`, `offset`) of the peer.

        Raises:
            ConnectionLost: the connection is gone.
        """
        ...

    def poll(self, timeout: float) -> list[Completion]:
        """Completions in order; waits up to `timeout` seconds for the first (0: does not wait).

        Returns an empty list when the time is over, or at once when the connection is gone and
        every posted request has been reported.
        """
        ...

    def disconnect(self) -> None:
        """End the connection in an orderly way.  Twice is allowed."""
        ...

    def close(self) -> None:
        """Disconnect and release everything, regions first.  Twice is allowed."""
        ...


class ConnectionRequest(Protocol):
    """A peer that wants to connect."""

    @property
    def private_data(self) -> bytes:
        """What the peer sent with its request."""
        ...

    def accept(self, parameters: ConnectionParameters, timeout: float) -> Connection:
        """Accept; the initial Receives are posted before the peer can send.

        Raises:
            DeadlineExceeded: the peer did not finish the handshake in time.
        """
        ...

    def reject(self, private_data: bytes = b"") -> None:
        """Refuse the connection."""
        ...


class Listener(Protocol):
    """Waits for peers at one address."""

    @property
    def address(self) -> Address:
        """Where it listens; the port is the real one if 0 was asked for."""
        ...

    def accept(self, timeout: float) -> ConnectionRequest | None:
        """The next request, or None when `timeout` seconds are over."""
        ...

    def close(self) -> None:
        """Stop listening; made connections stay.  Twice is allowed."""
        ...


class Fabric(Protocol):
    """Makes connections; owns the device (verbs) or the simulated network (loopback)."""

    trace: Trace
    """Where events of this side's connections go; a new one may be put in between cases."""

    @property
    def name(self) -> str:
        """`loopback`, or `verbs` with the device: for reports."""
        ...

    @property
    def clock(self) -> Clock:
        """The clock of every timeout."""
        ...

    def connect(
        self, address: Address, parameters: ConnectionParameters, timeout: float
    ) -> Connection:
        """Connect to a listener.

        Raises:
            ConnectionRejected: nobody listens there, or the listener refused.
            DeadlineExceeded: no answer in time.
            DeviceUnavailable: there is no usable device.
        """
        ...

    def listen(self, address: Address) -> Listener:
        """Listen at `address`; port 0 takes any free one.

        Raises:
            DeviceUnavailable: there is no usable device, or the address is not on it.
        """
        ...

    def attach(self, step: Callable[[], None]) -> None:
        """Have `step` called whenever work may have arrived for somebody else in this process.

        Loopback calls it from inside `poll` and `connect`, so that a device under test in the same
        thread gets its turn; verbs calls it in the same places.  `step` must not block.
        Closing the fabric detaches its steps.
        """
        ...

    def close(self) -> None:
        """Release everything.  Twice is allowed."""
        ...

    def __enter__(self) -> Self:
        """Enter a `with` block that ends in `close`."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close."""
        ...
