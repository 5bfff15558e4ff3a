"""What is remembered of a posted work request until it completes, and what the trace gets of it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.base import CompletionStatus
from rpcrdma.fabric.trace import EventKind, Side

if TYPE_CHECKING:
    from rpcrdma.fabric.base import MemoryRegion, Opcode
    from rpcrdma.fabric.recorder import Recorder
    from rpcrdma.fabric.verbs_memory import SendBuffer

__all__ = [
    "ANY_INVALIDATE",
    "BIND",
    "READ",
    "SEND",
    "SEND_WITH_INVALIDATE",
    "SIGNALED",
    "WRITE",
    "Unsignalled",
    "Work",
    "note_failure",
    "note_read",
    "note_registration",
]

WRITE, SEND, READ, BIND, SEND_WITH_INVALIDATE = 0, 2, 4, 8, 9  # enum ibv_wr_opcode
SIGNALED: Final = 1 << 1  # enum ibv_send_flags
_WITH_INVALIDATE: Final = 1 << 3  # enum ibv_wc_flags; IBV_WC_GRH, which rxe sets, means nothing
_KERNEL_WITH_INVALIDATE: Final = 1 << 2
"""The kernel's own number for it, which rxe hands to user space as it is (where the bit stands for
an IP checksum, which Receives of a reliable connection do not have)."""
ANY_INVALIDATE: Final = _WITH_INVALIDATE | _KERNEL_WITH_INVALIDATE


class Work:
    """One request; `opcode` is None for the binding of a window, which nobody asked to see.

    A plain class and not a dataclass with defaults for speed: one is made for each message.
    """

    __slots__ = ("buffer", "handle", "length", "offset", "opcode", "region", "start", "status")

    def __init__(
        self,
        opcode: Opcode | None,
        buffer: SendBuffer | None,
        length: int,
        region: MemoryRegion | None = None,
        start: int = 0,
        handle: int = 0,
        offset: int = 0,
    ) -> None:
        self.opcode = opcode
        self.buffer = buffer
        self.length = length
        self.region = region
        self.start = start
        self.handle = handle
        self.offset = offset
        self.status = CompletionStatus.OTHER


class Unsignalled(deque["tuple[int, SendBuffer]"]):
    """Sends whose success is not told, oldest first: number and buffer."""

    def retire(self, number: int) -> None:
        """All that was posted up to request `number` is done, since that one completed."""
        while self and self[0][0] <= number:
            buffer = self.popleft()[1]
            buffer.free.append(buffer)


def note_registration(recorder: Recorder, region: MemoryRegion) -> None:
    """Memory that is ready to be named."""
    recorder.note(
        Side.LOCAL,
        EventKind.REGISTER,
        handle=region.handle,
        offset=region.offset,
        length=region.length,
        detail=" ".join(right.name or "" for right in region.access),
    )


def note_read(recorder: Recorder, work: Work, region: MemoryRegion) -> None:
    """A Read is noted when its octets are there."""
    data = region.read(work.start, work.length)
    recorder.note(
        Side.LOCAL, EventKind.RDMA_READ, data=data, handle=work.handle, offset=work.offset
    )


def note_failure(recorder: Recorder, work: Work, detail: str) -> None:
    """A request that failed by itself, and not in a flush."""
    recorder.note(
        Side.LOCAL,
        EventKind.FAILURE,
        handle=work.handle or None,
        offset=work.offset or None,
        length=work.length,
        detail=detail,
    )
