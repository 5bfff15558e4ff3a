"""RoCEv2 over a UDP socket of this host: no RDMA stack, no driver, no root.

    InfiniBand Architecture volume 1, annex A17 (RoCEv2): UDP port 4791, and what the ICRC covers

The ICRC covers the IP identification, which a socket cannot set.  Linux sends 0, as it must be
known beforehand, if "do not fragment" is set and the socket is not connected; so one socket without
a peer sends everything, with the path MTU discovery that never fragments (`IP_PMTUDISC_PROBE`).
Checked by a capture: tests/roce/link/test_udp.py says how to repeat that.

A socket does not show the identification of what it receives either; so whether an ICRC is right
cannot be known here, and `intact` is None.  Who hears only peers that send 0 can have it looked at.
"""

from __future__ import annotations

import errno
import select
import socket
from typing import Final

from rpcrdma.errors import DeviceUnavailable
from rpcrdma.roce.link.path_mtu import path_mtu_of
from rpcrdma.roce.link.real_link import RealLink
from rpcrdma.roce.link.route import find_route, parse_address, socket_address, version_of
from rpcrdma.roce.link.stations import frame_of
from rpcrdma.roce.packet.datagram import Datagram, is_sealed
from rpcrdma.roce.packet.udp import PORT

__all__ = ["UdpLink"]

_IP_MTU_DISCOVER: Final = 10  # linux/in.h; Python's socket module has none of these
_IPV6_MTU_DISCOVER: Final = 23  # linux/in6.h
_PMTUDISC_PROBE: Final = 3  # of both: "do not fragment" is set, the path's MTU is not looked at
_SO_SNDBUFFORCE: Final = 32  # asm-generic/socket.h: beyond the host's limit, for the privileged
_SO_RCVBUFFORCE: Final = 33

_BUFFER: Final = 4 * 1024 * 1024
"""Octets asked for in each direction; an ordinary user gets what net.core.rmem_max allows."""

_PATIENCE_MS: Final = 5
"""Milliseconds to wait for room in the socket's buffer."""

_MOST_OCTETS: Final = 4352
"""Of one datagram: the largest payload, all headers there are, and room to see what is longer."""

_SHORTEST: Final = 16
"""Octets of a BTH and an ICRC; whoever reads a datagram may rely on them."""

_MOST_AT_ONCE: Final = 512
"""Datagrams taken by one `receive`, so that a flood cannot keep its owner."""


class UdpLink(RealLink):
    """One socket at UDP port 4791 of one address of this host (see `base.Link`)."""

    def __init__(self, address: str, *, checks: bool = False) -> None:
        """Open the socket.

        Args:
            address: of an interface, no wildcard: each datagram's ICRC covers it.
            checks: look at ICRCs, and take every peer for one that sends the identification 0.

        Raises:
            DeviceUnavailable: no address, not one of this host, or its port is in use.
        """
        own, self._zone = parse_address(address)
        if own in ("0.0.0.0", "::"):  # noqa: S104 (refused)
            raise DeviceUnavailable(
                f"{address} is every address of this host; RoCE needs the one of an interface"
            )
        self._checks = checks
        self._socket = _open(f"{own}%{self._zone}" if self._zone else own)
        super().__init__(own, PORT, self._socket, self._socket.fileno())
        self._room = select.poll()
        self._room.register(self._socket.fileno(), select.POLLOUT)

    @property
    def name(self) -> str:
        """For reports."""
        return "roce udp"

    def local_address(self, remote: str) -> str:
        """The socket's address, if that leads to `remote`.

        Raises:
            DeviceUnavailable: it does not.
        """
        find_route(self._scoped(remote), self._scoped(self._address))
        return self._address

    def path_mtu(self, remote: str) -> int:
        """By the MTU of the route; 256 without one."""
        try:
            mtu = find_route(self._scoped(remote), self._scoped(self._address)).mtu
        except DeviceUnavailable:
            mtu = 0
        return path_mtu_of(mtu, version_of(self._address))

    def send(self, datagram: Datagram) -> None:
        """Hand the datagram to the host; what it does not take is lost."""
        self._require_sender(datagram)
        self._waiting.run_due()
        if self._hand_over(datagram):
            self.counts.sent += 1
            self._show_datagram(datagram)
        else:
            self.counts.unsent += 1

    def receive(self) -> list[Datagram]:
        """What the socket holds, oldest first; not more at once than a flood should bring."""
        self._waiting.run_due()
        taken: list[Datagram] = []
        receive, own = self._socket.recvfrom, self._address
        for _ in range(_MOST_AT_ONCE):
            try:
                payload, (source, port, *_zone) = receive(_MOST_OCTETS)
            except (BlockingIOError, InterruptedError):
                break
            except OSError as error:
                if error.errno == errno.EBADF:
                    break
                continue  # ICMP about what was sent; what came is still there
            if not _SHORTEST <= len(payload) < _MOST_OCTETS:
                self.counts.broken += 1
                continue
            datagram = Datagram(source, own, port, payload)
            if self._checks:
                datagram = Datagram(source, own, port, payload, is_sealed(datagram))
            taken.append(datagram)
            self._show_datagram(datagram)
        self.counts.received += len(taken)
        return taken

    def _hand_over(self, datagram: Datagram) -> bool:
        """Whether the host took the datagram."""
        try:
            to = self._to(datagram.destination)
            try:
                self._socket.sendto(datagram.payload, to)
            except BlockingIOError:
                # A burst has filled the buffer.  It drains in less time than a loss costs.
                self._room.poll(_PATIENCE_MS)
                self._socket.sendto(datagram.payload, to)
        except OSError:
            # Still no room; ENOBUFS; ECONNREFUSED: ICMP about an earlier one; EPERM: a firewall;
            # ENETUNREACH: the route is gone; EBADF: closed.  All of them: lost.
            return False
        return True

    def _scoped(self, address: str) -> str:
        """The address with the link's zone, if it needs one."""
        return f"{address}%{self._zone}" if self._zone and "%" not in address else address

    def _to(self, destination: str) -> tuple[str, int] | tuple[str, int, int, int]:
        if not self._zone:
            return destination, PORT
        return socket_address(f"{destination}%{self._zone}", PORT)

    def _show_datagram(self, datagram: Datagram) -> None:
        if self.tap is not None:  # a frame is not made for nobody
            self._show(frame_of(datagram))


def _open(address: str) -> socket.socket:
    """The socket at port 4791 of the address.

    Raises:
        DeviceUnavailable: with the reason.
    """
    wide = version_of(address) == 6
    opened = socket.socket(socket.AF_INET6 if wide else socket.AF_INET, socket.SOCK_DGRAM)
    try:
        if wide:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            opened.setsockopt(socket.IPPROTO_IPV6, _IPV6_MTU_DISCOVER, _PMTUDISC_PROBE)
        else:
            opened.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, _PMTUDISC_PROBE)
        _enlarge(opened, socket.SO_RCVBUF, _SO_RCVBUFFORCE)
        _enlarge(opened, socket.SO_SNDBUF, _SO_SNDBUFFORCE)
        opened.settimeout(0.0)
        opened.bind(socket_address(address, PORT))
    except OSError as error:
        opened.close()
        raise DeviceUnavailable(_why_not(error, address)) from error
    return opened


def _enlarge(opened: socket.socket, ordinary: int, privileged: int) -> None:
    """Ask for big buffers, as a burst of a whole Write chunk has to fit in."""
    try:
        opened.setsockopt(socket.SOL_SOCKET, privileged, _BUFFER)
    except PermissionError:
        opened.setsockopt(socket.SOL_SOCKET, ordinary, _BUFFER)


def _why_not(error: OSError, address: str) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return (
                f"UDP port {PORT} of {address} is in use: by another tester, or by the kernel's"
                " Soft-RoCE, which takes it for all addresses (`rdma link` lists its devices)"
            )
        case errno.EADDRNOTAVAIL:
            return f"{address} is no address of this host (`ip address` lists them)"
        case _:
            return f"no UDP socket at {address}, port {PORT}: {error}"
