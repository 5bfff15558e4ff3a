"""This end's memory as its own requests use it, and what the trace gets of them.

    InfiniBand Architecture volume 1, 10.6.3  access to memory by local keys

The octets of a Write are taken when it is posted; those of a Read land when all are there.  Either
asks whether the region allows it, when it is posted and again when it is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import Opcode
from rpcrdma.fabric.posted_receives import note_failed_work
from rpcrdma.fabric.trace import EventKind, Side

if TYPE_CHECKING:
    from rpcrdma.fabric.memory import ProtectionDomain
    from rpcrdma.fabric.recorder import Recorder
    from rpcrdma.roce.transport.work import TransportWork

__all__ = ["LocalMemory"]


class LocalMemory:
    """Regions of one protection domain, for requests of this end."""

    def __init__(self, domain: ProtectionDomain, recorder: Recorder) -> None:
        self._domain = domain
        self._recorder = recorder

    def allows(self, work: TransportWork) -> bool:
        """Whether the request may use the region that it names."""
        access = Access.LOCAL_WRITE if work.is_read else None
        return self._domain.lends(work.region, work.start, work.length, access)

    def take(self, work: TransportWork) -> None:
        """Give a Write its octets; a Send or Write is noted now, a Read when it is done."""
        if work.opcode is Opcode.SEND:
            self._recorder.note(Side.LOCAL, EventKind.SEND, data=work.data, handle=work.invalidate)
        elif work.opcode is Opcode.RDMA_WRITE:
            if work.length and work.region is not None:
                work.data = work.region.read(work.start, work.length)
            self._note_transfer(EventKind.RDMA_WRITE, work, work.data)

    def land(self, work: TransportWork) -> None:
        """Place what a Read has brought."""
        data = b"".join(work.octets)
        if data and work.region is not None:
            work.region.write(data, work.start)
        self._note_transfer(EventKind.RDMA_READ, work, data)

    def _note_transfer(self, kind: EventKind, work: TransportWork, data: bytes) -> None:
        self._recorder.note(Side.LOCAL, kind, data=data, handle=work.handle, offset=work.offset)

    def note_failure(self, work: TransportWork, why: str) -> None:
        """Report a request that failed by itself, and not in a flush."""
        note_failed_work(self._recorder, Side.LOCAL, work, why)
