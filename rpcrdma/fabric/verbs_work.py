"""What is remembered of a posted work request until it completes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.fabric.base import CompletionStatus

if TYPE_CHECKING:
    from rpcrdma.fabric.base import MemoryRegion, Opcode
    from rpcrdma.fabric.verbs_memory import ReceiveBuffer, SendBuffer

__all__ = ["Work"]


class Work:
    """One request; `opcode` is None for the binding of a window, which nobody asked to see.

    A plain class and not a dataclass with defaults for speed: one is made for each message.
    """

    __slots__ = ("buffer", "handle", "length", "offset", "opcode", "region", "start", "status")

    def __init__(
        self,
        opcode: Opcode | None,
        buffer: SendBuffer | ReceiveBuffer | None,
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
