"""The fabrics by name, and the addresses that two ends on this host take on each.

| name | what it is |
|---|---|
| `loopback` | messages in this process, in virtual time |
| `switch` | RoCEv2 packets in this process, in virtual time |
| `roce` | RoCEv2 packets over UDP, spoken by the suite itself; needs no RDMA device |
| `verbs` | this host's RDMA devices, by pyverbs |

Two ends of `roce` on one host need an address each, since UDP port 4791 is the same everywhere:
they take two of 127.0.0.0/8.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DeviceUnavailable
from targets.device_address import device_host, has_rdma_device
from targets.python_path import make_pyverbs_importable

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Fabric
    from rpcrdma.roce.fabric import RoceFabric
    from targets.profile import Profile

__all__ = [
    "BETWEEN",
    "FABRICS",
    "IN_PROCESS",
    "OUTSIDE_OF_THE_GUEST",
    "chosen_fabric",
    "fabric_towards",
    "open_fabric",
    "open_hosts",
    "usual_fabric",
]

OUTSIDE_OF_THE_GUEST: Final = (
    "profile `{}` claims Kerberos, for which the tester must be outside of the lab's guest;"
    " drop --fabric"
)
"""What to say of it elsewhere, where nobody makes a realm."""

IN_PROCESS: Final = ("loopback", "switch")
"""Both ends are in one process."""

BETWEEN: Final = ("roce", "verbs")
"""Each end is a process of its own."""

FABRICS: Final = (*IN_PROCESS, *BETWEEN)

_PAIRS: Final = 100
"""Pairs of local addresses that are tried: so many runs at one time find one."""


def open_fabric(name: str, host: str, *, checks: bool = False) -> Fabric:
    """The fabric `roce` or `verbs` of a process whose own address is `host`.

    Args:
        name: of the fabric.
        host: own address.
        checks: over `roce`, look at the ICRCs of what comes (see `UdpLink`).

    Raises:
        DeviceUnavailable: it cannot be opened there.
    """
    if name == "roce":
        return _over_udp(host, checks=checks)
    # Only here is pyverbs needed, which a machine without RDMA does not have.
    make_pyverbs_importable()
    from rpcrdma.fabric.verbs import VerbsFabric

    return VerbsFabric(host or None)


def usual_fabric() -> str:
    """What a device elsewhere is reached over: `verbs` where this host has an RDMA device."""
    return "verbs" if has_rdma_device() else "roce"


def chosen_fabric(asked: str, profile: Profile, usual: str | None = None) -> str:
    """What a profile's device elsewhere is reached over.

    Args:
        asked: by whoever runs the suite; empty: the profile's.
        profile: of the device; it may leave the choice to this host.
        usual: this host's choice; found out if None.
    """
    return asked or profile.fabric or usual or usual_fabric()


def fabric_towards(name: str, host: str) -> Fabric:
    """The fabric `roce` or `verbs` of a tester that wants to reach `host`.

    Raises:
        DeviceUnavailable: there is no way to it, or no device.
    """
    if name == "verbs":
        return open_fabric(name, "")
    # Imported only where it is used: a guest without KVM takes long for every module.
    from rpcrdma.roce.link.route import find_route

    source = find_route(host).source
    if ipaddress.ip_address(source).is_loopback:  # others of this host may be there already
        return _on_this_host()[0]
    return open_fabric(name, source)


def open_hosts(name: str, host: str) -> tuple[Fabric, str, str]:
    """The tester's fabric `roce` or `verbs`, its address, and that of a device on this host.

    Args:
        name: of the fabric.
        host: the profile's address; one of this host alone leaves the choice to us.

    Raises:
        DeviceUnavailable: it cannot be opened there.
    """
    if name == "verbs":
        address = device_host(host)
        return open_fabric(name, address), address, address
    if not ipaddress.ip_address(host).is_loopback:
        raise DeviceUnavailable(
            f"over roce, both ends of the reference are on this host: {host} is not one of its"
            " loopback addresses (127.0.0.1); mend `address` in the profile"
        )
    fabric, number = _on_this_host()
    return fabric, f"127.0.{number}.1", f"127.0.{number}.2"


def _on_this_host() -> tuple[RoceFabric, int]:
    """A fabric at 127.0.N.1 with the first N that nobody has, and the N.

    Raises:
        DeviceUnavailable: all are in use.
    """
    for number in range(_PAIRS):
        try:
            return _over_udp(f"127.0.{number}.1"), number
        except DeviceUnavailable as error:
            failure = error
    raise failure


def _over_udp(host: str, *, checks: bool = False) -> RoceFabric:
    # Imported only where it is used: a guest without KVM takes long for every module.
    from rpcrdma.roce.fabric import RoceFabric
    from rpcrdma.roce.link.udp import UdpLink

    return RoceFabric(UdpLink(host, checks=checks))
