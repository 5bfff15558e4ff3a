"""The tester's end of one connection: it may do whatever a Requester must not.

A `Peer` sends any octets, posts as many Receives of whatever size it likes (or none), lies about
memory, and drops the connection.  It uses the codec and the fabric directly; the reference endpoint
has no part in it.  What it sees becomes an `Outcome`; a device that hangs, hangs up or talks
garbage never makes it raise or wait beyond the profile's deadline.

    peer.send(call)                     a `Call` or `Message`, or any octets
    peer.receive()                      the next outcome
    peer.post_receives(2, length=1024)  by hand, if made with `receives=0`
    peer.expose(data) / peer.room(n)    memory to read from / to write to
    peer.next_option()                  the next that the device begins
    peer.disconnect()

What the device begins by itself in Version Two (a CONNPROP after its first Reply) answers nothing,
and `receive` never returns it.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Final

from conformance.oracle.announced import NOTHING_TOLD, announced_in
from conformance.oracle.marks import seen_outcome
from conformance.oracle.memory import ExposedRegions, held_by
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    OptionReceived,
    Silent,
    as_called,
)
from conformance.oracle.responder.exchanges import Exchanges
from conformance.oracle.responder.state import state_of
from conformance.oracle.transmissions import GroupAnswered, begins, read_arrived
from conformance.tester.claimed import claimed_operations, device_of
from conformance.tester.client.memory_watch import MemoryWatch
from conformance.tester.memory import FILL, GUARD, ExposedChunk, ExposedSegment
from conformance.tester.sent import REQUESTED_CREDITS, Call
from rpcrdma.errors import ConnectionLost, DecodeError
from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode, WorkId
from rpcrdma.fabric.segments import one_segment
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire.operations import ConnProp, UpdProp
from rpcrdma.wire.optional import values_of
from rpcrdma.wire.transmission import Assembler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.oracle.announced import Announced
    from conformance.oracle.device import Device
    from conformance.oracle.outcome import Outcome
    from conformance.oracle.responder.expectation import ResponderState
    from conformance.oracle.verdict import BrokenRule
    from conformance.tester.case import CaseLog
    from conformance.tester.sent import Message
    from conformance.tester.workload.base import Workload
    from rpcrdma.fabric.base import Connection, MemoryRegion
    from targets.profile import Profile

__all__ = ["RECEIVES", "RECEIVE_LENGTH", "REQUESTED_CREDITS", "Peer"]

RECEIVES: Final = 16
"""How many Receives a peer keeps posted unless told otherwise."""

RECEIVE_LENGTH: Final = 8192
"""Octets of each.  More than any reply inline threshold here: an overlong reply must be seen, not
lost together with the connection."""


ANY_NUMBER: Final = 2**32
"""Transmissions of a group that a peer takes: how many there are is for the case to judge."""


class Peer:
    """One connection to the device, from the tester's side.

    Attributes:
        profile: the device's.
        workload: calls that the profile's binding can express.
        case: notes of the running case.
        granted: latest credit grant; 1 until the first reply (rfc8166 3.3.3).
        reposts: whether each Receive that completes is posted again.
        takes_calls: whether what has the msg_type of a Call is taken for a backward Call.
        takes_chunks: whether it has told that backward Calls may have chunks (xcharext 3.3).
        version: of what is built for this connection, unless it is told another.
        options: every RDMA2_OPTIONAL that came, in order.
        told: what this end has told of round-trip reductions.
        judged: whether what the device does here counts whatever the case is about; a case that
            only tries something out has that unsaid.
    """

    def __init__(
        self,
        connection: Connection,
        profile: Profile,
        workload: Workload,
        case: CaseLog,
        xids: Iterator[int],
        *,
        receive_length: int = RECEIVE_LENGTH,
        reposts: bool = True,
        version: int = 1,
    ) -> None:
        self.profile = profile
        self.workload = workload
        self.case = case
        self.granted = 1
        self.reposts = reposts
        self.takes_calls = False
        self.takes_chunks = False
        self.version = version
        self.options: list[OptionReceived] = []
        # Of the options, those that are in what the device has told.
        self._heard, self._told = 0, NOTHING_TOLD
        self.told = NOTHING_TOLD
        self.judged = True
        self._connection = connection
        self._xids = xids
        self._receive_length = receive_length
        self._arrived: deque[Outcome] = deque()
        self._aside: deque[Outcome] = deque()
        self._begun: deque[OptionReceived] = deque()
        self._assembler = Assembler(claimed_operations(profile), longest=ANY_NUMBER)
        self._reads: dict[WorkId, bool] = {}
        self._failure = ""
        self._memory = ExposedRegions()
        self._exchanges = Exchanges(version)
        self._memory_watch = MemoryWatch()

    @cached_property
    def device(self) -> Device:
        """What the profile claims, for the oracle."""
        return device_of(self.profile)

    @property
    def state(self) -> ResponderState:
        """Of the device and of this connection as it is now, for the oracle."""
        layer = self.workload.null().layer
        memory = self._memory.as_it_is()
        return state_of(self.device, layer, memory, own=self.announced, requester=self.told)

    @property
    def announced(self) -> Announced:
        """What the device has told of round-trip reductions; faulty values tell nothing."""
        for one in self.options[self._heard :]:
            if isinstance(one.option, ConnProp | UpdProp):
                with suppress(DecodeError):
                    values = values_of(one.option)
                    self._told = announced_in(values, self._told, self.device.properties)
        self._heard = len(self.options)
        return self._told

    # -- messages

    def next_xid(self) -> int:
        """An XID that no other call of this case has."""
        return next(self._xids)

    def send(self, message: Call | Message | bytes, *, invalidate: int | None = None) -> None:
        """Send a call or any octets.  On a lost connection nothing is sent; `receive` will tell."""
        sends = (message,) if isinstance(message, bytes) else message.sends
        if not isinstance(message, bytes) and message.mutations:
            self.case.mutations[sends[0]] = ", ".join(str(change) for change in message.mutations)
        self._exchanges.sending(sends, self.state)
        if isinstance(message, Call):
            self._memory_watch.sending(message)
        try:
            for octets in sends:
                self._connection.post_send(octets, invalidate=invalidate)
        except ConnectionLost as error:
            self._failure = self._failure or str(error)

    def receive(self, timeout: float | None = None) -> Outcome:
        """The next thing that comes: a message, the end of the connection, or silence.

        Args:
            timeout: seconds; the profile's deadline if None.
        """
        if self._aside:
            return self._looked_at(self._aside.popleft())
        return self.receive_new(timeout)

    def receive_new(self, timeout: float | None = None) -> Outcome:
        """Like `receive`, but leaves alone what was put aside."""
        ended = self._wait_for(self._arrived, timeout)
        return self._looked_at(self._arrived.popleft() if ended is None else ended)

    def _looked_at(self, outcome: Outcome) -> Outcome:
        self.case.looked_at = seen_outcome(outcome)
        return outcome

    def _wait_for(
        self, queue: deque[Outcome] | deque[OptionReceived], timeout: float | None
    ) -> Outcome | None:
        """Wait until something is in a queue; returns what ended the waiting without that."""
        seconds = self.profile.deadline if timeout is None else timeout
        clock = self._connection.clock
        end = clock.now() + seconds
        while not queue:
            remaining = max(end - clock.now(), 0.0)
            completions = self._connection.poll(remaining)
            for completion in completions:
                self._take(completion)
            if queue:
                break
            if not completions and not self._connection.connected:
                return Disconnected(self._failure or "by the device")
            if clock.now() >= end:
                return Silent(seconds)
        return None

    def put_aside(self, outcome: Outcome) -> None:
        """Keep an outcome for a later `receive`: it answers another call."""
        self._aside.append(outcome)

    @property
    def unfinished(self) -> int:
        """Transmissions that have arrived of a group whose end has not."""
        return self._assembler.unfinished

    def waiting(self) -> tuple[Outcome, ...]:
        """What has arrived and has not been received yet, without waiting."""
        for completion in self._connection.poll(0.0):
            self._take(completion)
        return (*self._aside, *self._arrived)

    # -- optional messages of Version Two

    def next_option(self, timeout: float | None = None) -> OptionReceived | None:
        """The next one that the device begins; None if none comes, or the connection ends.

        Args:
            timeout: seconds; the profile's deadline if None.
        """
        return None if self._wait_for(self._begun, timeout) else self._begun.popleft()

    # -- Receives

    def post_receives(self, count: int = 1, *, length: int | None = None) -> None:
        """Post Receives of `length` octets (by default, of the size that this peer uses)."""
        try:
            for _ in range(count):
                self._connection.post_receive(one_segment(length or self._receive_length))
        except ConnectionLost as error:
            self._failure = self._failure or str(error)

    # -- memory

    def register(self, length: int, access: Access) -> MemoryRegion:
        """Register memory without telling anybody."""
        region = self._connection.register(length, access)
        self._memory.expose(
            region,
            read=Access.REMOTE_READ in access,
            write=Access.REMOTE_WRITE in access,
        )
        return region

    def invalidate(self, chunk: ExposedChunk) -> None:
        """End the device's access to a chunk that it may have been told of."""
        for segment in chunk.segments:
            self._connection.invalidate(segment.region)
            self._memory.forget(segment.region)

    def expose(self, data: bytes, sizes: Sequence[int] = ()) -> ExposedChunk:
        """Memory that holds `data`, for the device to read.

        Args:
            data: what it holds.
            sizes: octets of each segment; they add up to `len(data)`.  One segment if empty.
        """
        segments = []
        start = 0
        for size in sizes or (len(data),):
            region = self.register(max(size, 1), Access.REMOTE_READ)
            region.write(data[start : start + size])
            segments.append(ExposedSegment(region, _told(region, size)))
            start += size
        return ExposedChunk(tuple(segments))

    def room(self, sizes: Sequence[int], *, guard: int = GUARD) -> ExposedChunk:
        """Memory full of `FILL` for the device to write to: one segment for each size.

        Args:
            sizes: octets of each segment, as told.
            guard: octets of the region after that, which the device must leave alone.
        """
        segments = []
        for size in sizes:
            access = Access.LOCAL_WRITE | Access.REMOTE_WRITE
            region = self.register(max(size + guard, 1), access)
            region.write(bytes((FILL,)) * region.length)
            segments.append(ExposedSegment(region, _told(region, size)))
        return ExposedChunk(tuple(segments))

    def fetch(self, segments: Sequence[RdmaSegment]) -> bytes | None:
        """Read the device's memory, segment by segment, as its backward Call asks for.

        Returns:
            The octets; None if they cannot be had until the deadline, or cost the connection.
        """
        regions = [self._connection.register(one.length, Access.LOCAL_WRITE) for one in segments]
        waiting: list[WorkId] = []
        with suppress(ConnectionLost):
            for one, region in zip(segments, regions, strict=True):
                work = self._connection.post_rdma_read(
                    region, 0, one.length, one.handle, one.offset
                )
                waiting.append(work)
        end = self._connection.clock.now() + self.profile.deadline
        while not self._reads.keys() >= set(waiting) and self._connection.clock.now() < end:
            completions = self._connection.poll(self.profile.grace)
            for completion in completions:
                self._take(completion)
            if not completions and not self._connection.connected:
                break
        read = len(waiting) == len(segments) and all(self._reads.get(one) for one in waiting)
        return b"".join(region.read() for region in regions) if read else None

    # -- what the device has broken

    def broken(self) -> tuple[BrokenRule, ...]:
        """Rules that the device has broken here so far, whatever the case is about."""
        if not self.judged:
            return ()
        of_the_case = {acceptance.message.sends for acceptance in self.case.acceptances}
        answers = self._exchanges.broken(of_the_case)
        return (*answers, *self._memory_watch.broken())

    # -- the connection

    @property
    def connected(self) -> bool:
        """Whether the connection stands, as far as this side knows."""
        return self._connection.connected

    @property
    def connection(self) -> Connection:
        """The connection itself, for what is done to its wire."""
        return self._connection

    @property
    def private_data(self) -> bytes:
        """What the device sent when the connection was made."""
        return self._connection.private_data

    def disconnect(self) -> None:
        """End the connection in an orderly way."""
        self._connection.disconnect()
        self._failure = self._failure or "by the tester"

    def close(self) -> None:
        """Disconnect and release all memory."""
        self._connection.close()

    def _take(self, completion: Completion) -> None:
        if completion.opcode is Opcode.RDMA_READ:
            self._reads[completion.work_id] = completion.ok
        if completion.opcode is Opcode.RECEIVE and completion.ok:
            self._deliver(completion)
        elif not completion.ok and not self._failure:
            flushed = completion.status is CompletionStatus.FLUSHED
            # A flush says only that something happened before; the something may come later.
            self._failure = (
                "" if flushed else f"{completion.opcode.value}: {completion.status.value}"
            )

    def _deliver(self, completion: Completion) -> None:
        self.case.count_arrival()
        if self.reposts:
            self.post_receives()
        for arrived in self._assembler.take(completion.data):
            self._arrive(read_arrived(arrived, self.device.properties))

    def _arrive(self, outcome: Outcome) -> None:
        """A message is complete."""
        self._exchanges.arrived(outcome, held_by(outcome, self._memory))
        if isinstance(outcome, Answered):
            self._memory_watch.arrived(outcome)
        if self.takes_calls:
            outcome = as_called(outcome)
        if isinstance(outcome, Answered | GroupAnswered):
            self.granted = outcome.credits
        if isinstance(outcome, OptionReceived):
            self.options.append(outcome)
        if isinstance(outcome, OptionReceived) and begins(outcome):
            self._begun.append(outcome)
        else:
            self._arrived.append(outcome)


def _told(region: MemoryRegion, length: int) -> RdmaSegment:
    return RdmaSegment(region.handle, length, region.offset)
