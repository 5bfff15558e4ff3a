"""What is particular to loopback: virtual time, determinism, faults, addresses.

What it has in common with devices is in `tests/fabric_contract`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import ConnectionLost, ConnectionRejected, DeadlineExceeded, FabricError
from rpcrdma.fabric.base import Access, Address, ConnectionParameters
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode
from rpcrdma.fabric.faults import (
    DropAfterSends,
    IgnoreConnections,
    RefuseConnections,
    SlowDown,
    VanishAfterSends,
)
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.loopback_connection import ACKNOWLEDGE_TIMEOUT
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.fabric.segments import one_segment

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.trace import TraceEvent
    from tests.fabric.conftest import World

FOUR = ConnectionParameters(initial_receives=(one_segment(64),) * 4)
WHERE = Address("dut", 20049)
ALL = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE


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


def test_a_read_takes_two_latencies(world: World) -> None:
    """One there for the request, one back for the octets."""
    connection = world.connect()
    source, target = world.accepted[0].register(8, ALL), connection.register(8, ALL)
    start = world.network.clock.now()
    connection.post_rdma_read(target, 0, 8, source.handle, source.offset)

    (read,) = connection.poll(1.0)
    assert read.ok
    assert world.network.clock.now() - start == pytest.approx(2e-3)


def test_a_write_and_the_send_after_it_arrive_together(world: World) -> None:
    """The two take one latency, and it is the same one."""
    connection = world.connect()
    source, target = connection.register(8, ALL), world.accepted[0].register(8, ALL)
    source.write(b"8 octets")
    start = world.network.clock.now()
    connection.post_rdma_write(source, 0, 8, target.handle, target.offset)
    connection.post_send(b"written")

    (arrived,) = world.accepted[0].poll(1.0)
    assert arrived.data == b"written"
    assert target.read() == b"8 octets"
    assert world.network.clock.now() - start == pytest.approx(1e-3)


def test_device_answers_inside_the_testers_poll(world: World) -> None:
    """One thread is enough for both."""
    world.echo()
    connection = world.connect()
    connection.post_send(b"abc")

    data = [done.data for done in world.drain(connection, 1.0) if done.opcode is Opcode.RECEIVE]

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


def busy_run(
    make_world: Callable[..., World], seed: int
) -> tuple[list[TraceEvent], list[TraceEvent]]:
    world = make_world(seed)
    world.echo()
    for number in range(3):
        connection = world.connect()
        region = connection.register(100, ALL)
        target = world.accepted[number].register(100, ALL)
        connection.post_rdma_write(region, 0, 50, target.handle, target.offset)
        connection.post_rdma_read(region, 50, 50, target.handle, target.offset)
        connection.post_send(b"x" * number)
        world.drain(connection, 1.0)
        connection.post_rdma_read(region, 0, 50, target.handle, target.offset + 51)
        world.drain(connection, 1.0)
    return world.tester.trace.events, world.dut.trace.events


def test_same_seed_gives_the_same_traces(make_world: Callable[..., World]) -> None:
    """To the last handle, octet and microsecond, on either side; another seed differs."""
    assert busy_run(make_world, 5) == busy_run(make_world, 5)
    assert busy_run(make_world, 5) != busy_run(make_world, 6)


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
    statuses = [(done.data, done.status) for done in world.drain(world.accepted[0])]
    flushed = (b"", CompletionStatus.FLUSHED)
    ok = CompletionStatus.SUCCESS
    assert statuses == [(b"one", ok), (b"two", ok), flushed, flushed]
    assert len(world.drain(connection)) == 6


def test_peer_that_vanishes_in_mid_run_never_answers_again(world: World) -> None:
    """Its last Send arrives; what comes after it is given up when the retries are over."""
    world.network.inject(VanishAfterSends("dut", 1))
    world.echo()
    connection = world.connect(
        ConnectionParameters(initial_receives=(one_segment(64),) * 4, retry=2)
    )
    connection.post_send(b"ab")
    first = [done.data for done in world.drain(connection, 0.5) if done.opcode is Opcode.RECEIVE]
    start = world.network.clock.now()
    work_id = connection.post_send(b"cd")

    done = world.drain(connection)

    assert first == [b"ba"]
    assert done[0] == Completion(work_id, Opcode.SEND, CompletionStatus.RETRY_EXCEEDED)
    assert {entry.status for entry in done[1:]} == {CompletionStatus.FLUSHED}
    assert world.network.clock.now() - start >= 3 * ACKNOWLEDGE_TIMEOUT


def test_vanished_end_gives_up_its_own_work(world: World) -> None:
    """Nothing leaves it and nothing reaches it, so its Sends fail for want of an answer."""
    connection = world.connect()
    world.network.inject(VanishAfterSends("tester"))
    connection.post_send(b"lost")

    assert world.drain(connection)[0].status is CompletionStatus.RETRY_EXCEEDED
    assert world.accepted[0].poll(1.0) == []
    assert world.accepted[0].connected


def test_end_that_vanishes_while_a_send_waits_gives_it_up(world: World) -> None:
    """A Send that waits for a Receive completes, too, when its own end has gone silent."""
    world.parameters = ConnectionParameters()
    connection = world.connect()
    connection.post_send(b"waits")
    connection.poll(0.005)
    world.network.inject(VanishAfterSends("tester"))

    assert [done.status for done in world.drain(connection)] == [
        CompletionStatus.RETRY_EXCEEDED,
        *[CompletionStatus.FLUSHED] * 4,
    ]


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

    assert {done.status for done in world.drain(connection)} == {CompletionStatus.FLUSHED}
    assert not region.valid
    with pytest.raises(ConnectionRejected):
        world.connect()


def test_peers_that_wait_at_a_closing_listener_are_refused(world: World) -> None:
    """They learn so at once and not by their deadline."""
    late = world.dut.listen(Address("dut", 0))
    world.network.wake_at(0.5)

    def step() -> None:
        if world.network.clock.now() >= 0.5:
            late.close()

    world.dut.attach(step)
    with pytest.raises(ConnectionRejected, match="refused"):
        world.tester.connect(late.address, FOUR, 10.0)
    assert world.network.clock.now() < 1.0


def test_free_ports_skip_those_in_use(world: World) -> None:
    """Port 0 never meets a listener that chose its own port."""
    first = world.dut.listen(Address("dut", 0))
    world.dut.listen(Address("dut", first.address.port + 1))

    assert world.dut.listen(Address("dut", 0)).address.port == first.address.port + 2


def test_fabric_names_itself(world: World) -> None:
    """For reports, and as a context that closes what it made."""
    with world.network.fabric("third") as third:
        listener = third.listen(Address("third", 1))
        assert third.name == "loopback"
    with pytest.raises(ConnectionRejected, match="nobody listens at third:1"):
        world.tester.connect(listener.address, FOUR, 1.0)


def test_handles_come_from_where_the_network_is_told() -> None:
    class Sevens(HandleAllocator):
        """Has one handle only."""

        def handle(self) -> int:
            return 7

    network = LoopbackNetwork(seed=3, make_allocator=Sevens)

    assert (network.allocator.handle(), network.allocator.handle()) == (7, 7)
    assert network.allocator.address(1) == HandleAllocator(3).address(1)


# -- what is registered


def test_what_is_registered_on_one_side_is_known_until_it_is_not(world: World) -> None:
    """On ended connections as well, which is how a leak shows."""
    connection = world.connect()
    fabric = connection.network.fabric("third")
    fabric.adopt(connection)
    kept, ended = connection.register(8, ALL), connection.register(16, ALL)
    world.accepted[0].register(32, ALL)

    connection.invalidate(ended)
    assert fabric.valid_regions == (kept,)

    connection.disconnect()
    assert fabric.valid_regions == (kept,)

    connection.close()
    assert fabric.valid_regions == ()
