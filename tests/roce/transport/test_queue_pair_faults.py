"""Two queue pairs over a wire that loses, doubles, delays and reorders; and any packets at all."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.roce.packet.bth import PSN_MASK, Aeth, BthOpcode, Packet, Reth
from rpcrdma.roce.transport.queue_pair import QueuePairState
from rpcrdma.roce.transport.requester import WINDOW_OCTETS, WINDOW_PACKETS
from tests.roce.transport.conftest import ALL, LATENCY, USUAL, End, LoneEnd, WirePair

if TYPE_CHECKING:
    from collections.abc import Iterable

SIZE = 5000
MTUS = st.sampled_from([256, 512, 1024, 2048, 4096])
PSNS = st.one_of(st.integers(0, PSN_MASK), st.integers(PSN_MASK - 60, PSN_MASK))
ENDS = st.integers(0, 1)
RANGES = st.tuples(st.integers(0, SIZE), st.integers(0, SIZE)).map(
    lambda pair: (min(pair), max(pair) - min(pair))
)
ACTS = st.one_of(
    st.tuples(st.just("send"), ENDS, st.integers(0, SIZE)),
    st.tuples(st.just("quiet"), ENDS, st.integers(0, SIZE)),
    st.tuples(st.just("write"), ENDS, RANGES),
    st.tuples(st.just("read"), ENDS, RANGES),
    st.tuples(st.just("receive"), ENDS, st.integers(1, 3)),
    st.tuples(st.just("pass"), ENDS, st.sampled_from([1, 3, 20])),
)

DELAYS = st.sampled_from([0.2, 1.0, 1.5, 5.0, 80.0])
"""In latencies; the longest is beyond the transport timer."""

FATES = st.lists(st.lists(DELAYS, max_size=3), max_size=120)
"""What becomes of each packet in turn: after how long its copies arrive; none is lost."""


class Fates:
    """A schedule of what the wire does, which is a good one when that is over."""

    def __init__(self, fates: list[list[float]]) -> None:
        self._fates = iter(fates)

    def __call__(self, _number: int, _packet: Packet) -> Iterable[float]:
        fate = next(self._fates, None)
        return (LATENCY,) if fate is None else [LATENCY * delay for delay in fate]


class ModelEnd:
    """One end, with a model of what its work must do.

    It writes from `source` to the peer's `target` and reads from the peer's `shown`, which nobody
    changes: a Read that is executed again may find what a Write behind it has placed.
    """

    def __init__(self, end: End, number: int) -> None:
        self.end = end
        self.source, self.sink = end.register(SIZE, ALL), end.register(SIZE, ALL)
        self.target, self.shown = end.register(SIZE, ALL), end.register(SIZE, ALL)
        self.shown.write(bytes((n * 7 + number) & 0xFF for n in range(SIZE)))
        self.posted: list[int] = []
        self.quiet: set[int] = set()
        self.sent: list[bytes] = []
        self.model_target = bytearray(SIZE)  # of the peer
        self.model_sink = bytearray(SIZE)
        self._fill = 0

    def act(self, kind: str, argument: object, peer: ModelEnd) -> None:
        match kind, argument:
            case (("send" | "quiet"), int(length)):
                self._fill += 1
                data = bytes((self._fill + n) & 0xFF for n in range(length))
                self.posted.append(self.end.send(data, signalled=kind == "send"))
                self.sent.append(data)
                if kind == "quiet":
                    self.quiet.add(self.posted[-1])
            case "write", (int(start), int(length)):
                self._fill += 1
                self.source.write(bytes([self._fill & 0xFF]) * SIZE)
                place = peer.target
                self.posted.append(
                    self.end.write(self.source, start, length, place.handle, place.offset + start)
                )
                self.model_target[start : start + length] = self.source.read(start, length)
            case "read", (int(start), int(length)):
                place = peer.shown
                self.posted.append(
                    self.end.read(self.sink, start, length, place.handle, place.offset + start)
                )
                self.model_sink[start : start + length] = place.read(start, length)
            case "receive", int(count):
                for _ in range(count):
                    self.posted.append(self.end.receive(SIZE))

    @property
    def initiated(self) -> list[Completion]:
        return [entry for entry in self.end.done if entry.opcode is not Opcode.RECEIVE]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(mtu=MTUS, psns=st.tuples(PSNS, PSNS), acts=st.lists(ACTS, max_size=30), fates=FATES)
@example(
    mtu=256,
    psns=(PSN_MASK - 3, PSN_MASK),
    acts=[("receive", 1, 3), ("send", 0, SIZE), ("read", 0, (0, SIZE)), ("write", 0, (5, 999))],
    fates=[[], [1.0, 5.0], [5.0], [1.0]] * 10,
)
def test_all_work_is_done_once_and_in_order_whatever_the_wire_does(
    mtu: int, psns: tuple[int, int], acts: list[tuple[str, int, object]], fates: list[list[float]]
) -> None:
    """Each message is delivered once, memory is as posted, completions are in order."""
    wire = WirePair(path_mtu=mtu, psns=psns, attributes=replace(USUAL, retry=1000))
    wire.fault = Fates(fates)
    ends = [ModelEnd(end, number) for number, end in enumerate(wire.ends)]
    for kind, number, argument in acts:
        if kind == "pass":
            for _ in range(int(str(argument))):
                wire.step()
            continue
        ends[number].act(kind, argument, ends[1 - number])
    for number, end in enumerate(ends):
        end.act("receive", len(ends[1 - number].sent) or 1, ends[1 - number])
    wire.run(1000.0)

    for number, end in enumerate(ends):
        peer = ends[1 - number]
        assert all(entry.ok for entry in end.end.done)
        told = [entry.work_id for entry in end.initiated]
        assert told == sorted(told)
        assert end.end.received() == peer.sent
        assert end.target.read() == bytes(peer.model_target)
        assert end.sink.read() == bytes(end.model_sink)
        assert_all_is_told(end, peer)
        assert end.end.pair.deadline() is None
        end.end.pair.fail()
        flushed = end.end.pair.take_completions()
        assert {entry.status for entry in flushed} <= {CompletionStatus.FLUSHED}
        assert all(entry.opcode is Opcode.RECEIVE for entry in flushed)
        done = {entry.work_id for entry in [*end.end.done, *flushed]}
        assert done | end.quiet == set(end.posted)


def assert_all_is_told(end: ModelEnd, peer: ModelEnd) -> None:
    """Each trace has what its own end and the peer did, once."""
    for kind in (EventKind.SEND, EventKind.RDMA_WRITE, EventKind.RDMA_READ):
        by_peer = [event for event in end.end.told(kind) if event.side is Side.PEER]
        by_itself = [event for event in peer.end.told(kind) if event.side is Side.LOCAL]
        assert [event.data for event in by_peer] == [event.data for event in by_itself]


@pytest.mark.parametrize("mtu", [256, 4096])
def test_megabyte_survives_a_wire_that_loses_every_fiftieth_packet(mtu: int) -> None:
    """Written and read back; a loss costs no more than what is under way."""
    wire = WirePair(path_mtu=mtu)
    losses = 0

    def fault(_number: int, _packet: Packet) -> Iterable[float]:
        nonlocal losses
        if sum(len(end.sent) for end in wire.ends) % 50 == 49:
            losses += 1
            return ()
        return (LATENCY,)

    wire.fault = fault
    here, there = wire.ends
    octets = bytes(number % 251 for number in range(1 << 20))
    source, target = here.register(1 << 20, ALL), there.register(1 << 20, ALL)
    source.write(octets)
    here.write(source, 0, 1 << 20, target.handle, target.offset)
    wire.run()
    assert target.read() == octets
    source.write(bytes(1 << 20))
    here.read(source, 0, 1 << 20, target.handle, target.offset)
    wire.run()

    assert source.read() == octets
    assert here.statuses() == [CompletionStatus.SUCCESS] * 2
    packets = (1 << 20) // mtu
    window = min(WINDOW_PACKETS, WINDOW_OCTETS // mtu)
    assert len(here.sent) + len(there.sent) < 3 * packets + losses * window


def test_peer_that_vanishes_is_given_up(wire: WirePair) -> None:
    """After all retries of the timer, and not before."""
    here, _ = wire.ends
    wire.fault = lambda number, _packet: () if number == 1 else (LATENCY,)
    here.send(b"anybody?")
    wire.run()

    assert here.statuses() == [CompletionStatus.RETRY_EXCEEDED]
    assert len(here.sent) == USUAL.retry + 1
    assert wire.clock.now() == pytest.approx((USUAL.retry + 1) * USUAL.ack_timeout, rel=0.1)


# -- any packets

NUMBERS = st.one_of(
    st.integers(880, 920), st.integers(45, 60), st.integers(0, PSN_MASK), st.just(PSN_MASK)
)
OFFSETS = st.one_of(st.integers(0, (1 << 64) - 1), st.integers(-2, 600))


@st.composite
def packets(draw: st.DrawFn) -> Packet:
    """Packets that any decoder could make, and some that none would."""
    sizes = st.sampled_from([0, 1, 255, 256, 257, 4096])
    packet = Packet(
        opcode=draw(st.one_of(st.sampled_from(BthOpcode).map(int), st.integers(0, 255))),
        destination=draw(st.sampled_from([17, 17, 17, 1])),
        psn=draw(NUMBERS),
        payload=bytes(draw(sizes)),
        ack_request=draw(st.booleans()),
        partition=draw(st.sampled_from([0xFFFF, 0xFFFF, 0x7FFF, 1])),
    )
    if draw(st.booleans()):
        lengths = st.one_of(st.integers(0, (1 << 32) - 1), sizes)
        packet.reth = Reth(draw(OFFSETS), draw(st.sampled_from([1, 2])), draw(lengths))
    if draw(st.booleans()):
        packet.aeth = Aeth(draw(st.integers(0, 255)), draw(st.integers(0, PSN_MASK)))
    if draw(st.booleans()):
        packet.invalidate = draw(st.sampled_from([1, 2]))
    return packet


def held(pair: object) -> int:
    """Octets and things that a queue pair holds, all that it refers to included."""
    seen: set[int] = set()
    waiting, size = [pair], 0
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, type):
            continue
        seen.add(id(thing))
        size += sys.getsizeof(thing, 0)
        if isinstance(thing, dict):
            waiting += thing.values()
        elif isinstance(thing, (list, tuple, set, frozenset)) or hasattr(thing, "popleft"):
            waiting += thing
        elif type(thing).__module__.startswith("rpcrdma.roce.transport"):
            names = getattr(type(thing), "__slots__", None) or vars(thing)
            waiting += [getattr(thing, name) for name in names]
    return size


@pytest.mark.long
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(given_packets=st.lists(packets(), max_size=60), busy=st.booleans(), often=st.booleans())
def test_no_packet_raises_or_makes_a_queue_pair_grow(
    given_packets: list[Packet], busy: bool, often: bool
) -> None:
    """Whatever comes, in whatever order, taken or not; and the end is an orderly one."""
    end = LoneEnd(replace(USUAL, path_mtu=256, responder_resources=2))
    region = end.register(1024, ALL)
    end.domain._regions = {1: region}
    region.handle, region.offset = 1, 0
    posted = {end.receive(600) for _ in range(4)}
    if busy:
        posted |= {end.send(bytes(600)), end.read(region, 0, 600, 7, 0), end.send(b"x")}
        end.take()
    for packet in given_packets:
        end.pair.receive(packet, end.now)
        if often:
            end.take()
            end.wait(1e-3)
    assert held(end.pair) < 60_000
    while end.pair.deadline() is not None and end.now < 60.0:
        end.wait(0.05)
        end.take()
    end.pair.fail()
    end.take()

    assert end.take() == []
    assert sorted(entry.work_id for entry in end.done) == sorted(posted)
    assert end.pair.state is QueuePairState.ERROR
