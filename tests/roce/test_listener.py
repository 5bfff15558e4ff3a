"""Peers that wait, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import ConnectionRejected, DeadlineExceeded, FabricError
from rpcrdma.fabric.base import Address, ConnectionParameters
from tests.roce.conftest import FOUR, message_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.roce.listener import RoceRequest
    from rpcrdma.roce.packet.datagram import Datagram
    from tests.roce.conftest import RoceWorld


def test_peers_that_wait_are_refused_when_the_listener_closes(world: RoceWorld) -> None:
    """They learn it at once."""
    listener = world.dut.listen(Address(world.address.host, 0))
    clock = world.tester.clock

    def step() -> None:
        if clock.now() > 0.05:
            listener.close()

    world.dut.attach(step)
    world.network.wake_at(0.06)
    with pytest.raises(ConnectionRejected):
        world.tester.connect(listener.address, ConnectionParameters(), 5.0)

    assert clock.now() < 1.0
    assert listener.accept(0) is None


def test_request_is_answered_once(world: RoceWorld) -> None:
    """Accepting or refusing what was answered is an error of the caller's."""
    listener = world.dut.listen(Address(world.address.host, 0))
    kept: list[RoceRequest] = []

    def step() -> None:
        if (request := listener.accept(0)) is not None:
            kept.append(request)
            request.reject(b"no")

    world.dut.attach(step)
    with pytest.raises(ConnectionRejected):
        world.tester.connect(listener.address, FOUR, 1.0)

    with pytest.raises(FabricError, match="answered already"):
        kept[0].accept(FOUR, 1.0)


def test_peer_that_does_not_finish_is_given_up(make_world: Callable[..., RoceWorld]) -> None:
    """Neither its ready to use nor a packet comes."""

    def spoil(side: str, datagram: Datagram) -> list[Datagram]:
        return [datagram] if side == "dut" or message_in(datagram) == "ConnectRequest" else []

    world = make_world(spoil)
    listener = world.dut.listen(Address(world.address.host, 0))
    failures: list[Exception] = []

    def step() -> None:
        if (request := listener.accept(0)) is not None:
            try:
                request.accept(FOUR, 0.5)
            except DeadlineExceeded as error:
                failures.append(error)

    world.dut.attach(step)
    world.tester.connect(listener.address, FOUR, 5.0)
    world.tester.device.wait(lambda: bool(failures), 5.0)

    assert "did not finish connecting within 0.5 s" in str(failures[0])


def test_peers_that_have_given_up_wait_no_longer(world: RoceWorld) -> None:
    """However many come and go while nobody accepts, the queue does not grow."""
    listener = world.dut.listen(Address(world.address.host, 0))
    for _ in range(3):
        with pytest.raises(DeadlineExceeded):
            world.tester.connect(listener.address, FOUR, 0.01)
        world.dut.device.wait(lambda: False, 0.01)

    assert len(listener._waiting) <= 1
    assert listener.accept(0) is None
