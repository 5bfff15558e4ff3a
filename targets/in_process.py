"""The networks on which a device lives in the tester's own process, in virtual time.

The memory of this process is the tester's, too, and tells nothing of the device: what it has asked
its fabric for does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rpcrdma.fabric.loopback import LoopbackFabric, LoopbackNetwork
from rpcrdma.fabric.memory import HandleAllocator
from targets.base import TargetError
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Fabric
    from rpcrdma.fabric.schedule import Schedule
    from rpcrdma.roce.parts import RoceParts

__all__ = ["InProcessNetwork", "make_network", "require_switch", "usage_of_fabric"]


class InProcessNetwork(Protocol):
    """What tester and device are on."""

    allocator: HandleAllocator
    """Hands out the handles of both."""

    @property
    def schedule(self) -> Schedule:
        """The events and turns of everybody."""
        ...

    def host(self, side: str, wanted: str) -> str:
        """The address of a participant that would like to be at `wanted`."""
        ...

    def fabric(self, side: str) -> Fabric:
        """One participant: `tester` or `dut`."""
        ...


def make_network(
    name: str,
    make_allocator: Callable[[int], HandleAllocator] = HandleAllocator,
    transport: RoceParts | None = None,
) -> InProcessNetwork:
    """The network of the fabric `loopback` or `switch`.

    Args:
        name: of the fabric.
        make_allocator: makes what hands out handles: devices may do that badly.
        transport: of what the device's side is made on `switch`; None: as it should be.
    """
    if name == "loopback":
        return LoopbackNetwork(make_allocator=make_allocator)
    # Imported only where it is used, as in `targets.fabrics`.
    from rpcrdma.roce.network import RoceNetwork
    from rpcrdma.roce.parts import USUAL

    return RoceNetwork(make_allocator=make_allocator, dut=transport or USUAL)


def require_switch(transport: RoceParts | None, fabric: str) -> None:
    """Refuse a transport of our own where it would not be used.

    Raises:
        TargetError: `fabric` carries no packets, or is between processes.
    """
    if transport is not None and fabric != "switch":
        raise TargetError(
            f"what is broken is how packets are dealt with, in this process: use --fabric switch,"
            f" not {fabric}"
        )


def usage_of_fabric(fabric: Fabric) -> Usage | None:
    """The regions that a device's fabric holds for it; None on `switch`, which does not count."""
    if not isinstance(fabric, LoopbackFabric):
        return None
    regions = fabric.valid_regions
    octets = sum(region.length for region in regions)
    return Usage(((Resource.REGIONS, len(regions)), (Resource.REGISTERED, octets)))
