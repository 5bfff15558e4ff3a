"""Reports events to whatever trace a fabric has at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.fabric.trace import EventKind, Side, TraceEvent

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Clock, Fabric, MemoryRegion
    from rpcrdma.fabric.segments import Placement

__all__ = ["Recorder", "note_rejection"]


class Recorder:
    """Numbers the connection in each trace that it meets: a new one may be put in between cases.

    Args:
        fabric: of the connection.
        clock: that tells when events were; None: the fabric's.
    """

    def __init__(self, fabric: Fabric, clock: Clock | None = None) -> None:
        self._fabric = fabric
        self._clock = clock or fabric.clock
        self._trace = fabric.trace
        self._number = self._trace.open_connection()

    def note(
        self,
        side: Side,
        kind: EventKind,
        *,
        data: bytes = b"",
        handle: int | None = None,
        offset: int | None = None,
        length: int | None = None,
        detail: str = "",
        placed: tuple[Placement, ...] = (),
    ) -> None:
        """Add one event; `length` is that of `data` unless it is given (see `TraceEvent`)."""
        trace = self._fabric.trace
        if trace is not self._trace:
            self._trace = trace
            self._number = trace.open_connection()
        if not trace.keep:
            return
        if length is None:
            length = len(data)
        now = self._clock.now()
        # By position, which is quicker: this is called three times for every message exchanged.
        event = TraceEvent(
            now, self._number, side, kind, data, handle, offset, length, detail, placed
        )
        trace.add(event)

    def registered(self, region: MemoryRegion) -> None:
        """Add that memory of this side may be named by the peer from now on."""
        self.note(
            Side.LOCAL,
            EventKind.REGISTER,
            handle=region.handle,
            offset=region.offset,
            length=region.length,
            detail=" ".join(right.name or "" for right in region.access),
        )


def note_rejection(fabric: Fabric, private_data: bytes, clock: Clock | None = None) -> None:
    """Report that this side rejects a peer: an event of no connection, since none is made.

    Args:
        fabric: of the peer.
        private_data: that go with the rejection.
        clock: that tells when it was; None: the fabric's.
    """
    event = TraceEvent(
        (clock or fabric.clock).now(),
        0,
        Side.LOCAL,
        EventKind.REJECT,
        private_data,
        length=len(private_data),
    )
    fabric.trace.add(event)
