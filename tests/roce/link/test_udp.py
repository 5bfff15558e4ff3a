"""The UDP socket: port 4791 of addresses of this host, as an ordinary user.

That the identification is 0 and "do not fragment" is set cannot be seen without root.  It was seen
with `tshark -i lo -f 'udp port 4791' -T fields -e ip.id -e ip.flags.df` (0x0000 and 1), and by a
socket of AF_PACKET, whose frames went through `from_frame`: `intact` was True for payloads of 0, 1,
3 and 4096 octets over IPv4 and IPv6, sent by root and by an ordinary user, on `lo` and between two
network namespaces.  Connected, or without the option, the identification was another number.  What
a test can see is what this depends on.
"""

from __future__ import annotations

import errno
import socket
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import DeviceUnavailable
from rpcrdma.fabric.clock import RealClock
from rpcrdma.roce.link.udp import UdpLink
from rpcrdma.roce.packet.datagram import Datagram, seal
from tests.roce.link.links import DEADLINE, Pair, free_udp_link, take

if TYPE_CHECKING:
    from collections.abc import Iterator

PROBE = 3
IP_MTU_DISCOVER = 10
IPV6_MTU_DISCOVER = 23


@pytest.fixture
def link() -> Iterator[UdpLink]:
    made, _ = free_udp_link()
    yield made
    made.close()


def test_the_socket_has_what_makes_the_identification_zero(link: UdpLink) -> None:
    """Neither connected, nor allowed to fragment."""
    assert link._socket.getsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER) == PROBE
    with pytest.raises(OSError, match="not connected") as caught:
        link._socket.getpeername()
    assert caught.value.errno == errno.ENOTCONN


def test_a_port_in_use_is_one_sentence() -> None:
    first, address = free_udp_link()
    with pytest.raises(
        DeviceUnavailable, match=f"^UDP port 4791 of {address} is in use: by another"
    ):
        UdpLink(address)
    first.close()


def test_the_port_of_a_closed_link_is_free() -> None:
    first, address = free_udp_link()
    first.close()
    UdpLink(address).close()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("192.0.2.77", "192.0.2.77 is no address of this host"),
        ("0.0.0.0", "0.0.0.0 is every address of this host"),
        ("::", ":: is every address of this host"),
        ("server", "'server' is no IP address"),
    ],
)
def test_an_address_that_cannot_be_is_one_sentence(address: str, why: str) -> None:
    with pytest.raises(DeviceUnavailable) as caught:
        UdpLink(address)

    assert str(caught.value).startswith(why)


def test_the_path_mtu_of_the_loopback_interface_is_the_largest(wired: Pair) -> None:
    assert wired.near.path_mtu(wired.there) == 4096


def test_the_path_mtu_to_nowhere_is_the_smallest(wired: Pair) -> None:
    assert wired.near.path_mtu("fd00::1") == 256


def test_whether_the_icrc_is_right_is_unknown(wired: Pair) -> None:
    wired.near.send(wired.datagram())

    assert take(wired.far)[0].intact is None


def test_icrcs_are_looked_at_where_that_is_wanted() -> None:
    """Every peer is taken for one that sends the identification 0."""
    sender, here = free_udp_link()
    other, far = free_udp_link()
    other.close()
    receiver = UdpLink(far, checks=True)
    good = seal(here, far, sender.port, bytes(20))
    damaged = Datagram(here, far, sender.port, b"\1" + good.payload[1:])

    for datagram in (good, damaged):
        sender.send(datagram)

    assert [datagram.intact for datagram in take(receiver, 2)] == [True, False]
    sender.close()
    receiver.close()


@given(st.lists(st.binary(max_size=64), max_size=5))
def test_no_datagram_raises(octets: list[bytes]) -> None:
    """What a link hands on is long enough to have a BTH and an ICRC."""
    link, address = free_udp_link()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for each in octets:
            stranger.sendto(each, (address, 4791))
    taken = link.receive()
    link.close()

    assert [each.payload for each in taken] == [each for each in octets if len(each) >= 16]


class Refusing:
    """A socket of a host that takes nothing."""

    def __init__(self, number: int) -> None:
        self.number = number

    def sendto(self, payload: bytes, to: object) -> None:
        raise OSError(self.number, "refused")

    def recvfrom(self, size: int) -> None:
        raise OSError(self.number, "refused")

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    "number",
    [
        errno.ENOBUFS,
        errno.EAGAIN,
        errno.ECONNREFUSED,
        errno.EPERM,
        errno.ENETUNREACH,
        errno.EHOSTUNREACH,
        errno.EMSGSIZE,
    ],
)
def test_what_the_host_does_not_take_is_lost(wired: Pair, number: int) -> None:
    assert isinstance(wired.near, UdpLink)
    opened, wired.near._socket = wired.near._socket, Refusing(number)  # type: ignore[assignment]
    wired.near.send(wired.datagram())

    assert wired.near.receive() == []
    assert (wired.near.counts.sent, wired.near.counts.unsent) == (0, 1)
    opened.close()


class FullOnce:
    """A socket whose buffer has no room at first."""

    def __init__(self, opened: socket.socket) -> None:
        self.opened = opened
        self.tries = 0

    def sendto(self, payload: bytes, to: tuple[str, int]) -> None:
        self.tries += 1
        if self.tries == 1:
            raise BlockingIOError
        self.opened.sendto(payload, to)

    def close(self) -> None:
        self.opened.close()


def test_a_full_buffer_is_waited_for_once(wired: Pair) -> None:
    """A loss would cost more time: the peer must find out first."""
    assert isinstance(wired.near, UdpLink)
    full = FullOnce(wired.near._socket)
    wired.near._socket = full  # type: ignore[assignment]
    wired.near.send(wired.datagram())

    assert len(take(wired.far)) == 1
    assert full.tries == 2


def test_a_datagram_that_the_other_side_refuses_raises_nothing(wired: Pair) -> None:
    """ICMP says so afterwards, to whoever asks next."""
    wired.far.close()
    for _ in range(3):
        wired.near.send(wired.datagram())

    assert wired.near.receive() == []


@pytest.mark.parametrize("octets", [0, 1, 15, 4352, 9000])
def test_a_datagram_too_short_or_too_long_is_dropped(wired: Pair, octets: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(bytes(octets), (wired.there, 4791))
    wired.near.send(wired.datagram())

    assert len(take(wired.far)) == 1
    assert wired.far.counts.broken == 1


def test_a_stranger_has_its_own_address_and_port(wired: Pair) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind((wired.here, 0))
        stranger.sendto(bytes(16), (wired.there, 4791))
        port = stranger.getsockname()[1]

        assert take(wired.far) == [Datagram(wired.here, wired.there, port, bytes(16))]


def test_a_flood_is_taken_in_pieces(wired: Pair) -> None:
    """One call does not go on for ever, however much comes."""
    for _ in range(600):
        wired.near.send(wired.datagram(payload=b""))

    assert len(wired.far.receive()) <= 512


def test_another_thread_wakes_a_sleeper(wired: Pair) -> None:
    until = wired.far.clock.now() + DEADLINE
    thread = threading.Thread(target=wired.far.wake)
    thread.start()
    wired.far.sleep(until)
    thread.join()

    assert wired.far.clock.now() < until


@pytest.fixture
def wide() -> Iterator[UdpLink]:
    """The one IPv6 address that a host has by itself; another run may hold its port for a while."""
    if not has_ipv6():
        pytest.skip("this host has no IPv6")
    made = None
    until = RealClock.now() + DEADLINE
    while made is None:
        try:
            made = UdpLink("::1")
        except DeviceUnavailable:
            assert RealClock.now() < until
    yield made
    made.close()


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def test_a_link_over_ipv6_speaks_to_itself(wide: UdpLink) -> None:
    sent = seal("::1", "::1", wide.port, bytes(12))
    wide.send(sent)

    assert take(wide) == [sent]
    assert wide.local_address("::1") == "::1"
    assert wide.path_mtu("::1") == 4096
    assert wide._socket.getsockopt(socket.IPPROTO_IPV6, IPV6_MTU_DISCOVER) == PROBE
