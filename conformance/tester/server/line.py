"""The tester's end of one connection that a client has opened.

A `Line` posts Receives, sends octets, and moves them from and to the client's memory; it knows no
calls.  Nothing here raises for what the client or the connection does: a lost connection is a state
(`connected`, `lost`), failed work an answer.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.oracle.requester.tracker import MOST_TRANSMISSIONS
from conformance.tester.server.placed import Placed
from conformance.tester.server.versions import refusal_of
from rpcrdma.errors import ConnectionLost
from rpcrdma.fabric.base import Access, ConnectionParameters
from rpcrdma.fabric.completion import CompletionStatus, Opcode
from rpcrdma.fabric.segments import one_segment
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire.transmission import Assembler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from conformance.tester.case import CaseLog
    from conformance.tester.server.received import ReceivedCall
    from conformance.tester.server.reply import CallAnswer, ReplyPlacement
    from rpcrdma.fabric.base import Connection, MemoryRegion
    from rpcrdma.fabric.completion import Completion, WorkId
    from rpcrdma.wire.operations import OptionalOperation
    from rpcrdma.wire.transmission import Arrived

__all__ = ["RECEIVES", "RECEIVE_LENGTH", "Line", "Welcome"]

RECEIVES: Final = 64
"""Receives that a line keeps posted unless told otherwise: more than it grants, so that a client
which sends too many calls is seen to do so and not merely cut off."""

RECEIVE_LENGTH: Final = 8192
"""Octets of each; more than any call inline threshold here, for the same reason."""

MOST_FETCHED: Final = 16 * 1024 * 1024
"""Octets that are fetched for one chunk at most: more is no call of any program here."""

FOR_EVER: Final = 7
"""In the words of the verbs."""

_BY_THE_TESTER: Final = "by the tester"
_SEND_DEPTH: Final = 512
_IN_REACH: Final = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE
_FEWEST_OCTETS: Final = 1


@dataclass(frozen=True, slots=True)
class Welcome:
    """How connections are accepted.

    Attributes:
        private_data: for the client to read.
        receives: how many Receives are posted, and posted again.
        receive_length: octets of each.
        refuse: reject instead.
        rnr_retry: how often a Send that finds no Receive is tried again; with 0 it costs the
            connection, so that the client must have posted one before.
        version_one_only: whether offers of Version Two are refused here, and never shown.
        fetches: whether Read chunks are fetched as their calls arrive.
    """

    private_data: bytes = b""
    receives: int = RECEIVES
    receive_length: int = RECEIVE_LENGTH
    refuse: bool = False
    rnr_retry: int = FOR_EVER
    version_one_only: bool = True
    fetches: bool = True

    @property
    def parameters(self) -> ConnectionParameters:
        """For the fabric."""
        return ConnectionParameters(
            private_data=self.private_data,
            send_depth=_SEND_DEPTH,
            rnr_retry=self.rnr_retry,
            receive_depth=self.receives + 8,
            initial_receives=(one_segment(self.receive_length),) * self.receives,
        )


class Line:
    """One connection.

    Attributes:
        number: in the running case, from 1.
        case: notes of the running case, which counts what arrives.
        private_data: what the client sent when it connected.
        granted: what the latest reply on it granted; None before the first.
        reposts: whether each Receive that completes is posted again.
        lost: the first failure that this side saw; empty if there was none.
        placed: what was written to the client's memory.
        respond: makes the answer to a call that comes as a transmission group; None: the operation
            is refused.
    """

    def __init__(
        self,
        number: int,
        connection: Connection,
        welcome: Welcome,
        operations: Mapping[int, OptionalOperation],
        case: CaseLog,
        grace: float,
    ) -> None:
        self.number = number
        self.case = case
        self.private_data = connection.private_data
        self.granted: int | None = None
        self.reposts = True
        self.lost = ""
        self.placed = Placed()
        self.respond: Callable[[ReceivedCall], CallAnswer] | None = None
        self._grace = grace
        self._stirred = connection.clock.now()
        self._fell_asleep = False
        self._connection = connection
        self._welcome = welcome
        self._assembler = Assembler(operations, MOST_TRANSMISSIONS)
        self._messages: deque[Arrived] = deque()
        self._writing: dict[WorkId, MemoryRegion] = {}
        self._ended: dict[WorkId, CompletionStatus] = {}
        self._awaited: frozenset[WorkId] = frozenset()

    @property
    def fetches(self) -> bool:
        """Whether Read chunks are fetched as their calls arrive."""
        return self._welcome.fetches

    @property
    def connection(self) -> Connection:
        """The connection itself, for what is done to its wire."""
        return self._connection

    @property
    def connected(self) -> bool:
        """Whether the connection stands, as far as this side knows."""
        return self._connection.connected

    @property
    def dropped(self) -> bool:
        """Whether the tester has ended it; nothing tells when the client sees that."""
        return self.lost == _BY_THE_TESTER

    @property
    def fell_asleep(self) -> bool:
        """Whether the client has ended it when nothing had happened for the grace period.

        Whatever was sent before is not what it ended it over: that it would have done by then.
        """
        return self._fell_asleep and not self.lost

    @property
    def unfinished(self) -> int:
        """Transmissions that have arrived of a group whose end has not."""
        return self._assembler.unfinished

    def poll(self, timeout: float) -> Arrived | None:
        """The next message, once all of its Sends are here; None: none within `timeout` seconds.

        Sends that will never be a message come as the group that they do not make.
        """
        if not self._messages:
            stood = self._connection.connected
            completions = self._connection.poll(timeout)
            self._take(completions)
            idle = self._connection.clock.now() - self._stirred
            if stood and not self._connection.connected:
                self._fell_asleep = idle >= self._grace
            if completions:
                self._stirred += idle
        return self._messages.popleft() if self._messages else None

    def look(self) -> None:
        """See what has failed by now, whatever messages are still to be looked at."""
        self._take(self._connection.poll(0.0))

    def send(self, octets: bytes, *, invalidate: int | None = None) -> None:
        """Send any octets; on a lost connection nothing is sent."""
        self._stirred = self._connection.clock.now()
        try:
            self._connection.post_send(octets, invalidate=invalidate)
        except ConnectionLost as error:
            self._gone(error)

    def post_receives(self, count: int, length: int | None = None) -> None:
        """Post Receives by hand."""
        try:
            for _ in range(count):
                self._connection.post_receive(one_segment(length or self._welcome.receive_length))
        except ConnectionLost as error:
            self._gone(error)

    def expose(self, data: bytes) -> RdmaSegment:
        """Memory that holds `data`, within the client's reach: of a backward Call."""
        region = self._connection.register(len(data), _IN_REACH)
        region.write(data)
        return RdmaSegment(region.handle, len(data), region.offset)

    def place(self, placements: Iterable[ReplyPlacement]) -> None:
        """Write to the client's memory; what is sent afterwards arrives after it."""
        for placement in placements:
            self.placed.add((placement,))
            length = len(placement.data)
            region = self._connection.register(max(length, _FEWEST_OCTETS), Access.LOCAL_WRITE)
            region.write(placement.data)
            try:
                work = self._connection.post_rdma_write(
                    region, 0, length, placement.handle, placement.offset
                )
            except ConnectionLost as error:
                self._gone(error)
                return
            self._writing[work] = region

    def fetch(self, segments: Iterable[RdmaSegment], timeout: float) -> bytes | None:
        """Read the client's memory, segment by segment.

        Returns:
            The octets, or None if they cannot be had: too many, or the connection broke over it.
        """
        wanted = [segment for segment in segments if segment.length]
        if sum(segment.length for segment in wanted) > MOST_FETCHED:
            return None
        pieces: list[MemoryRegion] = []
        works: set[WorkId] = set()
        for segment in wanted:
            region = self._connection.register(segment.length, Access.LOCAL_WRITE)
            try:
                work = self._connection.post_rdma_read(
                    region, 0, segment.length, segment.handle, segment.offset
                )
            except ConnectionLost as error:
                self._gone(error)
                return None
            pieces.append(region)
            works.add(work)
        ended = self._await(frozenset(works), timeout)
        if any(ended.get(work) is not CompletionStatus.SUCCESS for work in works):
            return None
        data = b"".join(region.read() for region in pieces)
        for region in pieces:
            self._connection.invalidate(region)
        return data

    def write(self, segment: RdmaSegment, data: bytes, timeout: float) -> CompletionStatus | None:
        """Try to write to the client's memory, and see what comes of it.

        Returns:
            How it ended; None if the connection was gone, or nothing was heard in time.
        """
        region = self._connection.register(max(len(data), _FEWEST_OCTETS), Access.LOCAL_WRITE)
        region.write(data)
        try:
            work = self._connection.post_rdma_write(
                region, 0, len(data), segment.handle, segment.offset
            )
        except ConnectionLost as error:
            self._gone(error)
            return None
        return self._outcome(work, timeout)

    def read(self, segment: RdmaSegment, timeout: float) -> CompletionStatus | None:
        """Try to read the client's memory, and see what comes of it; returns as `write`."""
        length = max(segment.length, _FEWEST_OCTETS)
        region = self._connection.register(length, Access.LOCAL_WRITE)
        try:
            work = self._connection.post_rdma_read(
                region, 0, length, segment.handle, segment.offset
            )
        except ConnectionLost as error:
            self._gone(error)
            return None
        return self._outcome(work, timeout)

    def drop(self) -> None:
        """End the connection in an orderly way."""
        self._note(_BY_THE_TESTER)
        self._connection.disconnect()

    def close(self) -> None:
        """End the connection and release everything."""
        self._note(_BY_THE_TESTER)
        self._connection.close()

    # -- completions

    def _outcome(self, work: WorkId, timeout: float) -> CompletionStatus | None:
        return self._await(frozenset({work}), timeout).get(work)

    def _await(self, works: frozenset[WorkId], timeout: float) -> dict[WorkId, CompletionStatus]:
        """Wait for RDMA work; returns how each piece that ended did."""
        clock = self._connection.clock
        end = clock.now() + timeout
        self._awaited, self._ended = works, {}
        while not works <= self._ended.keys() and (left := end - clock.now()) > 0:
            completions = self._connection.poll(left)
            self._take(completions)
            if not completions and not self._connection.connected:
                break
        self._awaited = frozenset()
        return self._ended

    def _take(self, completions: Sequence[Completion]) -> None:
        for completion in completions:
            # First of all: to post Receives shows the loss as well, but not what it came of.
            if not completion.ok and completion.status is not CompletionStatus.FLUSHED:
                self._note(f"{completion.opcode.value}: {completion.status.value}")
        for completion in completions:
            if completion.opcode is Opcode.RECEIVE and completion.ok:
                self._arrived(completion.data)
                continue
            if completion.work_id in self._awaited:
                self._ended[completion.work_id] = completion.status
            region = self._writing.pop(completion.work_id, None)
            if region is not None and completion.ok:
                self._connection.invalidate(region)

    def _arrived(self, octets: bytes) -> None:
        self.case.count_arrival()
        refusal = refusal_of(octets) if self._welcome.version_one_only else None
        if refusal is None:
            self._messages.extend(self._assembler.take(octets))
        if self.reposts or refusal is not None:
            self.post_receives(1)
        if refusal is not None:
            self.send(refusal)

    def _gone(self, error: ConnectionLost) -> None:
        """The connection is lost: by the work that has failed, if any has."""
        self.look()
        self._note(str(error))

    def _note(self, failure: str) -> None:
        self.lost = self.lost or failure
