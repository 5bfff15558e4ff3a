"""This machine's RDMA devices: whether there are any, and an address at which they are reached.

A RoCE device's table of identifiers (GIDs) holds the addresses of its network interface; those of
version 4 are written `::ffff:10.9.0.1`.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Final

from rpcrdma.errors import DeviceUnavailable

__all__ = ["device_address", "device_host", "has_rdma_device"]

_DEVICES: Final = Path("/sys/class/infiniband")


def has_rdma_device(devices: Path = _DEVICES) -> bool:
    """Whether the kernel knows of any."""
    return devices.is_dir() and any(devices.iterdir())


def device_address(devices: Path = _DEVICES) -> str:
    """The first IPv4 address of the first device that has one.

    Raises:
        DeviceUnavailable: no device has one.
    """
    for file in sorted(devices.glob("*/ports/*/gids/*")):
        try:
            identifier = ipaddress.IPv6Address(file.read_text(encoding="ascii").strip())
        except OSError:  # an entry of the table that is not in use cannot be read on some drivers
            continue
        if identifier.ipv4_mapped is not None:
            return str(identifier.ipv4_mapped)
    raise DeviceUnavailable(
        "no RDMA device of this machine has an IPv4 address: see `rdma link`, and give the device's"
        " network interface one; or drop --fabric verbs"
    )


def device_host(address: str) -> str:
    """Where a profile's address is over verbs: one of this host alone is for loopback.

    Raises:
        DeviceUnavailable: it is such a one, and no device has an address.
    """
    return device_address() if ipaddress.ip_address(address).is_loopback else address
