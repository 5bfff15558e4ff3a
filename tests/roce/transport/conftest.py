"""Two queue pairs, a wire between them in virtual time, and what may happen to packets on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

import pytest

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.clock import VirtualClock
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode, WorkId
from rpcrdma.fabric.memory import HandleAllocator, ProtectionDomain
from rpcrdma.fabric.recorder import Recorder
from rpcrdma.fabric.segments import one_segment
from rpcrdma.fabric.trace import EventKind, Trace, TraceEvent
from rpcrdma.roce.packet.aeth import acknowledged
from rpcrdma.roce.packet.bth import PSN_MASK, Aeth, BthOpcode, Packet, decode, encode
from rpcrdma.roce.transport.queue_pair import QueuePair, QueuePairAttributes

if TYPE_CHECKING:
    from rpcrdma.fabric.memory import Region

LATENCY = 1e-3
ACK_TIMEOUT = 0.05
MTU = 256
"""Of the ends that are called small."""

EXPECTED, START = 900, 50
"""The first number that a lone end expects, and the first that it sends."""

ACK = acknowledged()
ALL = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE

USUAL = QueuePairAttributes(
    remote=0,
    send_psn=0,
    expected_psn=0,
    path_mtu=1024,
    ack_timeout=ACK_TIMEOUT,
    retry=6,
    rnr_retry=7,
    rnr_timer=14,
    initiator_depth=4,
    responder_resources=4,
)
"""Attributes as connection management would agree on them; the first three are each end's own."""

SMALL = replace(USUAL, path_mtu=MTU)

Fault = Callable[[int, Packet], Iterable[float]]
"""Number of the end that sends, and the packet -> after how many seconds copies of it arrive."""


@dataclass
class Recording:
    """What `Recorder` wants of a fabric."""

    clock: VirtualClock
    trace: Trace = field(default_factory=Trace)


class End:
    """One queue pair with its memory and its trace."""

    def __init__(self, clock: VirtualClock, number: int, depth: int) -> None:
        self.recording = Recording(clock)
        self.domain = ProtectionDomain(HandleAllocator(number))
        self.recorder = Recorder(self.recording)
        self.pair = QueuePair(
            number, self.domain, self.recorder, send_depth=depth, receive_depth=depth
        )
        self.done: list[Completion] = []
        self.sent: list[Packet] = []
        self._ids = count(1)

    @property
    def events(self) -> list[TraceEvent]:
        return self.recording.trace.events

    def told(self, kind: EventKind) -> list[TraceEvent]:
        return [event for event in self.events if event.kind is kind]

    def register(self, length: int, access: Access) -> Region:
        return self.domain.register(length, access)

    def _next(self) -> WorkId:
        return WorkId(next(self._ids))

    def receive(self, length: int = 64) -> WorkId:
        work_id = self._next()
        self.pair.post_receive(work_id, one_segment(length))
        return work_id

    def send(self, data: bytes, *, invalidate: int | None = None, signalled: bool = True) -> WorkId:
        work_id = self._next()
        self.pair.post_send(work_id, data, invalidate, signalled)
        return work_id

    def read(self, region: Region, start: int, length: int, handle: int, offset: int) -> WorkId:
        work_id = self._next()
        self.pair.post_read(work_id, region, start, length, handle, offset)
        return work_id

    def write(self, region: Region, start: int, length: int, handle: int, offset: int) -> WorkId:
        work_id = self._next()
        self.pair.post_write(work_id, region, start, length, handle, offset)
        return work_id

    def statuses(self) -> list[CompletionStatus]:
        """Of what this end initiated."""
        return [entry.status for entry in self.done if entry.opcode is not Opcode.RECEIVE]

    def received(self) -> list[bytes]:
        return [entry.data for entry in self.done if entry.opcode is Opcode.RECEIVE and entry.ok]


def untouched(_number: int, _packet: Packet) -> Iterable[float]:
    """The fault of a wire without any."""
    return (LATENCY,)


class WirePair:
    """Two ends and the wire between them."""

    def __init__(
        self,
        *,
        path_mtu: int = 1024,
        psns: tuple[int, int] = (100, 9000),
        depth: int = 256,
        connected: bool = True,
        attributes: QueuePairAttributes = USUAL,
    ) -> None:
        self.clock = VirtualClock()
        self.ends = (End(self.clock, 17, depth), End(self.clock, 18, depth))
        self.fault: Fault = untouched
        self._under_way: list[tuple[float, int, int, bytes]] = []
        self._order = count()
        for number, end in enumerate(self.ends):
            end.pair.ready_to_receive(
                replace(
                    attributes,
                    path_mtu=path_mtu,
                    remote=self.ends[1 - number].pair.number,
                    send_psn=psns[number],
                    expected_psn=psns[1 - number],
                )
            )
            if connected:
                end.pair.ready_to_send()

    def flush(self) -> None:
        """Put onto the wire what the ends have to send."""
        now = self.clock.now()
        for number, end in enumerate(self.ends):
            for packet in end.pair.take_packets(now):
                end.sent.append(packet)
                octets = encode(packet)
                for delay in self.fault(number, packet):
                    heappush(self._under_way, (now + delay, next(self._order), 1 - number, octets))
            end.done += end.pair.take_completions()

    def step(self) -> bool:
        """Let the next thing happen; whether there was one."""
        self.flush()
        moments = [end.pair.deadline() for end in self.ends]
        if self._under_way:
            moments.append(self._under_way[0][0])
        due = [moment for moment in moments if moment is not None]
        if not due:
            return False
        self.clock.advance_to(max(min(due), self.clock.now()))
        now = self.clock.now()
        while self._under_way and self._under_way[0][0] <= now:
            _, _, number, octets = heappop(self._under_way)
            self.ends[number].pair.receive(decode(octets), now)
        for end in self.ends:
            end.pair.tick(now)
        return True

    def run(self, seconds: float = 60.0) -> None:
        """Let everything happen until nothing is left, or the time is over."""
        deadline = self.clock.now() + seconds
        while self.step() and self.clock.now() < deadline:
            pass
        self.flush()


class LoneEnd(End):
    """One queue pair whose peer is the test."""

    def __init__(self, attributes: QueuePairAttributes = USUAL, depth: int = 256) -> None:
        super().__init__(VirtualClock(), 17, depth)
        self.attributes = replace(attributes, remote=18, send_psn=START, expected_psn=EXPECTED)
        self.pair.ready_to_receive(self.attributes)
        self.pair.ready_to_send()

    @property
    def now(self) -> float:
        return self.recording.clock.now()

    def give(self, opcode: int, psn: int, payload: bytes = b"", **fields: object) -> None:
        """Have a packet arrive."""
        packet = Packet(opcode, 17, psn & PSN_MASK, payload)
        for name, value in fields.items():
            setattr(packet, name, value)
        self.pair.receive(packet, self.now)

    def respond(self, opcode: BthOpcode, psn: int, payload: bytes) -> None:
        """Have a packet of a response to a Read arrive."""
        aeth = None if opcode is BthOpcode.READ_RESPONSE_MIDDLE else Aeth(ACK, 0)
        self.give(opcode, psn, payload, aeth=aeth)

    def answer(self, syndrome: int, psn: int) -> None:
        """Have an acknowledgement arrive."""
        self.give(BthOpcode.ACKNOWLEDGE, psn, aeth=Aeth(syndrome, 0))

    def take(self) -> list[Packet]:
        """The packets that leave now."""
        packets = self.pair.take_packets(self.now)
        self.done += self.pair.take_completions()
        return packets

    def taken(self) -> list[tuple[int, int]]:
        """Opcode and number of each packet that leaves now."""
        return [(packet.opcode, packet.psn) for packet in self.take()]

    def answers(self) -> list[tuple[int, int]]:
        """Syndrome and number of each acknowledgement among the packets that leave now."""
        return [
            (packet.aeth.syndrome, packet.psn) for packet in self.take() if packet.aeth is not None
        ]

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.recording.clock.advance_to(self.now + seconds)
        self.pair.tick(self.now)


@pytest.fixture
def wire() -> WirePair:
    return WirePair()


@pytest.fixture
def lone() -> LoneEnd:
    return LoneEnd()


@pytest.fixture
def small() -> LoneEnd:
    """With a path MTU of 256."""
    return LoneEnd(SMALL)
