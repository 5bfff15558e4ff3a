"""What the host's routes say about the way to an address: own address there, and the MTU.

A UDP socket that is connected and sends nothing knows both (ip(7), `IP_MTU`).
"""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass
from typing import Final

from rpcrdma.errors import DeviceUnavailable, FabricError
from rpcrdma.roce.packet.internet import address_octets, address_text
from rpcrdma.roce.packet.udp import PORT

__all__ = [
    "Route",
    "check_same_version",
    "find_route",
    "parse_address",
    "socket_address",
    "version_of",
]

_IP_MTU: Final = 14  # linux/in.h; Python's socket module does not have it
_IPV6_MTU: Final = 24  # linux/in6.h

_WHY: Final = {
    errno.ENETUNREACH: "this host has no route there",
    errno.EHOSTUNREACH: "this host has no route there",
    errno.EINVAL: "that address of this host does not lead there",
    errno.EADDRNOTAVAIL: "that is no address of this host",
    errno.EACCES: "the route is a broadcast or forbidden",
    errno.ENODEV: "the interface behind the % is not there",
}


@dataclass(frozen=True, slots=True)
class Route:
    """The way to an address: own address there, and the MTU in octets of IP."""

    source: str
    mtu: int


def parse_address(text: str) -> tuple[str, str]:
    """The canonical text of an address and its zone: `fe80::1%eth0` has the zone `eth0`.

    Raises:
        DeviceUnavailable: it is no IP address.
    """
    bare, _, zone = text.partition("%")
    try:
        return address_text(address_octets(bare)), zone
    except FabricError as error:
        raise DeviceUnavailable(
            f"{text!r} is no IP address; RoCE needs one, names are not looked up here"
        ) from error


def version_of(address: str) -> int:
    """4 or 6."""
    return 6 if ":" in address else 4


def check_same_version(own: str, remote: str) -> None:
    """See that both addresses are of one version of IP.

    Raises:
        DeviceUnavailable: they are not, or `remote` is no address.
    """
    other, _ = parse_address(remote)
    if version_of(own) != version_of(other):
        raise DeviceUnavailable(f"no way from {own} to {other}: one is of IPv4, the other of IPv6")


def find_route(remote: str, source: str | None = None) -> Route:
    """The way to `remote`, from `source` if that is given.

    Raises:
        DeviceUnavailable: there is none, or one of both is no address.
    """
    canonical, zone = parse_address(remote)
    wide = version_of(canonical) == 6
    family = socket.AF_INET6 if wide else socket.AF_INET
    if source is not None:
        check_same_version(source.partition("%")[0], canonical)
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            if source is not None:
                probe.bind(socket_address(source, 0))
            probe.connect(socket_address(f"{canonical}%{zone}" if zone else canonical, PORT))
            level, option = (
                (socket.IPPROTO_IPV6, _IPV6_MTU) if wide else (socket.IPPROTO_IP, _IP_MTU)
            )
            return Route(probe.getsockname()[0].partition("%")[0], probe.getsockopt(level, option))
    except OSError as error:
        why = _WHY.get(error.errno or 0) or str(error)
        origin = f" from {source}" if source else ""
        raise DeviceUnavailable(f"no way to {remote}{origin}: {why}") from error


def socket_address(address: str, port: int) -> tuple[str, int] | tuple[str, int, int, int]:
    """What the socket module names an address, maybe with a zone, and a port by.

    Raises:
        OSError: there is no such zone.
    """
    bare, _, zone = address.partition("%")
    if version_of(bare) == 4:
        return bare, port
    return bare, port, 0, socket.if_nametoindex(zone) if zone else 0
