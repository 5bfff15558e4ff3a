"""The responder's half of a simulated queue pair: posted Receives, and what the peer asks for.

It executes one arrived request at a time and says how that went, to the initiator and here.  When
requests arrive, in which order and what follows from a failure is `loopback_connection`'s business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import CompletionStatus, Opcode
from rpcrdma.fabric.memory import Denial
from rpcrdma.fabric.posted_receives import PostedReceives, note_failed_work
from rpcrdma.fabric.trace import EventKind, Side

if TYPE_CHECKING:
    from rpcrdma.fabric.base import MemoryRegion
    from rpcrdma.fabric.completion import Completion, WorkId
    from rpcrdma.fabric.memory import ProtectionDomain
    from rpcrdma.fabric.recorder import Recorder

__all__ = ["Executed", "LoopbackResponder", "LoopbackWork"]


@dataclass(slots=True, eq=False)
class LoopbackWork:
    """One request of a send queue.

    Attributes:
        work_id: what posting it returned.  opcode: what it asks for.
        sequence: its place among all requests of the connection, from 0.
        length: octets to send, read or write.
        data: those octets, of a Send or Write.
        invalidate: handle that a Send With Invalidate ends.
        signalled: whether its success is reported.
        region, start: the local memory of a Read or Write.
        handle, offset: the peer's memory of a Read or Write.
        attempts_left: how often it may still find no Receive; 7 means for ever.
        refused: the local region forbids it, so that it never leaves.
        waits: it has found no Receive at least once.
    """

    work_id: WorkId
    opcode: Opcode
    sequence: int
    attempts_left: int
    length: int
    data: bytes = b""
    invalidate: int | None = None
    signalled: bool = True
    region: MemoryRegion | None = None
    start: int = 0
    handle: int = 0
    offset: int = 0
    refused: bool = False
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Executed:
    """What came of a request.

    Attributes:
        status: what the initiator learns.
        data: what a Read found.
        completion: of the Receive that a Send took.
    """

    status: CompletionStatus
    data: bytes = b""
    completion: Completion | None = None


class LoopbackResponder:
    """Executes the peer's requests on this end's Receives and memory."""

    def __init__(self, domain: ProtectionDomain, recorder: Recorder, depth: int) -> None:
        self._domain = domain
        self._recorder = recorder
        self._receives = PostedReceives(domain, recorder, depth)
        self.post_receive = self._receives.post
        self.flush = self._receives.flush

    def is_ready(self, work: LoopbackWork) -> bool:
        """Whether there is a Receive, if the request needs one."""
        return work.opcode is not Opcode.SEND or len(self._receives) > 0

    def execute(self, work: LoopbackWork) -> Executed:
        """Carry out a request that the peer sent."""
        match work.opcode:
            case Opcode.RDMA_READ:
                return self._serve(work, Access.REMOTE_READ)
            case Opcode.RDMA_WRITE:
                return self._serve(work, Access.REMOTE_WRITE)
            case _:
                status, completion = self._receives.deliver(work.data, work.invalidate)
                return Executed(status, completion=completion)

    def note_failure(self, side: Side, work: LoopbackWork, why: str) -> None:
        """Report that a request of this end (LOCAL) or the other (PEER) failed."""
        note_failed_work(self._recorder, side, work, why)

    def _serve(self, work: LoopbackWork, access: Access) -> Executed:
        """Carry out a Read or Write of this end's memory."""
        data = work.data
        is_read = access is Access.REMOTE_READ
        if work.length:  # of no octets, the handle is not looked at: C9-88
            found = self._domain.check_remote(work.handle, work.offset, work.length, access)
            if isinstance(found, Denial):
                self.note_failure(Side.PEER, work, found.value)
                return Executed(CompletionStatus.REMOTE_ACCESS_ERROR)
            start = work.offset - found.offset
            if is_read:
                data = found.read(start, work.length)
            else:
                found.write(data, start)
        kind = EventKind.RDMA_READ if is_read else EventKind.RDMA_WRITE
        self._recorder.note(Side.PEER, kind, data=data, handle=work.handle, offset=work.offset)
        return Executed(CompletionStatus.SUCCESS, data if is_read else b"")
