"""The guest's network: one interface that leads nowhere, with a Soft-RoCE device on it.

A Soft-RoCE device talks to itself over any interface that is up; Linux's dummy driver provides one
that needs nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.step import run_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from targets.lab.setup import Network

__all__ = ["add_device", "load_modules", "set_up_interface"]

_INTERFACES: Final = Path("/sys/class/net")
_OTHER_KERNEL: Final = "boot a kernel that has it (--kernel); `rpcrdma lab doctor` looks for it"


def load_modules(names: Sequence[str]) -> None:
    """Load kernel modules; those that are built in count as loaded."""
    run_step("loading kernel modules", ["modprobe", "--all", *names], _OTHER_KERNEL)


def set_up_interface(network: Network, interfaces: Path = _INTERFACES) -> None:
    """Make the interface, with its address, and bring it and the loopback interface up.

    The dummy driver makes a dummy0 by itself when it is loaded, unless systemd's modprobe.d file
    says otherwise; that one is taken then.  `numdummies=0` would not do everywhere: a driver that
    is built into the kernel has made its interface before anything runs.

    Args:
        network: the interface's name, address and MTU.
        interfaces: where the kernel lists those that there are.
    """
    there = (interfaces / network.interface).exists()
    link = f"{network.interface} mtu {network.mtu}"
    lines = (
        "link set lo up",
        f"link set {link}" if there else f"link add {link} type dummy",
        f"address add {network.address}/{network.prefix} dev {network.interface}",
        f"link set {network.interface} up",
        "",
    )
    run_step("setting up the network", ["ip", "-batch", "-"], "install iproute2", "\n".join(lines))


def add_device(network: Network) -> None:
    """Put the Soft-RoCE device on the interface."""
    command = ["rdma", "link", "add", network.device, "type", "rxe", "netdev", network.interface]
    run_step("adding the Soft-RoCE device", command, "install iproute2; the kernel needs rdma_rxe")
