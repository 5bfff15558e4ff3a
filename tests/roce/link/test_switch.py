"""The switch: virtual time, determinism, bounds."""

from __future__ import annotations

import pytest

from rpcrdma.errors import FabricError
from rpcrdma.roce.link.switch import Switch
from rpcrdma.roce.packet.datagram import Datagram
from tests.roce.link.links import Pair, send_only, switch_pair, take


@pytest.fixture
def ends() -> Pair:
    return switch_pair()


def test_a_datagram_takes_the_latency() -> None:
    switch = Switch(latency=0.25)
    near, far = switch.link("10.9.0.2"), switch.link("10.9.0.1")
    near.send(send_only(near, "10.9.0.1"))
    far.sleep(5.0)

    assert far.clock.now() == 0.25
    assert len(far.receive()) == 1


def test_no_time_passes_without_a_sleep(ends: Pair) -> None:
    ends.near.send(ends.datagram())

    assert ends.far.receive() == []
    assert ends.near.clock.now() == 0.0


def test_an_empty_sleep_takes_a_tick(ends: Pair) -> None:
    """Whoever spins until a deadline gets there."""
    ends.near.sleep(ends.near.clock.now())

    assert 0.0 < ends.near.clock.now() < 1e-3


def test_what_is_sent_at_one_moment_arrives_together(ends: Pair) -> None:
    """A burst costs one event and one round of turns."""
    for psn in range(3):
        ends.near.send(ends.datagram(psn))
    ends.far.sleep(1.0)

    assert len(ends.far.receive()) == 3


def test_without_latency_nothing_is_lost_after_a_delivery() -> None:
    """Two bursts of one moment are two deliveries."""
    switch = Switch(latency=0.0)
    near, far = switch.link("10.9.0.2"), switch.link("10.9.0.1")
    near.send(send_only(near, "10.9.0.1"))
    far.at(0.0, lambda: near.send(send_only(near, "10.9.0.1")))

    assert len(take(far, 2)) == 2
    assert far.clock.now() == 0.0


def test_the_icrc_of_what_arrives_is_looked_at(ends: Pair) -> None:
    good = ends.datagram()
    bad = Datagram(good.source, good.destination, good.port, bytes([1]) + good.payload[1:])
    ends.near.send(good)
    ends.near.send(bad)

    assert [datagram.intact for datagram in take(ends.far, 2)] == [True, False]


def test_two_links_have_two_addresses() -> None:
    switch = Switch()
    switch.link("FD00::1")

    with pytest.raises(FabricError, match="address fd00::1 already"):
        switch.link("fd00:0::1")


def test_the_address_of_a_closed_link_is_free() -> None:
    switch = Switch()
    switch.link("10.9.0.2").close()
    switch.link("10.9.0.2")


def test_what_is_under_way_to_a_closed_link_is_lost(ends: Pair) -> None:
    ends.near.send(ends.datagram())
    ends.far.close()
    ends.near.sleep(1.0)

    assert ends.far.receive() == []


def test_a_datagram_to_an_address_that_nobody_has_is_counted(ends: Pair) -> None:
    ends.near.send(send_only(ends.near, "10.9.0.3"))

    assert ends.near.counts.unsent == 1


def test_a_flood_is_cut_off_and_counted(ends: Pair) -> None:
    """Whoever takes nothing keeps no more than it can."""
    datagram = ends.datagram()
    for _ in range(5000):
        ends.near.send(datagram)
    ends.near.sleep(1.0)

    assert len(ends.far.receive()) == 4096
    assert ends.far.counts.overflowed == 5000 - 4096


def test_three_links_are_apart() -> None:
    switch = Switch()
    one, two, three = (switch.link(f"10.9.0.{number}") for number in (1, 2, 3))
    one.send(send_only(one, "10.9.0.3"))
    one.sleep(1.0)

    assert (len(two.receive()), len(three.receive())) == (0, 1)


def test_the_path_mtu_is_the_switchs() -> None:
    assert Switch(path_mtu=1024).link("10.9.0.1").path_mtu("10.9.0.2") == 1024


def test_the_same_calls_give_the_same_run() -> None:
    def run() -> list[tuple[float, bytes]]:
        switch = Switch()
        near, far = switch.link("10.9.0.2"), switch.link("10.9.0.1")
        shown: list[tuple[float, bytes]] = []
        near.tap = lambda moment, frame: shown.append((moment, frame))

        def answer() -> None:
            for _ in far.receive():
                far.send(send_only(far, "10.9.0.2"))

        far.attach(far, answer)
        for psn in range(5):
            near.send(send_only(near, "10.9.0.1", psn))
            take(near)
        return shown

    assert run() == run()
    assert len(run()) == 10
