"""Two Soft-RoCE devices on one wire, in one guest: what they send each other can be delayed.

A device that talks to itself never touches a queueing discipline.  Those of this pair sit on the
two ends of a veth pair, so all that they send goes through the kernel's `netem`.  Both ends have
addresses of this machine, which the kernel would deliver to itself: tables of their own lead each
end's packets to the wire, ahead of the table of local addresses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from targets.lab.rxe import add_device, load_modules
from targets.lab.setup import Network
from targets.lab.step import run_step, write_step

__all__ = ["ENDS", "delay_pair", "make_pair"]

ENDS: Final = (
    Network("veth0", "10.9.1.1", 32, "rxea"),
    Network("veth1", "10.9.1.2", 32, "rxeb"),
)
"""The two ends."""

_HARDWARE: Final = ("02:00:0a:09:01:01", "02:00:0a:09:01:02")
"""Their addresses on the wire, administered locally, which each end knows of the other."""

_TABLES: Final = (1, 2)
"""Routing tables that lead to the wire from each end, and where the rules for them stand."""

_LOCAL: Final = 100
"""Where the rule for local addresses stands instead of first: after those."""

_MODULES: Final = ("veth", "sch_netem")

_QUEUED: Final = 10_000
"""Packets that the wire holds at most; more than anything here has under way."""

_INTERFACES: Final = Path("/sys/class/net")
_SETTINGS: Final = Path("/proc/sys/net/ipv4/conf")
_REMEDY: Final = "install iproute2"


def make_pair(interfaces: Path = _INTERFACES, settings: Path = _SETTINGS) -> None:
    """Make the wire and a device at each end, unless they are there.

    For a machine that is thrown away afterwards: it changes the order of its routing rules.

    Args:
        interfaces: where the kernel lists those that there are.
        settings: its folder of settings for each interface.

    Raises:
        LabError: a step failed.
    """
    if (interfaces / ENDS[0].interface).exists():
        return
    load_modules(_MODULES)
    step = "making the wire between two devices"
    run_step(step, ["ip", "-batch", "-"], _REMEDY, "\n".join((*_commands(), "")))
    for end in ENDS:
        # Each end's packets come from an address of this machine, and belong to it nevertheless.
        write_step(step, settings / end.interface / "accept_local", "1")
        write_step(step, settings / end.interface / "rp_filter", "0")
        add_device(end)


def delay_pair(seconds: float) -> None:
    """Have every packet take so many seconds longer, in either direction.

    Raises:
        LabError: the kernel refused.
    """
    netem = f"root netem delay {seconds * 1e6:.0f}us limit {_QUEUED}"
    lines = [f"qdisc replace dev {end.interface} {netem}" for end in ENDS]
    run_step("delaying packets", ["tc", "-batch", "-"], _REMEDY, "\n".join((*lines, "")))


def _commands() -> tuple[str, ...]:
    """What `ip` is told."""
    one, other = ENDS
    link, peer = (
        f"{end.interface} address {address} mtu {end.mtu}"
        for end, address in zip(ENDS, _HARDWARE, strict=True)
    )
    return (
        f"link add {link} type veth peer name {peer}",
        f"rule add preference {_LOCAL} lookup local",
        "rule del preference 0",
        *_leading(one, other, _TABLES[0], _HARDWARE[1]),
        *_leading(other, one, _TABLES[1], _HARDWARE[0]),
    )


def _leading(end: Network, other: Network, table: int, hardware: str) -> tuple[str, ...]:
    """What leads packets from one end to the other."""
    to = f"to {other.address}"
    return (
        f"address add {end.address}/{end.prefix} dev {end.interface}",
        f"link set {end.interface} up",
        f"neighbour add {other.address} lladdr {hardware} dev {end.interface} nud permanent",
        f"route add {other.address} dev {end.interface} src {end.address} table {table}",
        f"rule add preference {table} {to} iif lo lookup {table}",
        # The connection manager looks for the way back by the interface that a packet came in at.
        f"rule add preference {table} from {end.address} {to} oif {end.interface} lookup {table}",
    )
