"""The networks on which a device lives in the tester's own process, in virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.memory import HandleAllocator

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Fabric
    from rpcrdma.fabric.schedule import Schedule

__all__ = ["InProcessNetwork", "make_network"]


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
    name: str, make_allocator: Callable[[int], HandleAllocator] = HandleAllocator
) -> InProcessNetwork:
    """The network of the fabric `loopback` or `switch`.

    Args:
        name: of the fabric.
        make_allocator: makes what hands out handles: devices may do that badly.
    """
    if name == "loopback":
        return LoopbackNetwork(make_allocator=make_allocator)
    # Imported only where it is used, as in `targets.fabrics`.
    from rpcrdma.roce.network import RoceNetwork

    return RoceNetwork(make_allocator=make_allocator)
