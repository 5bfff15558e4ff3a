"""Work requests: what is remembered until they complete, and what the trace gets of them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from pyverbs.mr import MW, MWBindInfo
from pyverbs.wr import SGE, SendWR

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.fabric.verbs_status import access_flags

if TYPE_CHECKING:
    from rpcrdma.fabric.base import MemoryRegion
    from rpcrdma.fabric.completion import Opcode
    from rpcrdma.fabric.recorder import Recorder
    from rpcrdma.fabric.verbs_memory import SendBuffer, VerbsRegion

__all__ = [
    "ANY_INVALIDATE",
    "READ",
    "REMOTE",
    "SEND",
    "SEND_WITH_INVALIDATE",
    "SIGNALED",
    "WRITE",
    "Unsignalled",
    "VerbsWork",
    "binding",
    "note_failure",
    "note_read",
    "note_write",
    "transfer",
]

WRITE, SEND, READ, _BIND, SEND_WITH_INVALIDATE = 0, 2, 4, 8, 9  # enum ibv_wr_opcode
SIGNALED: Final = 1 << 1  # enum ibv_send_flags
_WITH_INVALIDATE: Final = 1 << 3  # enum ibv_wc_flags; IBV_WC_GRH, which rxe sets, means nothing
_KERNEL_WITH_INVALIDATE: Final = 1 << 2
"""The kernel's own number for it, which rxe hands to user space as it is (where the bit stands for
an IP checksum, which Receives of a reliable connection do not have)."""
ANY_INVALIDATE: Final = _WITH_INVALIDATE | _KERNEL_WITH_INVALIDATE

REMOTE: Final = Access.REMOTE_READ | Access.REMOTE_WRITE
"""What makes a region one that the peer may reach."""

_WINDOW_TYPE_2: Final = 2


class VerbsWork:
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


def transfer(opcode: int, work: VerbsWork, region: VerbsRegion) -> tuple[Any, Any]:
    """The request of an RDMA Read or Write and its element (pyverbs SendWR, SGE): to be closed."""
    element = SGE(region.offset + work.start, work.length, region.local_key)
    request = SendWR(opcode=opcode, num_sge=1, sg=[element])
    request.set_wr_rdma(work.handle, work.offset & 0xFFFF_FFFF_FFFF_FFFF)
    return request, element


def binding(domain: Any, region: VerbsRegion) -> tuple[Any, Any]:  # noqa: ANN401  # a pyverbs PD
    """A new memory window (pyverbs MW) and the request that binds it to the region."""
    window = MW(domain, _WINDOW_TYPE_2)
    flags = access_flags(region.access & REMOTE) & ~1  # a window's rights are remote ones
    request = SendWR(opcode=_BIND, num_sge=0)
    request.set_bind_wr(
        window, MWBindInfo(region.registration, region.offset, region.length, flags)
    )
    return window, request


def note_read(recorder: Recorder, work: VerbsWork, region: MemoryRegion) -> None:
    """A Read is noted when its octets are there."""
    data = region.read(work.start, work.length)
    recorder.note(
        Side.LOCAL, EventKind.RDMA_READ, data=data, handle=work.handle, offset=work.offset
    )


def note_write(recorder: Recorder, work: VerbsWork, region: MemoryRegion) -> None:
    """A Write is noted when it is posted, with the octets if the region has them."""
    data = b""
    if 0 <= work.start <= work.start + work.length <= region.length:
        data = region.read(work.start, work.length)
    recorder.note(
        Side.LOCAL,
        EventKind.RDMA_WRITE,
        data=data,
        handle=work.handle,
        offset=work.offset,
        length=work.length,
    )


def note_failure(recorder: Recorder, work: VerbsWork, detail: str) -> None:
    """A request that failed by itself, and not in a flush."""
    recorder.note(
        Side.LOCAL,
        EventKind.FAILURE,
        handle=work.handle or None,
        offset=work.offset or None,
        length=work.length,
        detail=detail,
    )
