"""Runs an `Endpoint` on a fabric's `Connection`: the only loop.

The driver owns the memory and the work requests that the endpoint asks for by key.  It reports what
failed and what was read; successful Sends and Writes it keeps to itself.  `step` never blocks (for
loopback, where `Fabric.attach` gives turns); `wait` blocks for a bounded time.

    rfc8166 section 3.5.2  the order of work is the order of the actions: Writes, then the Send
    rfc8166 section 4.4.1  memory is invalidated before its octets go up
    xcharext section 3.2   unless the peer has done so; D-80: with the Reply to the memory's Call
    rtrext section 7.2     Receives are scatter lists, by the structure of the role's buffers
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from rpcrdma.endpoint.core import actions, events
from rpcrdma.endpoint.core.receive_shape import ReceiveShape
from rpcrdma.errors import ConnectionLost, FabricError
from rpcrdma.fabric.base import Access, ConnectionParameters
from rpcrdma.fabric.completion import CompletionStatus, Opcode
from rpcrdma.fabric.segments import ReceiveSegment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.endpoint.core.connection import Endpoint, EndpointRole
    from rpcrdma.fabric.base import Connection, MemoryRegion
    from rpcrdma.fabric.completion import Completion, WorkId

__all__ = ["SEND_DEPTH", "Driver", "parameters_for"]

SEND_DEPTH: Final = 128
"""Work requests posted and not completed; what goes beyond waits in the driver."""

# Looking up a member of an Enum costs more than a call, and every message needs these.
_RECEIVE: Final = Opcode.RECEIVE
_SUCCESS: Final = CompletionStatus.SUCCESS

_SIGNAL_EVERY: Final = 16
"""Of so many Sends one is signalled: the success of the others is of no interest, and being woken
for it between a call and its reply costs as much as the reply itself."""


def parameters_for(role: EndpointRole, private_data: bytes = b"") -> ConnectionParameters:
    """What a connection needs that this role is to run on."""
    receives = role.initial_receives
    shape = ReceiveShape.of(role.reductions.structure)
    return ConnectionParameters(
        private_data=private_data,
        send_depth=SEND_DEPTH,
        # One is posted for each that was used up, before the fabric has told of all the others.
        receive_depth=len(receives) + role.later_receives + 8,
        receive_segments=shape.most_segments,
        initial_receives=tuple(map(shape.segments, receives)),
    )


@dataclass(slots=True)
class _Exchange:
    """The transfers of one RdmaRead or RdmaWrite under way."""

    key: int
    region: MemoryRegion
    left: int
    reading: bool


class Driver:
    """One endpoint on one connection.

    Attributes:
        connection: the fabric's.
        endpoint: the core.
        delivered: what the endpoint told the application, oldest first; the owner takes it out.
        gone: whether the connection has ended and everything about it was handled.
    """

    def __init__(self, connection: Connection, endpoint: Endpoint) -> None:
        self.connection = connection
        self.endpoint = endpoint
        self.delivered: deque[actions.ApplicationEvent] = deque()
        self.gone = False
        self._now = connection.clock.now
        self._handle = endpoint.handle
        self._segments = ReceiveShape.of(endpoint.role.reductions.structure).segments
        self._regions: dict[int, MemoryRegion] = {}
        self._sends: dict[WorkId, int] = {}  # in the order of posting
        self._unsignalled = 0  # Sends since the last signalled one
        self._exchanges: dict[WorkId, _Exchange] = {}
        self._posted = 0
        self._backlog: deque[Callable[[], None]] = deque()
        self._pending: deque[events.Event] = deque()
        # An action's own type is the key; hence Any.
        self._performers: Mapping[type[actions.Action], Callable[[Any], None]] = {
            actions.PostReceive: self._post_receive,
            actions.Send: self._send,
            actions.RdmaRead: self._read,
            actions.RdmaWrite: self._write,
            actions.Register: self._register,
            actions.Invalidate: self._invalidate,
            actions.Forget: self._forget,
            actions.Disconnect: self._disconnect,
            actions.Deliver: self._deliver,
        }
        self.inject(events.Connected(connection.bears_invalidation))

    # -- turns

    def inject(self, event: events.Event) -> None:
        """Have the endpoint handle an event, and do what it wants done."""
        for action in self._handle(event, self._now()):
            self._performers[type(action)](action)
        while self._pending:  # what became of registering and invalidating
            for action in self._handle(self._pending.popleft(), self._now()):
                self._performers[type(action)](action)

    def step(self) -> bool:
        """Handle what has happened; returns whether something had.  Does not block."""
        return self.wait(0.0)

    def wait(self, timeout: float) -> bool:
        """Handle what happens; waits up to `timeout` seconds for the first.  Returns as `step`."""
        if self.gone:
            return False
        completions = self.connection.poll(timeout)
        for completion in completions:
            if completion.opcode is _RECEIVE:
                if completion.status is not _SUCCESS:
                    continue
                if completion.invalidated is None:
                    self.inject(events.MessageReceived(completion.data))
                else:
                    self._received_with_invalidate(completion)
            else:
                self._completed(completion)
        if completions:
            return True  # whether the connection still stands is the next turn's question
        if not self.connection.connected:
            self._end()
            return True
        return False

    def close(self) -> None:
        """Disconnect and release everything.  Twice is allowed."""
        if not self.gone:
            self.connection.disconnect()
            self._end()
        self.connection.close()

    def _end(self) -> None:
        self.gone = True
        self._backlog.clear()
        self.inject(events.Disconnected("the connection ended"))

    # -- completions

    def _received_with_invalidate(self, completion: Completion) -> None:
        handle = completion.invalidated
        found = (key for key, region in self._regions.items() if region.handle == handle)
        key = next(found, None)
        self.inject(events.MessageReceived(completion.data, key))
        if key is not None and key in self._regions:
            # D-80: the message has not ended the Call that offers the memory, and nothing else can.
            self.inject(events.WorkFailed(key, "the peer invalidated memory that is in use"))

    def _completed(self, completion: Completion) -> None:
        work_id = completion.work_id
        if completion.status is not CompletionStatus.SUCCESS:
            self._work_failed(completion)
            return
        if work_id in self._sends:
            self._sent(work_id)
        elif (exchange := self._exchanges.pop(work_id, None)) is not None:
            self._posted -= 1
            self._advance(exchange)
        while self._backlog and self._posted < SEND_DEPTH:
            self._backlog.popleft()()

    def _sent(self, last: WorkId) -> None:
        """A Send is done, and so are the unsignalled ones before it."""
        for work_id in list(self._sends):
            del self._sends[work_id]
            self._posted -= 1
            if work_id == last:
                return

    def _work_failed(self, completion: Completion) -> None:
        self._posted -= 1
        key = self._sends.pop(completion.work_id, 0)
        exchange = self._exchanges.pop(completion.work_id, None)
        # What was flushed failed because of something else, which has been reported.
        if completion.status is not CompletionStatus.FLUSHED:
            failed = exchange.key if exchange is not None else key
            self.inject(events.WorkFailed(failed, completion.status.value))

    def _advance(self, exchange: _Exchange) -> None:
        exchange.left -= 1
        if exchange.left:
            return
        self.connection.invalidate(exchange.region)
        if exchange.reading:
            self.inject(events.ReadCompleted(exchange.key, exchange.region.read()))

    # -- actions

    def _post_receive(self, action: actions.PostReceive) -> None:
        try:
            parts = action.parts
            first = parts[0]
            if first.key is None and len(parts) == 1:  # as nearly always
                self.connection.post_receive(self._segments(first.length))
            else:
                self.connection.post_receive(tuple(map(self._segment, parts)))
        except ConnectionLost:
            return  # `wait` will see it

    def _segment(self, part: actions.ReceivePart) -> ReceiveSegment:
        region = None if part.key is None else self._regions[part.key]
        return ReceiveSegment(part.length, region, part.start)

    def _send(self, action: actions.Send) -> None:
        if self._backlog or self._posted >= SEND_DEPTH:
            self._backlog.append(partial(self._post_send, action))
        else:
            self._post_send(action)

    def _post_send(self, action: actions.Send) -> None:
        signalled = self._unsignalled + 1 >= _SIGNAL_EVERY
        try:
            work_id = self.connection.post_send(
                action.data, invalidate=action.invalidate, signalled=signalled
            )
        except ConnectionLost:
            return  # `wait` will see it
        self._sends[work_id] = action.key
        self._posted += 1
        self._unsignalled = 0 if signalled else self._unsignalled + 1

    def _read(self, action: actions.RdmaRead) -> None:
        self._exchange(action, action.length, b"", reading=True)

    def _write(self, action: actions.RdmaWrite) -> None:
        self._exchange(action, len(action.data), action.data, reading=False)

    def _exchange(
        self,
        action: actions.RdmaRead | actions.RdmaWrite,
        length: int,
        data: bytes,
        *,
        reading: bool,
    ) -> None:
        try:
            region = self.connection.register(length, Access.LOCAL_WRITE)
        except FabricError as error:
            self._pending.append(events.WorkFailed(action.key, str(error)))
            return
        region.write(data)
        exchange = _Exchange(action.key, region, len(action.transfers), reading)
        for transfer in action.transfers:
            post = partial(self._post_transfer, exchange, transfer)
            if self._backlog or self._posted >= SEND_DEPTH:
                self._backlog.append(post)
            else:
                post()

    def _post_transfer(self, exchange: _Exchange, transfer: actions.Transfer) -> None:
        connection = self.connection
        post = connection.post_rdma_read if exchange.reading else connection.post_rdma_write
        try:
            work_id = post(
                exchange.region, transfer.start, transfer.length, transfer.handle, transfer.offset
            )
        except ConnectionLost:
            return  # likewise
        self._exchanges[work_id] = exchange
        self._posted += 1

    def _register(self, action: actions.Register) -> None:
        try:
            region = self.connection.register(action.length, action.access)
        except FabricError as error:
            self._pending.append(events.RegistrationFailed(action.key, str(error)))
            return
        if action.data:
            region.write(action.data)
        self._regions[action.key] = region
        self._pending.append(events.Registered(action.key, region.handle, region.offset))

    def _invalidate(self, action: actions.Invalidate) -> None:
        region = self._regions.pop(action.key)
        try:
            self.connection.invalidate(region)
        except FabricError:
            self._pending.append(events.Invalidated(action.key, b"", failed=True))
            return
        self._hand_over(action, region)

    def _forget(self, action: actions.Forget) -> None:
        self._hand_over(action, self._regions.pop(action.key))

    def _hand_over(self, action: actions.Invalidate | actions.Forget, region: MemoryRegion) -> None:
        data = region.read(0, action.fetch) if action.fetch else b""
        self._pending.append(events.Invalidated(action.key, data))

    def _disconnect(self, _action: actions.Disconnect) -> None:
        self._backlog.clear()
        self.connection.disconnect()

    def _deliver(self, action: actions.Deliver) -> None:
        self.delivered.append(action.event)
