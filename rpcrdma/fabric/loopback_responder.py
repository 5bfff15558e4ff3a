"""The responder's half of a simulated queue pair: posted Receives, and what the peer asks for.

It executes one arrived request at a time and says how that went, to the initiator and here.  When
requests arrive, in which order and what follows from a failure is `loopback_connection`'s business.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode
from rpcrdma.fabric.memory import Denial
from rpcrdma.fabric.segments import placements, total
from rpcrdma.fabric.trace import EventKind, Side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.fabric.base import MemoryRegion
    from rpcrdma.fabric.completion import WorkId
    from rpcrdma.fabric.memory import ProtectionDomain, Region
    from rpcrdma.fabric.recorder import Recorder
    from rpcrdma.fabric.segments import Segments

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
        self._depth = depth
        # Number, octets, and the segments where it matters in which memory they are.
        self._receives: deque[tuple[WorkId, int, Segments | None]] = deque()

    def post_receive(self, work_id: WorkId, segments: Segments) -> None:
        """Add a Receive.

        Raises:
            FabricError: the queue is full.
        """
        if len(self._receives) >= self._depth:
            raise FabricError(f"{len(self._receives)} Receives are posted: the queue is full")
        first = segments[0]
        if first.region is None and len(segments) == 1:  # `has_address`, which takes longer
            self._receives.append((work_id, first.length, None))
            self._recorder.note(Side.LOCAL, EventKind.POST_RECEIVE, length=first.length)
            return
        length = total(segments)
        self._receives.append((work_id, length, segments))
        placed = placements(segments, length)
        self._recorder.note(Side.LOCAL, EventKind.POST_RECEIVE, length=length, placed=placed)

    def is_ready(self, work: LoopbackWork) -> bool:
        """Whether there is a Receive, if the request needs one."""
        return work.opcode is not Opcode.SEND or bool(self._receives)

    def flush(self) -> list[Completion]:
        """Give up all Receives."""
        flushed = [
            Completion(work_id, Opcode.RECEIVE, CompletionStatus.FLUSHED)
            for work_id, _, _ in self._receives
        ]
        self._receives.clear()
        return flushed

    def execute(self, work: LoopbackWork) -> Executed:
        """Carry out a request that the peer sent."""
        match work.opcode:
            case Opcode.RDMA_READ:
                return self._serve(work, Access.REMOTE_READ)
            case Opcode.RDMA_WRITE:
                return self._serve(work, Access.REMOTE_WRITE)
            case _:
                return self._take_message(work)

    def note_failure(self, side: Side, work: LoopbackWork, why: str) -> None:
        """Report that a request of this end (LOCAL) or the other (PEER) failed."""
        is_send = work.opcode is Opcode.SEND
        self._recorder.note(
            side,
            EventKind.FAILURE,
            handle=work.invalidate if is_send else work.handle,
            offset=None if is_send else work.offset,
            length=work.length,
            detail=f"{work.opcode.value}: {why}",
        )

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

    def _take_message(self, work: LoopbackWork) -> Executed:
        """Put a Send into the next Receive."""
        work_id, room, segments = self._receives.popleft()
        status = CompletionStatus
        if work.length > room:
            why = f"{work.length} octets for a Receive of {room}"
            return self._refuse(
                work, work_id, why, status.LOCAL_LENGTH_ERROR, status.REMOTE_INVALID_REQUEST
            )
        # Without segments, the completion itself is the fabric's own memory.
        targets = () if segments is None else self._targets(work.data, segments)
        if isinstance(targets, Denial):
            return self._refuse(
                work,
                work_id,
                targets.value,
                status.LOCAL_PROTECTION_ERROR,
                status.REMOTE_OPERATION_ERROR,
            )
        if work.invalidate is not None:
            found = self._domain.find(work.invalidate)
            if isinstance(found, Denial):
                return self._refuse(
                    work,
                    work_id,
                    found.value,
                    status.LOCAL_QP_OPERATION_ERROR,
                    status.REMOTE_ACCESS_ERROR,
                )
            found.invalidate()
        for region, octets, start in targets:
            region.write(octets, start)
        placed = () if segments is None else placements(segments, work.length)
        self._recorder.note(
            Side.PEER, EventKind.SEND, data=work.data, handle=work.invalidate, placed=placed
        )
        if work.invalidate is not None:
            self._recorder.note(Side.PEER, EventKind.INVALIDATE, handle=work.invalidate)
        here = Completion(
            work_id,
            Opcode.RECEIVE,
            status.SUCCESS,
            length=work.length,
            data=work.data,
            invalidated=work.invalidate,
            placed=placed,
        )
        return Executed(status.SUCCESS, completion=here)

    def _refuse(
        self,
        work: LoopbackWork,
        work_id: WorkId,
        why: str,
        here: CompletionStatus,
        there: CompletionStatus,
    ) -> Executed:
        """A Send that this end's Receive or memory cannot take: a status for either end."""
        self.note_failure(Side.PEER, work, why)
        return Executed(there, completion=Completion(work_id, Opcode.RECEIVE, here))

    def _targets(
        self, data: bytes, segments: Segments
    ) -> Sequence[tuple[Region, bytes, int]] | Denial:
        """Which octets go where in registered memory, or why they may not."""
        targets = []
        taken = 0
        for segment in segments:
            here = data[taken : taken + segment.length]
            taken += len(here)
            if segment.region is None or not here:
                continue
            found = self._domain.check_local(
                segment.region, segment.start, segment.length, Access.LOCAL_WRITE
            )
            if isinstance(found, Denial):
                return found
            targets.append((found, here, segment.start))
        return targets
