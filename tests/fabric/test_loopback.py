"""What is particular to loopback: virtual time, determinism, faults, turns; and a property test.

What it has in common with devices is in `tests/fabric_contract`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import ConnectionLost, ConnectionRejected, DeadlineExceeded, FabricError
from rpcrdma.fabric.base import (
    Access,
    Address,
    Completion,
    CompletionStatus,
    ConnectionParameters,
    Opcode,
)
from rpcrdma.fabric.faults import (
    DropAfterSends,
    IgnoreConnections,
    RefuseConnections,
    SlowDown,
    VanishAfterSends,
)
from rpcrdma.fabric.loopback import LoopbackFabric, LoopbackListener, LoopbackNetwork
from rpcrdma.fabric.loopback_connection import ACKNOWLEDGE_TIMEOUT
from rpcrdma.fabric.trace import EventKind, Side, TraceEvent

if TYPE_CHECKING:
    from rpcrdma.fabric.loopback_connection import LoopbackConnection

WHERE = Address("dut", 20049)
FOUR = ConnectionParameters(initial_receives=(64,) * 4)
ALL = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE


@dataclass
class World:
    """A network with a tester and a device under test that accepts whoever comes."""

    network: LoopbackNetwork
    tester: LoopbackFabric
    dut: LoopbackFabric
    listener: LoopbackListener
    parameters: ConnectionParameters = FOUR
    accepted: list[LoopbackConnection] = field(default_factory=list)

    def step(self) -> None:
        while (request := self.listener.accept(0)) is not None:
            self.accepted.append(request.accept(self.parameters, 1.0))

    def connect(self, parameters: ConnectionParameters = FOUR) -> LoopbackConnection:
        return self.tester.connect(WHERE, parameters, 1.0)


def make_world(seed: int = 1, latency: float = 1e-3) -> World:
    network = LoopbackNetwork(latency=latency, seed=seed)
    tester, dut = network.fabric("tester"), network.fabric("dut")
    world = World(network, tester, dut, dut.listen(WHERE))
    dut.attach(world.step)
    return world


@pytest.fixture
def world() -> World:
    return make_world()


def echo(world: World) -> None:
    """Have the device answer every message with its octets reversed."""

    def step() -> None:
        for connection in world.accepted:
            for done in connection.poll(0):
                if done.ok and done.opcode is Opcode.RECEIVE:
                    connection.post_send(done.data[::-1])

    world.dut.attach(step)


def drain(connection: LoopbackConnection, patience: float = 30.0) -> list[Completion]:
    found: list[Completion] = []
    deadline = connection.clock.now() + patience
    while connection.clock.now() < deadline:
        more = connection.poll(deadline - connection.clock.now())
        if not more:
            break
        found += more
    return found


def story(events: list[TraceEvent]) -> list[tuple[Side, EventKind]]:
    return [(event.side, event.kind) for event in events]


# -- time


def test_message_takes_one_latency_and_its_completion_two(world: World) -> None:
    """Virtual time is latency and nothing else."""
    connection = world.connect()
    start = world.network.clock.now()
    connection.post_send(b"ping")

    (arrived,) = world.accepted[0].poll(1.0)
    assert arrived.data == b"ping"
    assert world.network.clock.now() - start == pytest.approx(1e-3)

    (sent,) = connection.poll(1.0)
    assert sent.ok
    assert world.network.clock.now() - start == pytest.approx(2e-3)


def test_device_answers_inside_the_testers_poll(world: World) -> None:
    """One thread is enough for both."""
    echo(world)
    connection = world.connect()
    connection.post_send(b"abc")

    data = [done.data for done in drain(connection, 1.0) if done.opcode is Opcode.RECEIVE]

    assert data == [b"cba"]


def test_empty_poll_lets_exactly_its_timeout_pass(world: World) -> None:
    """An hour of silence costs no real time."""
    connection = world.connect()
    start = world.network.clock.now()

    assert connection.poll(3600.0) == []
    assert world.network.clock.now() - start == 3600.0


def test_wake_gives_turns_at_its_moment(world: World) -> None:
    """A device that acts by the clock can ask to be called."""
    seen: list[float] = []
    connection = world.connect()
    world.dut.attach(lambda: seen.append(world.network.clock.now()))
    world.network.wake_at(2.0)
    connection.poll(5.0)

    assert 2.0 in seen


def test_polling_a_gone_connection_lets_the_others_go_on(world: World) -> None:
    """A loop by the clock over a dead connection comes to its end."""
    connection = world.connect()
    connection.disconnect()
    deadline = world.network.clock.now() + 1.0
    polls = 0
    while world.network.clock.now() < deadline:
        connection.poll(1.0)
        polls += 1

    assert polls < 1100


# -- determinism


def busy_run(seed: int) -> tuple[list[TraceEvent], list[TraceEvent]]:
    world = make_world(seed)
    echo(world)
    for number in range(3):
        connection = world.connect()
        region = connection.register(100, ALL)
        target = world.accepted[number].register(100, ALL)
        connection.post_rdma_write(region, 0, 50, target.handle, target.offset)
        connection.post_rdma_read(region, 50, 50, target.handle, target.offset)
        connection.post_send(b"x" * number)
        drain(connection, 1.0)
        connection.post_rdma_read(region, 0, 50, target.handle, target.offset + 51)
        drain(connection, 1.0)
    return world.tester.trace.events, world.dut.trace.events


def test_same_seed_gives_the_same_traces() -> None:
    """To the last handle, octet and microsecond, on either side; another seed differs."""
    assert busy_run(5) == busy_run(5)
    assert busy_run(5) != busy_run(6)


# -- faults


def test_refused_connection_carries_private_data(world: World) -> None:
    """Only as often as the fault says."""
    world.network.inject(RefuseConnections("dut", 1, b"busy"))

    with pytest.raises(ConnectionRejected, match="refused") as caught:
        world.connect()
    assert caught.value.private_data == b"busy"
    assert world.connect().connected


def test_ignored_connection_ends_with_its_deadline(world: World) -> None:
    """Nobody answers; the listener never hears of it."""
    world.network.inject(IgnoreConnections("dut"))

    with pytest.raises(DeadlineExceeded, match=r"within 1\.0 s"):
        world.connect()
    assert world.accepted == []


def test_connection_drops_after_the_nth_send(world: World) -> None:
    """The Send is delivered, then everything else is flushed at either end."""
    world.network.inject(DropAfterSends("tester", 2))
    connection = world.connect()
    connection.post_send(b"one")
    connection.post_send(b"two")

    with pytest.raises(ConnectionLost):
        connection.post_send(b"three")
    statuses = [(done.data, done.status) for done in drain(world.accepted[0])]
    flushed = (b"", CompletionStatus.FLUSHED)
    ok = CompletionStatus.SUCCESS
    assert statuses == [(b"one", ok), (b"two", ok), flushed, flushed]
    assert len(drain(connection)) == 6


def test_peer_that_vanishes_in_mid_run_never_answers_again(world: World) -> None:
    """Its last Send arrives; what comes after it is given up when the retries are over."""
    world.network.inject(VanishAfterSends("dut", 1))
    echo(world)
    connection = world.connect(ConnectionParameters(initial_receives=(64,) * 4, retry=2))
    connection.post_send(b"ab")
    first = [done.data for done in drain(connection, 0.5) if done.opcode is Opcode.RECEIVE]
    start = world.network.clock.now()
    work_id = connection.post_send(b"cd")

    done = drain(connection)

    assert first == [b"ba"]
    assert done[0] == Completion(work_id, Opcode.SEND, CompletionStatus.RETRY_EXCEEDED)
    assert {entry.status for entry in done[1:]} == {CompletionStatus.FLUSHED}
    assert world.network.clock.now() - start >= 3 * ACKNOWLEDGE_TIMEOUT


def test_vanished_end_gives_up_its_own_work(world: World) -> None:
    """Nothing leaves it and nothing reaches it, so its Sends fail for want of an answer."""
    connection = world.connect()
    world.network.inject(VanishAfterSends("tester"))
    connection.post_send(b"lost")

    assert drain(connection)[0].status is CompletionStatus.RETRY_EXCEEDED
    assert world.accepted[0].poll(1.0) == []
    assert world.accepted[0].connected


def test_healed_network_makes_connections_again(world: World) -> None:
    """Faults end; connections that they broke stay broken."""
    world.network.inject(VanishAfterSends("dut"))
    with pytest.raises(DeadlineExceeded):
        world.connect()
    world.network.heal()

    assert world.connect().connected


def test_slow_side_keeps_the_order(world: World) -> None:
    """Only that direction is late, and nothing overtakes."""
    connection = world.connect()
    start = world.network.clock.now()
    world.network.inject(SlowDown("tester", 0.5))
    connection.post_send(b"one")
    world.network.heal()
    connection.post_send(b"two")

    arrived = world.accepted[0].poll(1.0)  # both at once: the second had to wait for the first

    assert [done.data for done in arrived] == [b"one", b"two"]
    assert world.network.clock.now() - start == pytest.approx(0.501)


# -- limits and misuse


def test_send_queue_has_its_depth(world: World) -> None:
    """One more than was asked for is refused, not lost."""
    connection = world.connect(ConnectionParameters(send_depth=2))
    connection.post_send(b"1")
    connection.post_send(b"2")

    with pytest.raises(FabricError, match="2 requests are posted"):
        connection.post_send(b"3")
    drain(connection, 0.1)
    connection.post_send(b"3")


def test_receive_queue_has_its_depth(world: World) -> None:
    """The same for Receives."""
    connection = world.connect(ConnectionParameters(receive_depth=1))
    connection.post_receive(8)

    with pytest.raises(FabricError, match="1 Receives are posted"):
        connection.post_receive(8)


def test_private_data_that_the_cm_cannot_carry_are_refused(world: World) -> None:
    """As on a device: 56 octets in a request."""
    with pytest.raises(FabricError, match="57 octets of private data"):
        world.connect(ConnectionParameters(private_data=bytes(57)))


def test_two_listeners_cannot_share_an_address(world: World) -> None:
    """The second learns so; the address is free again once the first is closed."""
    with pytest.raises(FabricError, match="somebody listens at dut:20049"):
        world.dut.listen(WHERE)
    world.listener.close()
    assert world.dut.listen(WHERE).address == WHERE


def test_request_is_answered_once(world: World) -> None:
    """Neither accepting nor rejecting works a second time."""
    requests = []
    other = world.dut.listen(Address("dut", 1))

    def step() -> None:
        if (request := other.accept(0)) is not None:
            requests.append(request)
            request.reject()

    world.dut.attach(step)
    with pytest.raises(ConnectionRejected):
        world.tester.connect(other.address, FOUR, 1.0)

    with pytest.raises(FabricError, match="answered already"):
        requests[0].reject()


def test_abandoned_request_is_not_offered(world: World) -> None:
    """An initiator that gave up is gone when the listener looks."""
    late = world.dut.listen(Address("dut", 1))
    with pytest.raises(DeadlineExceeded):
        world.tester.connect(late.address, FOUR, 0.5)

    assert late.accept(0.1) is None


def test_accepting_an_initiator_that_gives_up_meanwhile_has_a_deadline(world: World) -> None:
    """The handshake needs both."""
    late = world.dut.listen(Address("dut", 1))
    caught: list[DeadlineExceeded] = []

    def step() -> None:
        if (request := late.accept(0)) is not None:
            world.network.inject(SlowDown("dut", 5.0))
            with pytest.raises(DeadlineExceeded, match="did not finish") as info:
                request.accept(FOUR, 2.0)
            caught.append(info.value)

    world.dut.attach(step)
    with pytest.raises(DeadlineExceeded, match="no answer"):
        world.tester.connect(late.address, FOUR, 1.0)
    assert len(caught) == 1


def test_closing_a_fabric_ends_what_it_made(world: World) -> None:
    """Connections, listeners and steps."""
    connection = world.connect()
    region = world.accepted[0].register(8, ALL)
    world.dut.close()
    world.dut.close()

    assert {done.status for done in drain(connection)} == {CompletionStatus.FLUSHED}
    assert not region.valid
    with pytest.raises(ConnectionRejected):
        world.connect()


# -- traces


def test_each_side_sees_what_the_peer_does_to_its_memory(world: World) -> None:
    """With the octets, unlike on a device."""
    connection = world.connect()
    region = connection.register(4, ALL)
    target = world.accepted[0].register(4, ALL)
    region.write(b"abcd")
    world.dut.trace.events.clear()
    connection.post_rdma_write(region, 0, 4, target.handle, target.offset)
    connection.post_rdma_read(region, 0, 2, target.handle, target.offset + 2)
    drain(connection, 0.1)

    write, read = world.dut.trace.events
    assert (write.side, write.kind, write.data) == (Side.PEER, EventKind.RDMA_WRITE, b"abcd")
    assert (read.side, read.kind, read.data) == (Side.PEER, EventKind.RDMA_READ, b"cd")
    assert (read.handle, read.offset, read.length) == (target.handle, target.offset + 2, 2)


def test_failures_say_why_at_either_end(world: World) -> None:
    """The initiator knows the status, the responder the rule that was broken."""
    connection = world.connect()
    region = connection.register(4, ALL)
    connection.post_rdma_write(region, 0, 4, 0xDEAD, 0xBEEF)
    drain(connection, 0.1)

    here, there = (
        next(event for event in trace.events if event.kind is EventKind.FAILURE)
        for trace in (world.tester.trace, world.dut.trace)
    )
    assert (here.side, here.detail) == (Side.LOCAL, "RDMA Write: remote access error")
    assert (there.side, there.handle, there.offset) == (Side.PEER, 0xDEAD, 0xBEEF)
    assert there.detail == "RDMA Write: no such handle in this protection domain"


def test_waiting_for_a_receive_is_traced_once(world: World) -> None:
    """However often it is tried again."""
    world.parameters = ConnectionParameters()
    connection = world.connect()
    connection.post_send(b"x")
    connection.poll(1.0)

    failures = [event for event in world.dut.trace.events if event.kind is EventKind.FAILURE]
    assert [event.detail for event in failures] == ["Send: no Receive is posted"]


def test_reads_into_a_region_invalidated_meanwhile_fail(world: World) -> None:
    """The owner's invalidation wins over a Read on its way."""
    connection = world.connect()
    region = connection.register(4, ALL)
    target = world.accepted[0].register(4, ALL)
    connection.post_rdma_read(region, 0, 4, target.handle, target.offset)
    connection.invalidate(region)

    assert drain(connection)[0].status is CompletionStatus.LOCAL_PROTECTION_ERROR


# -- any legal sequence of work

SIZE = 64
ENDS = st.integers(0, 1)
RANGES = st.tuples(st.integers(0, SIZE), st.integers(0, SIZE)).map(
    lambda pair: (min(pair), max(pair) - min(pair))
)
OPERATIONS = st.one_of(
    st.tuples(st.just("send"), ENDS, st.binary(max_size=SIZE)),
    st.tuples(st.just("write"), ENDS, RANGES),
    st.tuples(st.just("read"), ENDS, RANGES),
    st.tuples(st.just("fill"), ENDS, st.binary(min_size=SIZE, max_size=SIZE)),
    st.tuples(st.just("poll"), ENDS, st.sampled_from([0.0, 1e-3, 0.1])),
    st.tuples(st.just("receive"), ENDS, st.none()),
)


class End:
    """One end of the property test, with a model of what its work must do.

    It writes from `source` to the peer's `target` and reads from there into `sink`; nobody else
    touches the peer's `target`, so its own order of posting decides what is where.
    """

    def __init__(self, connection: LoopbackConnection) -> None:
        self.connection = connection
        self.source, self.sink, self.target = (connection.register(SIZE, ALL) for _ in range(3))
        self.posted: list[int] = []
        self.done: list[Completion] = []
        self.sent: list[bytes] = []
        self.model_target = bytearray(SIZE)  # of the peer
        self.model_sink = bytearray(SIZE)

    def act(self, kind: str, argument: object, peer: End) -> None:
        match kind, argument:
            case "send", bytes(data):
                self.posted.append(self.connection.post_send(data))
                self.sent.append(data)
            case "write", (int(start), int(length)):
                self.posted.append(self._transfer(self.connection.post_rdma_write, peer, argument))
                self.model_target[start : start + length] = self.source.read(start, length)
            case "read", (int(start), int(length)):
                self.posted.append(self._transfer(self.connection.post_rdma_read, peer, argument))
                self.model_sink[start : start + length] = self.model_target[start : start + length]
            case "fill", bytes(data):
                self.source.write(data)
            case "poll", float(timeout):
                self.done += self.connection.poll(timeout)
            case "receive", _:
                self.posted.append(self.connection.post_receive(SIZE))

    def _transfer(self, post: object, peer: End, extent: object) -> int:
        start, length = extent
        region = self.source if post == self.connection.post_rdma_write else self.sink
        return post(region, start, length, peer.target.handle, peer.target.offset + start)


@given(st.lists(OPERATIONS, max_size=40))
def test_every_request_completes_once_and_octets_end_where_they_belong(
    operations: list[tuple[str, int, object]],
) -> None:
    """Whatever legal work both ends post, in whatever order they poll."""
    world = make_world()
    world.parameters = ConnectionParameters()
    connection = world.connect(ConnectionParameters())
    ends = [End(connection), End(world.accepted[0])]
    for kind, number, argument in operations:
        ends[number].act(kind, argument, ends[1 - number])

    for number, end in enumerate(ends):
        for _ in ends[1 - number].sent:  # room for all that the peer sent, and then some
            end.act("receive", None, ends[1 - number])
    for end in ends:
        end.done += drain(end.connection, 1.0)
    ends[0].connection.disconnect()
    for end in ends:
        end.done += drain(end.connection, 1.0)

    for number, end in enumerate(ends):
        peer = ends[1 - number]
        assert sorted(done.work_id for done in end.done) == sorted(end.posted)
        initiated = [done for done in end.done if done.opcode is not Opcode.RECEIVE]
        assert all(done.ok for done in initiated)
        assert [done.work_id for done in initiated] == sorted(done.work_id for done in initiated)
        received = [done.data for done in end.done if done.opcode is Opcode.RECEIVE and done.ok]
        assert received == peer.sent
        assert end.target.read() == bytes(peer.model_target)
        assert end.sink.read() == bytes(end.model_sink)
