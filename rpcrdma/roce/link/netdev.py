"""RoCEv2 to the guest of a QEMU, by frames: no driver, no root, no network of the host.

    -netdev dgram,id=net1,local.type=unix,local.path=QEMU,remote.type=unix,remote.path=OURS
    -device virtio-net-pci,netdev=net1,host_mtu=4200

Everything above Ethernet is made here: ARP, IPv4, UDP.  So, other than a UDP socket, the link sees
whether an ICRC is right.  In the guest, the device's MTU must be set (`ip link set mtu 4200`):
Soft-RoCE needs that for a path MTU of 4096.

    InfiniBand Architecture volume 1, annex A17 (RoCEv2); RFC 826 (ARP)

Only IPv4: neighbour discovery of IPv6 is not spoken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.errors import BadFrame, DeviceUnavailable
from rpcrdma.roce.link.base import DYNAMIC_PORT
from rpcrdma.roce.link.frame_socket import FrameSocket
from rpcrdma.roce.link.neighbours import Neighbours
from rpcrdma.roce.link.path_mtu import path_mtu_of
from rpcrdma.roce.link.real_link import RealLink
from rpcrdma.roce.link.route import check_same_version, parse_address, version_of
from rpcrdma.roce.link.stations import station_of
from rpcrdma.roce.packet.arp import arp_from_frame
from rpcrdma.roce.packet.datagram import from_frame
from rpcrdma.roce.packet.ethernet import BROADCAST, ETHERTYPE_ARP

if TYPE_CHECKING:
    from pathlib import Path

    from rpcrdma.roce.packet.datagram import Datagram

__all__ = ["NetdevLink"]

DEFAULT_MTU: Final = 4200
"""Octets of IP: what a path MTU of 4096 needs, and QEMU is told as `host_mtu`."""

_STATION_OCTETS: Final = 6
_ETHERTYPE: Final = slice(12, 14)  # of the frames made here, which have no tag
_ARP: Final = ETHERTYPE_ARP.to_bytes(2, "big")


class NetdevLink(RealLink):
    """The other end of a QEMU's network device (see `base.Link`).

    Args:
        own: path of our socket, QEMU's `remote.path`; peer: that of QEMU's, its `local.path`.
        address: our IPv4 address, in the guest's network: 10.9.0.2, say, where it is 10.9.0.1.
        station: ours, six octets; made from the address if not given.
        mtu: of the guest's device, in octets of IP.

    Raises:
        DeviceUnavailable: no such address, or no socket at `own`.
    """

    def __init__(
        self,
        own: Path,
        peer: Path,
        address: str,
        station: bytes | None = None,
        mtu: int = DEFAULT_MTU,
    ) -> None:
        canonical, _ = parse_address(address)
        if version_of(canonical) != 4:
            raise DeviceUnavailable(f"{address}: QEMU's network is spoken to by IPv4 alone")
        self._station = station_of(canonical) if station is None else station
        self._mtu = mtu
        self._neighbours = Neighbours(self._station, canonical)
        self._frames = FrameSocket(own, peer)
        super().__init__(canonical, DYNAMIC_PORT, self._frames, self._frames.incoming)
        self._watches_room = False
        self._unsent = 0
        self._reminded: float | None = None
        self._settle()

    @property
    def name(self) -> str:
        """For reports."""
        return "roce qemu"

    def local_address(self, remote: str) -> str:
        """The link's only address.

        Raises:
            DeviceUnavailable: `remote` is no address, or one of IPv6.
        """
        check_same_version(self._address, remote)
        return self._address

    def path_mtu(self, remote: str) -> int:
        """By the MTU of the guest's device."""
        return path_mtu_of(self._mtu, version_of(self._address))

    def send(self, datagram: Datagram) -> None:
        """Send, or have the datagram wait until its station is known."""
        self._require_sender(datagram)
        if self._closed or version_of(datagram.destination) != 4:
            self._unsent += 1
            self._count()
            return
        self._waiting.run_due()
        frame = self._neighbours.send(datagram, self._clock.now())
        if frame is not None:
            self._hand_over(frame)
        self._settle()

    def receive(self) -> list[Datagram]:
        """The datagrams in the frames that have come for our station, address and port."""
        self._waiting.run_due()
        if self._closed:
            return []
        taken = [
            datagram
            for frame in self._frames.receive()
            if (datagram := self._sort(frame)) is not None
        ]
        self.counts.received += len(taken)
        self._settle()
        return taken

    def sleep(self, until: float) -> None:
        """Wait for a frame, for `wake`, or until `until`; in slices while others need turns."""
        super().sleep(until)
        if self._frames.has_backlog:
            self._settle()

    def _sort(self, frame: bytes) -> Datagram | None:
        """The datagram of a frame that has one for us; ARP is taken in."""
        destination = frame[:_STATION_OCTETS]
        if destination not in (self._station, BROADCAST):
            self.counts.foreign += 1
            return None
        try:
            datagram = from_frame(frame)
            heard = None if datagram is not None else arp_from_frame(frame)
        except BadFrame:
            self._show(frame)
            self.counts.broken += 1
            return None
        if heard is not None:
            self._show(frame)
            self._neighbours.hear(heard)
            return None
        if datagram is None or datagram.destination != self._address or destination == BROADCAST:
            self.counts.foreign += 1
            return None
        self._show(frame)
        return datagram

    def _hand_over(self, frame: bytes) -> None:
        is_datagram = frame[_ETHERTYPE] != _ARP
        if self._frames.send(frame):
            self.counts.sent += is_datagram
            self._show(frame)
        else:
            self._unsent += is_datagram

    def _count(self) -> None:
        self.counts.unsent = self._unsent + self._frames.lost + self._neighbours.given_up

    def _settle(self) -> None:
        """Send what ARP has to say, count what got lost, and be woken for what is left."""
        for frame in self._neighbours.take_frames():
            self._hand_over(frame)
        self._frames.flush()
        if self._frames.has_backlog != self._watches_room:
            self._watches_room = not self._watches_room
            if self._watches_room:
                self._waiting.watch(self._frames.outgoing, writing=True)
            else:
                self._waiting.forget(self._frames.outgoing)
        self._count()
        self._remind()

    def _remind(self) -> None:
        """Plan the next question for a station."""
        deadline = self._neighbours.deadline()
        if deadline is not None and self._reminded != deadline:
            self._reminded = deadline
            self._waiting.at(deadline, self._ask_again)

    def _ask_again(self) -> None:
        self._reminded = None
        self._neighbours.tick(self._clock.now())
        self._settle()
