"""Pairs of links of each kind, and datagrams to send over them."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rpcrdma.errors import DeviceUnavailable
from rpcrdma.roce.link.base import LinkCounts
from rpcrdma.roce.link.faulty_link import FaultyLink
from rpcrdma.roce.link.netdev import NetdevLink
from rpcrdma.roce.link.switch import Switch
from rpcrdma.roce.link.udp import UdpLink
from rpcrdma.roce.link.wrapped_link import WrappedLink
from rpcrdma.roce.packet.bth import BthOpcode, Packet, encode
from rpcrdma.roce.packet.datagram import Datagram, seal

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.roce.link.base import Link

DEADLINE = 30.0 * float(os.environ.get("RPCRDMA_TIMEOUT_FACTOR", "1"))
"""Seconds, by the link's clock, in which a datagram must have come."""

QUEUE_PAIR = 17
"""That all packets go to."""

_MOST_TRIES = 50
_SLICE = 0.001  # seconds that one end sleeps while the other one has to do something, too
_numbers = itertools.count()


@dataclass(frozen=True)
class Pair:
    """Two links that reach one another, and their addresses."""

    near: Link
    far: Link
    here: str
    there: str
    folder: Path | None = None

    def close(self) -> None:
        self.near.close()
        self.far.close()
        if self.folder is not None:
            shutil.rmtree(self.folder)

    def datagram(self, psn: int = 1, payload: bytes = b"octets") -> Datagram:
        """One from `near` to `far`."""
        return send_only(self.near, self.there, psn, payload)


def send_only(link: Link, remote: str, psn: int = 1, payload: bytes = b"octets") -> Datagram:
    """A Send Only packet from the link."""
    packet = Packet(BthOpcode.SEND_ONLY, QUEUE_PAIR, psn, payload)
    return seal(link.local_address(remote), remote, link.port, encode(packet))


def take(link: Link, count: int = 1, sender: Link | None = None) -> list[Datagram]:
    """What comes at the link, until it is `count` datagrams; `sender` may have some to send yet."""
    came: list[Datagram] = []
    until = link.clock.now() + DEADLINE
    while len(came) < count and link.clock.now() < until:
        if sender is not None:
            sender.sleep(sender.clock.now())
        link.sleep(until if sender is None else link.clock.now() + _SLICE)
        came += link.receive()
    return came


def free_udp_link() -> tuple[UdpLink, str]:
    """A UDP link and its address, of the loopback interface, which nobody else uses now."""
    for _ in range(_MOST_TRIES):
        number = next(_numbers)
        low, high = os.getpid() % 250, os.getpid() // 250 % 250
        address = f"127.{1 + high}.{1 + low}.{1 + number % 250}"
        try:
            return UdpLink(address), address
        except DeviceUnavailable:
            continue
    raise AssertionError("no address is free")


def switch_pair() -> Pair:
    """Two ends of a switch."""
    switch = Switch()
    here, there = "10.9.0.2", "10.9.0.1"
    return Pair(switch.link(here), switch.link(there), here, there)


def udp_pair() -> Pair:
    """Two sockets of this host."""
    (near, here), (far, there) = free_udp_link(), free_udp_link()
    return Pair(near, far, here, there)


def netdev_pair() -> Pair:
    """Two ends that each take the other for a QEMU."""
    folder = Path(tempfile.mkdtemp(prefix="rq", dir="/tmp"))  # pytest's own are too long for a path
    here, there = "10.9.0.2", "10.9.0.1"
    near = NetdevLink(folder / "near", folder / "far", here)
    far = NetdevLink(folder / "far", folder / "near", there)
    near.send(send_only(near, there))
    for link in (far, near, far):  # a question, its answer, and the datagram that has waited
        link.receive()
    near.counts, far.counts = LinkCounts(), LinkCounts()
    return Pair(near, far, here, there, folder)


def faulty_pair(make: Callable[[], Pair]) -> Pair:
    """Two ends of another kind, with links before them that could have faults and have none."""
    made = make()
    return Pair(FaultyLink(made.near), FaultyLink(made.far), made.here, made.there, made.folder)


def wrapped_pair() -> Pair:
    """Two ends of a switch, with links before them that do nothing of their own."""
    made = switch_pair()
    return Pair(WrappedLink(made.near), WrappedLink(made.far), made.here, made.there)
