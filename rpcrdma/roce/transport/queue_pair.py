"""The queue pair of a reliable connection: its states, and its two halves as one thing.

    InfiniBand Architecture volume 1, 9.6     packet transport header validation
    InfiniBand Architecture volume 1, 10.3.1  queue pair states

It is told what the time is and what has come, and asked what is to be sent; it reads no clock and
does no I/O.  Whoever drives it calls `take_packets` after anything else, and `tick` at `deadline`,
but not before it has handed over what has come: an answer that waits would be taken for lost.

    pair.ready_to_receive(attributes)
    pair.ready_to_send()
    pair.post_send(work_id, b"message")
    for packet in pair.take_packets(now): ...

What comes in wrong states, for somebody else, or for another partition is dropped without a word.
A queue pair in error answers nothing, but what it had to say before is still there to be taken.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import ConnectionLost, FabricError
from rpcrdma.fabric.completion import Completion, Opcode
from rpcrdma.fabric.refusals import gone
from rpcrdma.roce.packet.bth import OPERATIONS, TransportOperation
from rpcrdma.roce.transport.attributes import QueuePairAttributes
from rpcrdma.roce.transport.requester import TransportRequester
from rpcrdma.roce.transport.responder import TransportResponder
from rpcrdma.roce.transport.work import TransportWork

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.fabric.base import MemoryRegion
    from rpcrdma.fabric.completion import WorkId
    from rpcrdma.fabric.memory import ProtectionDomain
    from rpcrdma.fabric.recorder import Recorder
    from rpcrdma.fabric.segments import Segments
    from rpcrdma.roce.packet.bth import Packet

__all__ = [
    "TRANSITIONS",
    "QueuePair",
    "QueuePairAttributes",
    "QueuePairInput",
    "QueuePairState",
]


class QueuePairState(Enum):
    """What a queue pair may do."""

    RESET = auto()  # nothing
    INIT = auto()  # take Receives
    READY_TO_RECEIVE = auto()  # answer the peer, too
    READY_TO_SEND = auto()  # everything
    ERROR = auto()  # nothing any more: all was flushed


class QueuePairInput(Enum):
    """What changes the state."""

    INITIALISE = auto()
    READY_TO_RECEIVE = auto()
    READY_TO_SEND = auto()
    FAIL = auto()


_State, _Input = QueuePairState, QueuePairInput

TRANSITIONS: Final[Mapping[tuple[QueuePairState, QueuePairInput], QueuePairState]] = {
    (_State.RESET, _Input.INITIALISE): _State.INIT,
    (_State.INIT, _Input.READY_TO_RECEIVE): _State.READY_TO_RECEIVE,
    (_State.READY_TO_RECEIVE, _Input.READY_TO_SEND): _State.READY_TO_SEND,
    (_State.RESET, _Input.FAIL): _State.ERROR,
    (_State.INIT, _Input.FAIL): _State.ERROR,
    (_State.READY_TO_RECEIVE, _Input.FAIL): _State.ERROR,
    (_State.READY_TO_SEND, _Input.FAIL): _State.ERROR,
    (_State.ERROR, _Input.FAIL): _State.ERROR,
}
"""Every legal move (10.3.1, figure 124, without draining); a pair that is absent is refused."""

_PARTITION: Final = 0x7FFF
"""The default partition, without the bit of full membership (10.9.1)."""

_RESPONSES: Final = frozenset(
    code
    for code, meaning in OPERATIONS.items()
    if meaning.operation
    in {
        TransportOperation.READ_RESPONSE,
        TransportOperation.ACKNOWLEDGE,
        TransportOperation.ATOMIC_ACKNOWLEDGE,
    }
)

_SERVICE: Final = 0xE0
"""The bits of an opcode that say for which service it is: none for the reliable connection."""


class QueuePair:
    """One end of a reliable connection.

    Attributes:
        number: of the queue pair, by which the peer names it.
        state: where it is.
    """

    def __init__(
        self,
        number: int,
        domain: ProtectionDomain,
        recorder: Recorder,
        *,
        send_depth: int,
        receive_depth: int,
        requester: type[TransportRequester] = TransportRequester,
        responder: type[TransportResponder] = TransportResponder,
    ) -> None:
        self.number = number
        self.state = QueuePairState.RESET
        self._completions: list[Completion] = []
        self._requester = requester(domain, recorder, self._completions, send_depth)
        self._responder = responder(domain, recorder, self._completions, receive_depth)
        self._started = False
        self._move(QueuePairInput.INITIALISE)

    # -- states

    def ready_to_receive(self, attributes: QueuePairAttributes) -> None:
        """Answer the peer from now on.

        Raises:
            FabricError: it is not the time for that.
        """
        self._move(QueuePairInput.READY_TO_RECEIVE)
        self._requester.start(attributes)
        self._responder.start(attributes)
        self._started = True

    def ready_to_send(self) -> None:
        """Carry out requests of this end, too, from now on.

        Raises:
            FabricError: it is not the time for that.
        """
        self._move(QueuePairInput.READY_TO_SEND)

    def fail(self) -> None:
        """Go into error, and flush everything.  Twice is allowed."""
        self._move(QueuePairInput.FAIL)
        self._requester.flush()
        self._responder.flush()

    def _move(self, given: QueuePairInput) -> None:
        target = TRANSITIONS.get((self.state, given))
        if target is None:
            raise FabricError(f"a queue pair in state {self.state.name} takes no {given.name}")
        self.state = target

    # -- work

    def post_receive(self, work_id: WorkId, segments: Segments) -> None:
        """Post a Receive, whose message fills the segments in their order.

        Raises:
            ConnectionLost: the queue pair is in error.
            FabricError: the queue is full.
        """
        if self.state is QueuePairState.ERROR:
            raise gone()
        self._responder.post_receive(work_id, segments)

    def post_send(
        self,
        work_id: WorkId,
        data: bytes,
        invalidate: int | None = None,
        signalled: bool = True,
    ) -> None:
        """Send `data`; with `invalidate`, as a Send With Invalidate of that peer's handle.

        Raises:
            ConnectionLost: the queue pair cannot send, or no longer.
            FabricError: the queue is full.
        """
        self._require_sending()
        work = TransportWork(work_id, Opcode.SEND, len(data))
        work.data, work.invalidate, work.signalled = bytes(data), invalidate, signalled
        self._requester.post(work)

    def post_read(
        self,
        work_id: WorkId,
        region: MemoryRegion,
        start: int,
        length: int,
        handle: int,
        offset: int,
    ) -> None:
        """Read `length` octets at (`handle`, `offset`) of the peer into `region` from `start` on.

        Raises:
            ConnectionLost: the queue pair cannot send, or no longer.
            FabricError: the queue is full.
        """
        self._post_transfer(Opcode.RDMA_READ, work_id, region, start, length, handle, offset)

    def post_write(
        self,
        work_id: WorkId,
        region: MemoryRegion,
        start: int,
        length: int,
        handle: int,
        offset: int,
    ) -> None:
        """Write `length` octets of `region` from `start` on to (`handle`, `offset`) of the peer.

        Raises:
            ConnectionLost: the queue pair cannot send, or no longer.
            FabricError: the queue is full.
        """
        self._post_transfer(Opcode.RDMA_WRITE, work_id, region, start, length, handle, offset)

    def _post_transfer(
        self,
        opcode: Opcode,
        work_id: WorkId,
        region: MemoryRegion,
        start: int,
        length: int,
        handle: int,
        offset: int,
    ) -> None:
        self._require_sending()
        work = TransportWork(work_id, opcode, length)
        work.region, work.start, work.handle, work.offset = region, start, handle, offset
        self._requester.post(work)

    def _require_sending(self) -> None:
        if self.state is not QueuePairState.READY_TO_SEND:
            is_gone = self.state is QueuePairState.ERROR
            raise gone() if is_gone else ConnectionLost("the connection is not made yet")
        self._requester.require_room()

    # -- packets, time and completions

    def receive(self, packet: Packet, now: float) -> None:
        """Take in a packet of the peer."""
        state = self.state
        if state is not QueuePairState.READY_TO_SEND and (
            state is not QueuePairState.READY_TO_RECEIVE
        ):
            return
        if packet.destination != self.number or packet.partition & _PARTITION != _PARTITION:
            return  # 9.6.1.1, 9.6.1.2
        if packet.opcode in _RESPONSES:
            self._requester.receive(packet, now)
        elif not packet.opcode & _SERVICE:
            self._responder.receive(packet)
        self._fail_with_a_half()

    def tick(self, now: float) -> None:
        """Do what was to be done by now."""
        self._requester.tick(now)
        self._fail_with_a_half()

    def deadline(self) -> float | None:
        """When `tick` has something to do; None if nothing is waited for."""
        return self._requester.deadline()

    def take_packets(self, now: float) -> list[Packet]:
        """What is to be sent now, in this order."""
        packets: list[Packet] = []
        if self._started:
            self._responder.take_packets(packets)
            self._requester.take_packets(packets, now)
            self._fail_with_a_half()
        return packets

    def take_completions(self) -> list[Completion]:
        """What was completed since the last time, in order."""
        completions = self._completions[:]
        self._completions.clear()
        return completions

    def _fail_with_a_half(self) -> None:
        if self._requester.failed or self._responder.failed:
            self.fail()
