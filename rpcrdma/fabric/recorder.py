"""Reports the events of one connection to whatever trace its fabric has at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.fabric.trace import TraceEvent

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Fabric
    from rpcrdma.fabric.segments import Placement
    from rpcrdma.fabric.trace import EventKind, Side

__all__ = ["Recorder"]


class Recorder:
    """Numbers the connection in each trace that it meets: a new one may be put in between cases."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric
        self._clock = fabric.clock
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
