"""One end of a simulated reliable connection: the transport rules of an RC queue pair.

Requests leave when they are posted and arrive, in order, one latency later; the peer executes them
in order and its answers arrive in order, so completions do, too.  What a device's transport does,
and what is imitated here (InfiniBand Architecture Specification volume 1, chapter 9):

- a Send that finds no Receive is answered "receiver not ready"; it and everything after it is sent
  again later, `rnr_retry` times or for ever;
- a request that the responder refuses (memory protection, message too long) fails at the initiator
  with the responder's word for it, and both ends are in error;
- whatever is outstanding at an end in error is flushed; the other end learns of it as a disconnect;
- a peer that does not answer at all is given up after `retry` further attempts.

Differences from a device that no caller can rely on: a request's octets are taken when it is
posted, and a refused request changes nothing in memory, not even in part.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode, WorkId
from rpcrdma.fabric.loopback_responder import LoopbackResponder, LoopbackWork
from rpcrdma.fabric.memory import ProtectionDomain, Region
from rpcrdma.fabric.recorder import Recorder
from rpcrdma.fabric.refusals import full, gone
from rpcrdma.fabric.segments import require_segments
from rpcrdma.fabric.trace import EventKind, Side

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Clock, ConnectionParameters, MemoryRegion
    from rpcrdma.fabric.loopback import LoopbackFabric, LoopbackNetwork
    from rpcrdma.fabric.segments import Segments

__all__ = ["ACKNOWLEDGE_TIMEOUT", "RNR_DELAY", "LoopbackConnection"]

RNR_DELAY: Final = 0.01
"""Seconds between two attempts of a Send that found no Receive."""

ACKNOWLEDGE_TIMEOUT: Final = 0.25
"""Seconds until an unanswered request is sent again."""

_FOR_EVER: Final = 7  # the verbs' way to say it in rnr_retry
_GONE_PAUSE: Final = 1e-3
"""Seconds that polling a connection takes which has nothing left to say: lets the others go on."""

_Status = CompletionStatus


class _State(Enum):
    CONNECTING = auto()  # the handshake is under way
    CONNECTED = auto()
    BROKEN = auto()  # disconnected or in error


class LoopbackConnection:
    """One end of a connection (see `base.Connection`)."""

    def __init__(self, fabric: LoopbackFabric, parameters: ConnectionParameters) -> None:
        self._fabric = fabric
        self._schedule = fabric.network.schedule
        self._parameters = parameters
        self._domain = ProtectionDomain(fabric.network.allocator)
        self.recorder = Recorder(fabric)
        self._responder = LoopbackResponder(self._domain, self.recorder, parameters.receive_depth)
        self._peer: LoopbackConnection | None = None
        self._state = _State.CONNECTING
        self._private_data = b""
        self._last_id = 0
        self._sequence = 0  # of the next request posted here
        self._expected = 0  # of the next request that may be executed here
        self._sends = 0
        self._last_arrival = 0.0
        self._vanished = False
        self._stalled = False  # a request was refused by its own region: nothing leaves after it
        self._requests: deque[LoopbackWork] = deque()
        self._completions: list[Completion] = []
        for segments in parameters.initial_receives:
            self._responder.post_receive(self._next_id(), segments)

    # -- what base.Connection promises

    @property
    def private_data(self) -> bytes:
        """What the peer sent when the connection was made."""
        return self._private_data

    @property
    def connected(self) -> bool:
        """Whether work can still be posted."""
        return self._state is _State.CONNECTED

    @property
    def clock(self) -> Clock:
        """The network's virtual clock."""
        return self._schedule.clock

    @property
    def bears_invalidation(self) -> bool:
        """Every handle is one that the peer can end."""
        return True

    def register(self, length: int, access: Access) -> Region:
        """Register `length` octets of zeroed memory."""
        region = self._domain.register(length, access)
        self.recorder.registered(region)
        return region

    def invalidate(self, region: MemoryRegion) -> None:
        """End the peer's access to the region."""
        found = self._domain.find(region.handle)
        if isinstance(found, Region):
            found.invalidate()
            self.recorder.note(Side.LOCAL, EventKind.INVALIDATE, handle=found.handle)

    def post_receive(self, segments: Segments) -> WorkId:
        """Post a Receive, whose message fills the segments in their order."""
        self._require_connection()
        if len(segments) != 1:  # one is always allowed
            require_segments(segments, self._parameters.receive_segments)
        work_id = self._next_id()
        self._responder.post_receive(work_id, segments)
        return work_id

    def post_send(
        self, data: bytes, *, invalidate: int | None = None, signalled: bool = True
    ) -> WorkId:
        """Send `data`, optionally as a Send With Invalidate."""
        work = self._new_work(Opcode.SEND, len(data))
        work.data, work.invalidate, work.signalled = bytes(data), invalidate, signalled
        return self._post(work)

    def post_rdma_read(
        self, region: MemoryRegion, start: int, length: int, handle: int, offset: int
    ) -> WorkId:
        """Read the peer's memory into `region`."""
        work = self._new_work(Opcode.RDMA_READ, length)
        work.region, work.start, work.handle, work.offset = region, start, handle, offset
        return self._post(work)

    def post_rdma_write(
        self, region: MemoryRegion, start: int, length: int, handle: int, offset: int
    ) -> WorkId:
        """Write octets of `region` into the peer's memory."""
        work = self._new_work(Opcode.RDMA_WRITE, length)
        work.region, work.start, work.handle, work.offset = region, start, handle, offset
        return self._post(work)

    def poll(self, timeout: float) -> list[Completion]:
        """Completions in order; lets virtual time pass up to `timeout` for the first."""
        if self._state is _State.BROKEN and not self._completions:
            timeout = min(timeout, _GONE_PAUSE)
        self._schedule.wait(lambda: bool(self._completions), timeout)
        completions, self._completions = self._completions, []
        if completions:
            self._schedule.note_activity()
        return completions

    def disconnect(self) -> None:
        """End the connection in an orderly way."""
        if self._state is not _State.BROKEN:
            self.recorder.note(Side.LOCAL, EventKind.DISCONNECT)
            self._break()

    @property
    def valid_regions(self) -> tuple[Region, ...]:
        """What this end has registered and not invalidated, also when the connection is gone."""
        return self._domain.valid_regions

    def close(self) -> None:
        """Disconnect and deregister everything."""
        self.disconnect()
        self._domain.invalidate_all()

    # -- making the connection (for loopback.py)

    @property
    def network(self) -> LoopbackNetwork:
        """The network that it belongs to."""
        return self._fabric.network

    def bind(self, peer: LoopbackConnection, private_data: bytes) -> None:
        """Know the peer, and what it said."""
        self._peer = peer
        self._private_data = private_data
        self.recorder.note(Side.PEER, EventKind.CONNECT, data=private_data)

    def establish(self) -> None:
        """Become able to carry work, unless the connection ended meanwhile."""
        if self._state is _State.CONNECTING:
            self._state = _State.CONNECTED

    def abandon(self) -> None:
        """Give up before the connection was made."""
        self._break()

    def transmit(self, delivery: Callable[[], None]) -> None:
        """Run `delivery` when what leaves this end now arrives; the order is kept."""
        if self._has_vanished():
            return
        delay = self.network.latency + self.network.faults.delay(self._fabric.side)
        self._last_arrival = max(self._last_arrival, self._schedule.clock.now() + delay)
        self._schedule.at(self._last_arrival, delivery)

    # -- the initiator's half

    def _require_connection(self) -> None:
        if self._state is not _State.CONNECTED:
            raise gone()

    def _next_id(self) -> WorkId:
        self._last_id += 1
        return WorkId(self._last_id)

    def _new_work(self, opcode: Opcode, length: int) -> LoopbackWork:
        self._require_connection()
        if len(self._requests) >= self._parameters.send_depth:
            raise full(len(self._requests))
        return LoopbackWork(
            self._next_id(), opcode, self._sequence, self._parameters.rnr_retry, length
        )

    def _post(self, work: LoopbackWork) -> WorkId:
        self._sequence += 1
        self._requests.append(work)
        if not self._may_use_local_region(work):
            work.refused = self._stalled = True
            self._schedule.after(0.0, self._fail_refused_head)
            return work.work_id
        if work.opcode is Opcode.RDMA_WRITE and work.length and work.region is not None:
            work.data = work.region.read(work.start, work.length)
        if work.opcode is Opcode.SEND:
            self.recorder.note(Side.LOCAL, EventKind.SEND, data=work.data, handle=work.invalidate)
        elif work.opcode is Opcode.RDMA_WRITE:
            self._note_transfer(EventKind.RDMA_WRITE, work, work.data)
        if not self._stalled:
            self._launch(work)
        if work.opcode is Opcode.SEND:
            self._count_send()
        return work.work_id

    def _note_transfer(self, kind: EventKind, work: LoopbackWork, data: bytes) -> None:
        """A Write is noted when it is posted, a Read when its octets are there."""
        self.recorder.note(Side.LOCAL, kind, data=data, handle=work.handle, offset=work.offset)

    def _may_use_local_region(self, work: LoopbackWork) -> bool:
        access = Access.LOCAL_WRITE if work.opcode is Opcode.RDMA_READ else None
        return self._domain.lends(work.region, work.start, work.length, access)

    def _launch(self, work: LoopbackWork) -> None:
        """Let the request leave: for the first time, or again."""
        if self._peer is None:
            return
        if self._has_vanished():
            self._expect_no_answer(work)  # no acknowledgement finds its way here, either
        self.transmit(partial(self._peer._arrive, work))  # noqa: SLF001  # the other end

    def _count_send(self) -> None:
        self._sends += 1
        if self.network.faults.drops(self._fabric.side, self._sends):
            self.disconnect()

    def _has_vanished(self) -> bool:
        faults = self.network.faults
        self._vanished = self._vanished or faults.vanished(self._fabric.side, self._sends)
        return self._vanished

    def _expect_no_answer(self, work: LoopbackWork) -> None:
        patience = ACKNOWLEDGE_TIMEOUT * (self._parameters.retry + 1)
        self._schedule.after(patience, partial(self._answered, work, _Status.RETRY_EXCEEDED, b""))

    def _receiver_not_ready(self, work: LoopbackWork) -> None:
        if work not in self._requests:
            return
        if work.attempts_left == 0:
            self._fail(work, _Status.RNR_RETRY_EXCEEDED)
            return
        if work.attempts_left != _FOR_EVER:
            work.attempts_left -= 1
        self._schedule.after(RNR_DELAY, self._send_again)

    def _send_again(self) -> None:
        """Everything from the first unanswered request on; what follows it was not executed."""
        for work in self._requests:
            if work.refused:
                return
            self._launch(work)

    def _answered(self, work: LoopbackWork, status: CompletionStatus, data: bytes) -> None:
        if work not in self._requests:
            return  # flushed meanwhile
        if status is _Status.SUCCESS and not self._may_use_local_region(work):
            status = _Status.LOCAL_PROTECTION_ERROR  # invalidated while the work was under way
        if status is not _Status.SUCCESS:
            self._fail(work, status)
            return
        self._requests.popleft()
        if work.opcode is Opcode.RDMA_READ:
            if data and work.region is not None:
                work.region.write(data, work.start)
            self._note_transfer(EventKind.RDMA_READ, work, data)
        if work.signalled:
            self._completions.append(Completion(work.work_id, work.opcode, status, work.length))
        self._fail_refused_head()

    def _fail_refused_head(self) -> None:
        if self._requests and self._requests[0].refused:
            self._fail(self._requests[0], _Status.LOCAL_PROTECTION_ERROR)

    def _fail(self, work: LoopbackWork, status: CompletionStatus) -> None:
        """Complete the request with the status, flush everything else."""
        self._responder.note_failure(Side.LOCAL, work, status.value)
        self._flush_requests(work, status)
        self._break()

    # -- the responder's half

    def _arrive(self, work: LoopbackWork) -> None:
        initiator = self._peer
        if initiator is None:
            return
        if self._has_vanished():
            initiator._expect_no_answer(work)  # noqa: SLF001  # the other end
            return
        if self._state is _State.BROKEN or work.sequence != self._expected:
            return  # the other end is being told; or it comes again, after one that came too early
        if not self._responder.is_ready(work):
            if not work.waits:  # noted once and not at every attempt: they may go on for ever
                work.waits = True
                self._responder.note_failure(Side.PEER, work, "no Receive is posted")
            self.transmit(partial(initiator._receiver_not_ready, work))  # noqa: SLF001
            return
        self._expected += 1
        executed = self._responder.execute(work)
        if executed.completion is not None:
            self._completions.append(executed.completion)
        answer = partial(initiator._answered, work, executed.status, executed.data)  # noqa: SLF001
        self.transmit(answer)
        if executed.status is not _Status.SUCCESS:
            self._break()

    # -- the end

    def _break(self) -> None:
        """Go into error, flush, and have the peer learn of it."""
        self._state = _State.BROKEN
        self._flush()
        if self._peer is not None:
            self.transmit(self._peer._peer_left)  # noqa: SLF001  # the other end

    def _peer_left(self) -> None:
        if self._state is not _State.BROKEN and not self._has_vanished():
            self.recorder.note(Side.PEER, EventKind.DISCONNECT)
            self._state = _State.BROKEN
            self._flush()

    def _flush(self) -> None:
        self._flush_requests(None, _Status.FLUSHED)
        self._completions.extend(self._responder.flush())

    def _flush_requests(self, failed: LoopbackWork | None, status: CompletionStatus) -> None:
        while self._requests:
            work = self._requests.popleft()
            ended = status if work is failed else _Status.FLUSHED
            self._completions.append(Completion(work.work_id, work.opcode, ended))
