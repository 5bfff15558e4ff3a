"""The Receives of one queue pair: what is posted, and what arrives in it.

    rtrext section 7.2  Buffer Structure Definition (Receives as scatter lists)

Most Receives are one segment of the fabric's own memory: a pooled buffer, whose work request is
made once and posted again and again.  Any other list of segments gets a work request of its own
with one element for each segment that has any octets: to some devices an element of length 0 means
two gigabytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.wr import SGE, RecvWR

from rpcrdma.errors import FabricError
from rpcrdma.fabric.refusals import full
from rpcrdma.fabric.segments import has_address, placements, require_segments, total
from rpcrdma.fabric.verbs_memory import ReceiveBuffer, VerbsRegion

if TYPE_CHECKING:
    from rpcrdma.fabric.base import ConnectionParameters
    from rpcrdma.fabric.completion import WorkId
    from rpcrdma.fabric.segments import Placement, ReceiveSegment, Segments
    from rpcrdma.fabric.verbs_memory import BufferPool
    from rpcrdma.fabric.verbs_queue import Queue

__all__ = ["Receives", "ScatteredReceive"]

Place = tuple[int, int, int]
"""Address, length and L_key: the words of an element."""


class ScatteredReceive:
    """A posted Receive whose octets land at addresses, or in more than one place.

    Attributes:
        segments: which the message fills in their order.
        length: octets of all of them.
        buffers: those of the segments in the fabric's own memory; None for the others.
    """

    __slots__ = ("buffers", "length", "segments")

    def __init__(self, segments: Segments) -> None:
        self.segments = segments
        self.length = total(segments)
        self.buffers: list[ReceiveBuffer | None] = []

    def take_buffers(self, pool: BufferPool) -> None:
        """Take the buffers; what was taken before one is refused goes back by `release`."""
        for segment in self.segments:
            is_own = segment.region is None
            buffer = pool.for_receive(segment.length, segment.align) if is_own else None
            self.buffers.append(buffer)

    def placed(self, length: int) -> tuple[Placement, ...]:
        """What lies where of a message of so many octets."""
        addresses = [
            buffer.address if buffer is not None and segment.is_aligned else segment.address
            for segment, buffer in zip(self.segments, self.buffers, strict=True)
        ]
        return placements(self.segments, addresses, length)

    @property
    def places(self) -> list[Place]:
        """What the device is told: segments of no octets left out, unless there are no others."""
        found = [
            _place(segment) if buffer is None else buffer.place
            for segment, buffer in zip(self.segments, self.buffers, strict=True)
        ]
        return [place for place in found if place[1]] or found[:1]

    def read(self, length: int) -> bytes:
        """The message of so many octets, out of its segments."""
        parts = []
        for segment, buffer in zip(self.segments, self.buffers, strict=True):
            here = min(segment.length, length)
            length -= here
            if buffer is not None:
                parts.append(buffer.read(here))
            elif segment.region is not None and here:
                parts.append(segment.region.read(segment.start, here))
        return b"".join(parts)

    def release(self) -> None:
        """Give back what is the fabric's own."""
        for buffer in self.buffers:
            if buffer is not None:
                buffer.release()


class Receives:
    """Posts the Receives of one queue pair.

    Attributes:
        posted: how many are posted and not yet completed; whoever takes a completion counts down.
    """

    def __init__(self, queue: Queue, pool: BufferPool, parameters: ConnectionParameters) -> None:
        self.posted = 0
        self._queue = queue
        self._pool = pool
        self._depth = parameters.receive_depth
        self._most = parameters.receive_segments

    def post(self, work_id: WorkId, segments: Segments) -> ReceiveBuffer | ScatteredReceive:
        """Post a Receive; returns what to remember until it completes.

        Raises:
            FabricError: the queue is full, the connection was made for fewer segments, a region is
                not one of this device, or the device refuses the request.
        """
        if self.posted >= self._depth:
            raise full(self.posted, "Receives")
        require_segments(segments, self._most)
        receive: ReceiveBuffer | ScatteredReceive
        if has_address(segments):
            receive = self._post_scattered(work_id, segments)
        else:
            receive = self._pool.for_receive(segments[0].length)
            receive.request.wr_id = work_id
            self._queue.post_receive(receive.request)
        self.posted += 1
        return receive

    def _post_scattered(self, work_id: WorkId, segments: Segments) -> ScatteredReceive:
        receive = ScatteredReceive(segments)
        try:
            receive.take_buffers(self._pool)
            request = _request(work_id, receive.places)
            try:
                self._queue.post_receive(request)
            finally:
                request.close()  # the device has its copy
        except (FabricError, PyverbsRDMAError, OSError) as error:
            receive.release()
            raise FabricError(f"the Receive cannot be posted: {error}") from error
        return receive


def _place(segment: ReceiveSegment) -> Place:
    """A segment of registered memory; an invalidated region has no key, which the device finds."""
    region = segment.region
    if not isinstance(region, VerbsRegion):
        raise FabricError("the region is not one of this device")
    return region.offset + segment.start, segment.length, region.local_key


def _request(work_id: WorkId, places: list[Place]) -> Any:  # noqa: ANN401  # a pyverbs RecvWR
    elements = [SGE(*place) for place in places]
    request = RecvWR(wr_id=work_id, num_sge=len(elements), sg=elements)
    for element in elements:
        element.close()  # the request has its copy
    return request
