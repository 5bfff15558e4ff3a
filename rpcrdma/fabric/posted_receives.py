"""The posted Receives of a queue pair that is made here, and how a Send lands in one of them.

    rtrext section 7.2  Buffer Structure Definition (Receives as scatter lists)

What is simulated in process and what is spoken over a network take messages in by the same rules,
and say the same of it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Protocol

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode
from rpcrdma.fabric.memory import Denial
from rpcrdma.fabric.refusals import full
from rpcrdma.fabric.segments import placements, total
from rpcrdma.fabric.trace import EventKind, Side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.fabric.completion import WorkId
    from rpcrdma.fabric.memory import ProtectionDomain, Region
    from rpcrdma.fabric.recorder import Recorder
    from rpcrdma.fabric.segments import ReceiveSegment, Segments

    _Scattered = tuple[Segments, tuple[int | None, ...]]

__all__ = ["FailedWork", "PostedReceives", "note_failed_request", "note_failed_work"]


class FailedWork(Protocol):
    """What is told of a request: as `TraceEvent` has it, and the handle that a Send would end."""

    opcode: Opcode
    length: int
    invalidate: int | None
    handle: int
    offset: int


def note_failed_work(recorder: Recorder, side: Side, work: FailedWork, why: str) -> None:
    """Report that a request of this end (LOCAL) or the other (PEER) failed."""
    is_send = work.opcode is Opcode.SEND
    note_failed_request(
        recorder,
        side,
        work.opcode,
        why,
        handle=work.invalidate if is_send else work.handle,
        offset=None if is_send else work.offset,
        length=work.length,
    )


def note_failed_request(
    recorder: Recorder,
    side: Side,
    opcode: Opcode,
    why: str,
    *,
    handle: int | None,
    offset: int | None,
    length: int,
) -> None:
    """Report a failed request that is known by its parts alone."""
    recorder.note(
        side,
        EventKind.FAILURE,
        handle=handle,
        offset=offset,
        length=length,
        detail=f"{opcode.value}: {why}",
    )


class PostedReceives:
    """A queue of Receives, oldest first."""

    def __init__(self, domain: ProtectionDomain, recorder: Recorder, depth: int) -> None:
        self._domain = domain
        self._recorder = recorder
        self._depth = depth
        # Number, octets, and where it matters in which memory they are, segments and addresses.
        self._receives: deque[tuple[WorkId, int, _Scattered | None]] = deque()

    def __len__(self) -> int:
        return len(self._receives)

    @property
    def room(self) -> int:
        """Octets of the oldest; there must be one."""
        return self._receives[0][1]

    def post(self, work_id: WorkId, segments: Segments) -> None:
        """Add a Receive.

        Raises:
            FabricError: the queue is full.
        """
        if len(self._receives) >= self._depth:
            raise full(len(self._receives), "Receives")
        first = segments[0]
        # `has_address`, which takes longer.
        if first.region is None and first.align == 1 and len(segments) == 1:
            self._receives.append((work_id, first.length, None))
            self._recorder.note(Side.LOCAL, EventKind.POST_RECEIVE, length=first.length)
            return
        length = total(segments)
        scattered = segments, tuple(map(self._address, segments))
        self._receives.append((work_id, length, scattered))
        placed = placements(*scattered, length)
        self._recorder.note(Side.LOCAL, EventKind.POST_RECEIVE, length=length, placed=placed)

    def flush(self) -> list[Completion]:
        """Give up all Receives."""
        flushed = [
            Completion(work_id, Opcode.RECEIVE, CompletionStatus.FLUSHED)
            for work_id, _, _ in self._receives
        ]
        self._receives.clear()
        return flushed

    def fail(self, status: CompletionStatus) -> Completion:
        """Complete the oldest with an error of this end; there must be one."""
        return Completion(self._receives.popleft()[0], Opcode.RECEIVE, status)

    def deliver(self, data: bytes, invalidate: int | None) -> tuple[CompletionStatus, Completion]:
        """Put a message into the oldest; there must be one.

        Args:
            data: the message.
            invalidate: the handle that ends with it, of a Send With Invalidate.

        Returns:
            What the sender learns, and the completion here.
        """
        status = CompletionStatus
        room, scattered = self._receives[0][1:]
        if len(data) > room:
            why = f"{len(data)} octets for a Receive of {room}"
            here, there = status.LOCAL_LENGTH_ERROR, status.REMOTE_INVALID_REQUEST
            return there, self.refuse(why, len(data), invalidate, here)
        # Without segments, the completion itself is the fabric's own memory.
        targets = () if scattered is None else self._targets(data, scattered[0])
        if isinstance(targets, Denial):
            here, there = status.LOCAL_PROTECTION_ERROR, status.REMOTE_OPERATION_ERROR
            return there, self.refuse(targets.value, len(data), invalidate, here)
        if invalidate is not None:
            found = self._domain.find(invalidate)
            if isinstance(found, Denial):
                here, there = status.LOCAL_QP_OPERATION_ERROR, status.REMOTE_ACCESS_ERROR
                return there, self.refuse(found.value, len(data), invalidate, here)
            found.invalidate()
        for region, octets, start in targets:
            region.write(octets, start)
        return status.SUCCESS, self._complete(data, invalidate)

    def _complete(self, data: bytes, invalidate: int | None) -> Completion:
        work_id, _, scattered = self._receives.popleft()
        placed = () if scattered is None else placements(*scattered, len(data))
        self._recorder.note(Side.PEER, EventKind.SEND, data=data, handle=invalidate, placed=placed)
        if invalidate is not None:
            self._recorder.note(Side.PEER, EventKind.INVALIDATE, handle=invalidate)
        return Completion(
            work_id,
            Opcode.RECEIVE,
            CompletionStatus.SUCCESS,
            length=len(data),
            data=data,
            invalidated=invalidate,
            placed=placed,
        )

    def refuse(
        self, why: str, length: int, invalidate: int | None, here: CompletionStatus
    ) -> Completion:
        """Give the oldest up to a Send of `length` octets that it or this end's memory cannot take.

        Returns:
            Its completion, with this end's own word for it.
        """
        self.note_failure(why, length, invalidate)
        return self.fail(here)

    def note_failure(self, why: str, length: int, invalidate: int | None) -> None:
        """Report that a Send of the peer was refused."""
        note_failed_request(
            self._recorder,
            Side.PEER,
            Opcode.SEND,
            why,
            handle=invalidate,
            offset=None,
            length=length,
        )

    def _address(self, segment: ReceiveSegment) -> int | None:
        if segment.is_aligned:
            return self._domain.place(segment.length, segment.align)
        return segment.address

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
