"""Connections over packets: what the contract of all fabrics does not ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.fabric.base import Access, Address, ConnectionParameters
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.roce.connection import RoceConnection
from rpcrdma.roce.packet.bth import BthOpcode
from rpcrdma.roce.packet.datagram import from_frame
from tests.roce.conftest import FOUR, message_in, messages, packet_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.roce.packet.bth import Packet
    from rpcrdma.roce.packet.datagram import Datagram
    from tests.roce.conftest import RoceWorld


def losing(name: str, times: int) -> Callable[[str, Datagram], list[Datagram]]:
    """Lose the first messages of a kind."""
    left = [times]

    def spoil(_side: str, datagram: Datagram) -> list[Datagram]:
        if message_in(datagram) == name and left[0]:
            left[0] -= 1
            return []
        return [datagram]

    return spoil


@pytest.mark.parametrize(
    "lost", ["ConnectRequest", "ConnectReply", "ReadyToUse", "DisconnectRequest", "DisconnectReply"]
)
def test_connection_is_made_and_ended_although_messages_are_lost(
    make_world: Callable[..., RoceWorld], lost: str
) -> None:
    """Each message of connection management is repeated."""
    world = make_world(losing(lost, 2))
    connection = world.connect()
    connection.post_send(b"hello")
    assert world.drain(world.accepted[0], 1.0)[0].data == b"hello"

    connection.disconnect()
    rest = world.drain(world.accepted[0])

    assert {entry.status for entry in rest} == {CompletionStatus.FLUSHED}
    assert not world.accepted[0].connected


def test_first_packet_stands_for_a_ready_to_use_that_is_late(
    make_world: Callable[..., RoceWorld],
) -> None:
    """The passive side is established by the peer's Send, and delivers it (IBA 12.9.7.2)."""
    world = make_world(losing("ReadyToUse", 100))
    listener = world.dut.listen(Address(world.address.host, 0))
    connection = RoceConnection(
        world.tester, FOUR, world.network.host("tester"), listener.address.host
    )
    connection.request(listener.address.port, 4096)
    request = listener.accept(1.0)
    posted: list[int] = []

    def step() -> None:
        if connection.established and not posted:
            posted.append(connection.post_send(b"first"))

    world.tester.attach(step)
    assert request is not None
    passive = request.accept(FOUR, 1.0)

    assert passive.poll(1.0)[0].data == b"first"
    assert passive.clock.now() < 0.1


def test_work_that_fails_ends_the_connection_at_both_ends(world: RoceWorld) -> None:
    """The end whose work failed disconnects, so that the other does not wait for ever."""
    connection = world.connect()
    region = connection.register(64, Access.LOCAL_WRITE)
    connection.post_rdma_read(region, 0, 64, 0xBAD, 0)

    done = world.drain(connection)

    assert done[0].status is CompletionStatus.REMOTE_ACCESS_ERROR
    assert "DisconnectRequest" in messages(world.tester.trace.frames)
    assert {entry.status for entry in world.drain(world.accepted[0])} == {CompletionStatus.FLUSHED}
    assert not world.accepted[0].connected


def test_peer_that_offers_no_reads_is_not_read_from(world: RoceWorld) -> None:
    """Responder resources of 0, as Linux' server says them: the Read fails here."""
    world.dut.settings = type(world.dut.settings)(most_reads=0)
    connection = world.connect()
    region = connection.register(8, Access.LOCAL_WRITE)
    target = world.accepted[0].register(8, Access.REMOTE_READ)

    work_id = connection.post_rdma_read(region, 0, 8, target.handle, target.offset)
    done = next(entry for entry in world.drain(connection) if entry.work_id == work_id)

    assert done.status is CompletionStatus.LOCAL_QP_OPERATION_ERROR
    opcodes = [packet.opcode for packet in sent(world)]
    assert BthOpcode.READ_REQUEST not in opcodes


def test_connection_that_was_lost_is_closed_without_harm(world: RoceWorld) -> None:
    """Both ends may be closed in any order and more than once."""
    connection = world.connect(ConnectionParameters(private_data=b"x"))
    world.accepted[0].close()
    world.drain(connection)
    connection.close()
    connection.close()
    world.accepted[0].close()

    assert not connection.connected


def sent(world: RoceWorld) -> list[Packet]:
    """The packets that the tester saw."""
    found = [from_frame(frame.octets) for frame in world.tester.trace.frames]
    return [packet_of(one) for one in found if one is not None]
