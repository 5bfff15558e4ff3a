"""One end of a connection over a device (see `base.Connection`).

Sends and Receives use pooled, registered buffers (`verbs_memory`).  A connection ends once: by
`disconnect`, by a failed completion, or by the peer's disconnect as the CM tells it; then the queue
pair goes into error and the device flushes what is posted.

What `poll` does, in this order, since a small virtual machine has little processor to spare for
spinning: look at the completion queue some times, ask for a notification, look again, and sleep
in `poll(2)` on the notification and the CM's events.
"""

from __future__ import annotations

import contextlib
import itertools
import select
import time
from typing import TYPE_CHECKING, Any, Final, cast

from pyverbs.pyverbs_error import PyverbsError, PyverbsRDMAError

from rpcrdma.errors import FabricError
from rpcrdma.fabric import verbs_work
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode
from rpcrdma.fabric.rdmacm import CmEventKind
from rpcrdma.fabric.recorder import Recorder
from rpcrdma.fabric.refusals import full, gone
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.fabric.verbs_memory import BufferPool, ReceiveBuffer, Regions, VerbsRegion
from rpcrdma.fabric.verbs_queue import MOST_AT_ONCE
from rpcrdma.fabric.verbs_receives import Receives, ScatteredReceive
from rpcrdma.fabric.verbs_status import STATUSES
from rpcrdma.fabric.verbs_work import REMOTE, Unsignalled, VerbsWork

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.fabric.base import Access, Clock, ConnectionParameters, MemoryRegion
    from rpcrdma.fabric.completion import WorkId
    from rpcrdma.fabric.rdmacm import EventChannel, Identifier
    from rpcrdma.fabric.segments import Segments
    from rpcrdma.fabric.verbs import VerbsFabric
    from rpcrdma.fabric.verbs_queue import Queue

__all__ = ["VerbsConnection"]

_SLICE: Final = 0.002
_BIND_TIMEOUT: Final = 5.0
_Status = CompletionStatus
_OK: Final = 0  # enum ibv_wc_status
# What every message needs: looking up a member of an Enum costs more than a call.
_OK_STATUS: Final = CompletionStatus.SUCCESS
_RECEIVE: Final = Opcode.RECEIVE


class VerbsConnection:
    """One end of a connection over a device."""

    def __init__(self, fabric: VerbsFabric, queue: Queue, parameters: ConnectionParameters) -> None:
        self._fabric = fabric
        self._queue = queue
        self._parameters = parameters
        self.recorder = Recorder(fabric)
        self._pool = BufferPool(queue.domain)
        self._identifier: Identifier | None = None
        self._channel: EventChannel | None = None
        self._private_data = b""
        self._connected = False
        self._ended = self.closed = False
        self._numbers = cast("Iterator[WorkId]", itertools.count(1))
        self._sends = 0  # posted and not yet completed
        self._receives = Receives(queue, self._pool, parameters)
        self._posted: dict[int, VerbsWork | ReceiveBuffer | ScatteredReceive] = {}
        self._unsignalled = Unsignalled()
        self._ready: list[Completion] = []
        self._poller = select.poll()
        self._poller.register(queue.descriptor, select.POLLIN)
        self._regions = Regions(self.recorder)

    # -- making the connection (for verbs.py)

    def post_initial_receives(self) -> None:
        """Post what the parameters ask for; the queue pair is prepared, but not connected."""
        for segments in self._parameters.initial_receives:
            self._post_receive(segments)

    def establish(self, identifier: Identifier, channel: EventChannel, private_data: bytes) -> None:
        """Be connected."""
        self._identifier, self._channel = identifier, channel
        self._poller.register(channel.fileno(), select.POLLIN)
        self._private_data = private_data
        self._connected = True

    # -- what base.Connection promises

    @property
    def private_data(self) -> bytes:
        """What the peer sent; the CM appends zeroes."""
        return self._private_data

    @property
    def connected(self) -> bool:
        """Whether work can still be posted."""
        return self._connected

    @property
    def clock(self) -> Clock:
        """The machine's clock."""
        return self._fabric.clock

    @property
    def bears_invalidation(self) -> bool:
        """Only the handles of windows are such that the peer can end them."""
        return self._queue.device.has_windows

    def register(self, length: int, access: Access) -> VerbsRegion:
        """Register `length` octets of zeroed memory."""
        if length < 1:
            raise FabricError(f"cannot register {length} octets")
        bindable = self._connected and self._queue.device.has_windows and bool(access & REMOTE)
        try:
            region = VerbsRegion(self._queue.domain, length, access, bindable=bindable)
            if bindable:
                self._bind(region)
        except (PyverbsError, OSError, OverflowError) as error:
            raise FabricError(f"cannot register {length} octets: {error}") from error
        self._regions.add(region)
        return region

    def invalidate(self, region: MemoryRegion) -> None:
        """End the peer's access to the region."""
        self._regions.invalidate(region.handle)

    def post_receive(self, segments: Segments) -> WorkId:
        """Post a Receive, whose message fills the segments in their order."""
        if not self._connected:
            raise gone()
        return self._post_receive(segments)

    def post_send(
        self, data: bytes, *, invalidate: int | None = None, signalled: bool = True
    ) -> WorkId:
        """Send `data`, optionally as a Send With Invalidate."""
        buffer = self._pool.for_send(data)
        if signalled or invalidate is not None or not buffer.is_plain:
            buffer.prepare(invalidate, signalled=signalled)
        if self._fabric.trace.keep:
            self.recorder.note(Side.LOCAL, EventKind.SEND, data=data, handle=invalidate)
        if signalled:
            return self._post(buffer.request, VerbsWork(Opcode.SEND, buffer, len(data)))
        work_id = self._post(buffer.request, None)
        self._unsignalled.append((work_id, buffer))
        return work_id

    def post_rdma_read(
        self, region: MemoryRegion, start: int, length: int, handle: int, offset: int
    ) -> WorkId:
        """Read the peer's memory into `region`."""
        work = VerbsWork(Opcode.RDMA_READ, None, length, region, start, handle, offset)
        return self._post_transfer(verbs_work.READ, work)

    def post_rdma_write(
        self, region: MemoryRegion, start: int, length: int, handle: int, offset: int
    ) -> WorkId:
        """Write octets of `region` into the peer's memory."""
        work = VerbsWork(Opcode.RDMA_WRITE, None, length, region, start, handle, offset)
        work_id = self._post_transfer(verbs_work.WRITE, work)
        verbs_work.note_write(self.recorder, work, region)
        return work_id

    def poll(self, timeout: float) -> list[Completion]:
        """Completions in order; waits up to `timeout` seconds for the first."""
        if not self._collect() and not self._is_over():
            self._wait(timeout)
        completions, self._ready = self._ready, []
        return completions

    def disconnect(self) -> None:
        """End the connection in an orderly way."""
        if not self._ended:
            self.recorder.note(Side.LOCAL, EventKind.DISCONNECT)
            self._end()

    def close(self) -> None:
        """Disconnect and release everything: queue pair, regions, domain, identifier."""
        if self.closed:
            return
        self.disconnect()
        self.closed = True
        self._regions.release_windows()
        self._queue.close()
        self._regions.release()
        self._posted.clear()
        self._unsignalled.clear()
        self._pool.release()
        self._queue.domain.close()
        if self._identifier is not None and self._channel is not None:
            self._identifier.close()
            self._channel.close()

    def silence(self) -> None:
        """Answer the peer no longer, as if this host were gone; for tests."""
        self._ended, self._connected = True, False
        self._queue.silence()

    # -- posting

    def _post_receive(self, segments: Segments) -> WorkId:
        work_id = next(self._numbers)
        self._posted[work_id] = receive = self._receives.post(work_id, segments)
        if self._fabric.trace.keep:
            length = receive.length
            placed = receive.placed(length)
            self.recorder.note(Side.LOCAL, EventKind.POST_RECEIVE, length=length, placed=placed)
        return work_id

    def _post(self, request: Any, work: VerbsWork | None) -> WorkId:  # noqa: ANN401  # a pyverbs SendWR
        """Post a request; `work` is what to remember, None for what is not signalled."""
        if not self._connected:
            raise gone()
        if (posted := self._sends + len(self._unsignalled)) >= self._parameters.send_depth:
            raise full(posted)
        work_id = next(self._numbers)
        request.wr_id = work_id
        try:
            self._queue.post_send(request)
        except PyverbsRDMAError as error:
            raise FabricError(f"the device refused the request: {error}") from error
        if work is not None:
            self._sends += 1
            self._posted[work_id] = work
        return work_id

    def _post_transfer(self, opcode: int, work: VerbsWork) -> WorkId:
        region = work.region
        if not isinstance(region, VerbsRegion):
            raise FabricError("the region is not one of this device")
        request, element = verbs_work.transfer(opcode, work, region)
        try:
            return self._post(request, work)
        finally:
            request.close()  # the device has its copy
            element.close()

    def _bind(self, region: VerbsRegion) -> None:
        """Name the region by a memory window, which the peer can invalidate."""
        window, request = verbs_work.binding(self._queue.domain, region)
        request.wr_id = bind = next(self._numbers)
        work = VerbsWork(None, None, 0)
        self._posted[bind] = work
        self._queue.post_send(request)
        region.window, region.handle = window, request.rkey
        request.close()
        deadline = time.monotonic() + _BIND_TIMEOUT
        while bind in self._posted and time.monotonic() < deadline:
            if not self._collect():
                self._sleep(deadline - time.monotonic())
        if work.status is not _Status.SUCCESS:
            region.release()
            raise FabricError(f"the memory window was not bound: {work.status.value}")

    # -- completions

    def _is_over(self) -> bool:
        return self._ended and not self._posted

    def _wait(self, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        poll = self._queue.poll
        for _ in range(self._fabric.looks):
            count, found = poll(MOST_AT_ONCE)
            if count:
                self._take(found)
                return
        steps = self._fabric.steps
        while not self._ready and not self._is_over():
            for step in steps:
                step()
            if self._collect():
                return
            left = deadline - time.monotonic()
            if left <= 0:
                self._take_events()
                return
            self._sleep(min(left, _SLICE) if steps else left)
            self._collect()

    def _sleep(self, timeout: float) -> None:
        """Sleep until something is there to be looked at."""
        if self._queue.arm() and self._collect():
            return  # it came between the last look and the notification being asked for
        readable = self._poller.poll(max(0.0, timeout * 1000))
        for descriptor, _ in readable:
            if descriptor == self._queue.descriptor:
                self._queue.disarm()
            else:
                # What came before the peer left is reported before the flush.
                self._collect()
                self._take_events()

    def _take_events(self) -> None:
        """Learn from the CM whether the peer has left."""
        while self._channel is not None and (event := self._channel.next_event()) is not None:
            if event.kind in _ENDS and not self._ended:
                self.recorder.note(Side.PEER, EventKind.DISCONNECT)
                self._end()

    def _collect(self) -> bool:
        """Fetch the completions that are there; True if there were any."""
        count, found = self._queue.poll(MOST_AT_ONCE)
        if count:
            self._take(found)
        return bool(count)

    def _take(self, found: list[Any]) -> None:
        """Make ours of the device's completions."""
        for entry in found:
            number = entry.wr_id
            work = self._posted.pop(number, None)
            if isinstance(work, ReceiveBuffer | ScatteredReceive):
                self._receives.posted -= 1
                if entry.status == _OK:
                    self._received(number, entry, work)
                else:
                    self._failed(entry, VerbsWork(Opcode.RECEIVE, None, work.length))
                continue
            if self._unsignalled:
                self._unsignalled.retire(number)
            if work is None:  # unsignalled: it failed, since successes are not told
                self._failed(entry, VerbsWork(Opcode.SEND, None, 0))
                continue
            work.status = STATUSES.get(entry.status, _Status.OTHER)
            if work.opcode is None:
                continue
            self._sends -= 1
            if entry.status == _OK:
                self._succeeded(number, work)
            else:
                self._failed(entry, work)

    def _received(
        self,
        number: WorkId,
        entry: Any,  # noqa: ANN401  # a pyverbs WC
        receive: ReceiveBuffer | ScatteredReceive,
    ) -> None:
        length = entry.byte_len
        data = receive.read(length)
        placed = receive.placed(length)
        handle = None
        if entry.wc_flags & verbs_work.ANY_INVALIDATE:
            handle = entry.imm_data  # the same word as invalidated_rkey
        if self._fabric.trace.keep:
            self.recorder.note(Side.PEER, EventKind.SEND, data=data, handle=handle, placed=placed)
        if handle is not None:
            self._regions.invalidated(handle)
        self._ready.append(Completion(number, _RECEIVE, _OK_STATUS, length, data, handle, placed))
        receive.release()

    def _succeeded(self, work_id: WorkId, work: VerbsWork) -> None:
        opcode = work.opcode or Opcode.SEND
        if opcode is Opcode.RDMA_READ and work.region is not None:
            verbs_work.note_read(self.recorder, work, work.region)
        self._ready.append(Completion(work_id, opcode, _OK_STATUS, work.length))
        if (buffer := work.buffer) is not None:
            buffer.free.append(buffer)

    def _failed(self, entry: Any, work: VerbsWork) -> None:  # noqa: ANN401  # a pyverbs WC
        status = STATUSES.get(entry.status, _Status.OTHER)
        opcode = work.opcode or Opcode.SEND
        self._ready.append(Completion(entry.wr_id, opcode, status))
        if status is not _Status.FLUSHED:
            verbs_work.note_failure(self.recorder, work, f"{opcode.value}: {status.value}")
        if not self._ended:
            self._end()

    def _end(self) -> None:
        """Stop posting, have everything flushed, and have the peer learn of it."""
        self._ended, self._connected = True, False
        if self._identifier is not None:
            # Failing means that the peer was faster, and that there is nothing left to end.
            with contextlib.suppress(OSError):
                self._identifier.disconnect()
        self._queue.fail()


_ENDS: Final = frozenset({CmEventKind.DISCONNECTED, CmEventKind.DEVICE_REMOVAL})
