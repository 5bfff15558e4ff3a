"""Sorting what comes from a link: to the connection manager, to a queue pair, to nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from rpcrdma.roce.packet.bth import BthOpcode, Deth, Packet, encode
from rpcrdma.roce.packet.datagram import seal
from tests.roce.conftest import message_in, messages, packet_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.roce.packet.datagram import Datagram
    from tests.roce.conftest import RoceWorld

STRANGER = "192.0.2.77"


def give(world: RoceWorld, packet: Packet, source: str = "", flaw: str = "") -> None:
    """Have a packet come to the tester, from the device unless another source is named."""
    link = world.network.switch.link(STRANGER) if source else world.dut.device.link
    origin = source or world.network.host("dut")
    datagram = seal(origin, world.network.host("tester"), link.port, encode(packet))
    if flaw == "ICRC":
        datagram = msgspec.structs.replace(datagram, payload=datagram.payload[:-1] + b"?")
    elif flaw == "header":
        datagram = seal(origin, datagram.destination, link.port, b"\xff" + encode(packet)[1:])
    link.send(datagram)
    world.tester.device.wait(lambda: False, 0.001)


def test_whoever_is_not_the_peer_is_not_heard(world: RoceWorld) -> None:
    """A Send that names the right queue pair and comes from another host is dropped."""
    connection = world.connect()
    packet = Packet(BthOpcode.SEND_ONLY, connection.pair.number, 0, b"evil")

    give(world, packet, source=STRANGER)

    assert connection.poll(0.01) == []
    assert world.tester.device.dropped == {"nobody's": 1}


@pytest.mark.parametrize("flaw", ["ICRC", "header"])
def test_broken_datagrams_are_dropped(world: RoceWorld, flaw: str) -> None:
    """And counted by what is wrong with them."""
    connection = world.connect()

    give(world, Packet(BthOpcode.SEND_ONLY, connection.pair.number, 0, b"x"), flaw=flaw)

    assert connection.poll(0.01) == []
    assert world.tester.device.dropped == {flaw: 1}


def test_message_with_another_key_is_not_for_the_connection_manager(world: RoceWorld) -> None:
    """Only the key of general services opens queue pair 1."""
    packet = Packet(BthOpcode.UD_SEND_ONLY, 1, 0, bytes(256), deth=Deth(0x1234, 1))

    give(world, packet)

    assert world.tester.device.dropped == {"Q_Key": 1}


def test_packet_for_a_queue_pair_that_is_gone_is_dropped(world: RoceWorld) -> None:
    """Nothing is answered, and nothing is raised."""
    connection = world.connect()
    number = connection.pair.number
    connection.close()
    world.tester.device.wait(lambda: False, 0.01)

    give(world, Packet(BthOpcode.SEND_ONLY, number, 0, b"x"))

    assert world.tester.device.dropped["nobody's"] == 1


def test_second_of_two_replies_that_come_together_gets_an_answer(
    make_world: Callable[..., RoceWorld],
) -> None:
    """Not the wish for more time: if the answer to the first got lost, the peer would wait long."""

    def twice(side: str, datagram: Datagram) -> list[Datagram]:
        return [datagram] * (2 if message_in(datagram) == "ConnectReply" else 1)

    world = make_world(twice)
    world.connect()
    world.tester.device.wait(lambda: False, 0.001)

    said = messages(world.tester.trace.frames)
    assert sorted(said) == ["ConnectReply"] * 2 + ["ConnectRequest"] + ["ReadyToUse"] * 2


def test_timers_run_while_others_sleep(make_world: Callable[..., RoceWorld]) -> None:
    """The device's lost Send is sent again although the tester alone lets time pass."""
    lost = [1]

    def spoil(side: str, datagram: Datagram) -> list[Datagram]:
        if side == "dut" and packet_of(datagram).opcode == BthOpcode.SEND_ONLY and lost[0]:
            lost[0] -= 1
            return []
        return [datagram]

    world = make_world(spoil)
    connection = world.connect()
    world.accepted[0].post_send(b"again")

    assert [done.data for done in connection.poll(10.0)] == [b"again"]
    assert connection.clock.now() < 1.0


def test_owner_asleep_learns_of_what_another_thread_took(
    world: RoceWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its link has nothing to wake it any more; what did not come does not wake it either."""
    tester, dut = world.tester.device.link, world.dut.device.link
    tester.detach(world.tester)  # on a switch, its turn would come before the other thread's
    woken: list[bool] = []
    monkeypatch.setattr(tester, "wake", lambda: woken.append(True))

    world.tester.device.progress_for_owner()
    assert not woken

    host = world.network.host("tester")
    packet = Packet(BthOpcode.SEND_ONLY, 0xABC, 0, b"x")
    dut.send(seal(world.network.host("dut"), host, dut.port, encode(packet)))
    dut.sleep(dut.clock.now() + 0.01)
    world.tester.device.progress_for_owner()

    assert woken == [True]
    assert world.tester.device.dropped == {"nobody's": 1}


def test_device_is_disconnecting_until_the_peer_has_confirmed(world: RoceWorld) -> None:
    """Whoever closes a real link waits for that, so that the peer is not left behind."""
    connection = world.connect()
    device = world.tester.device
    assert not device.is_disconnecting

    connection.disconnect()
    assert device.is_disconnecting

    device.wait(lambda: not device.is_disconnecting, 1.0)
    assert not device.is_disconnecting
    assert not world.accepted[0].connected
