"""A fresh loopback network with the reference Responder, and the faults that steps may ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.explore.exchange import RecipeRun
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.faults import DropAfterSends, Fault, RefuseConnections, SlowDown
from rpcrdma.fabric.loopback import LoopbackNetwork
from targets.reference.server_parts import REFERENCE, Parts, server_factory

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FAULTS", "loopback_exchange"]

_ADDRESS: Final = Address("dut", 20049)

FAULTS: Final[tuple[Fault, ...]] = (
    SlowDown("dut", 3e-5),
    SlowDown("tester", 3e-5),
    DropAfterSends("dut", 2),
    DropAfterSends("dut", 5),
    DropAfterSends("tester", 3),
    DropAfterSends("tester", 7),
    RefuseConnections("dut"),
)
"""By number; the one after the last heals them all."""


def loopback_exchange(parts: Parts = REFERENCE) -> tuple[RecipeRun, Callable[[], None]]:
    """An exchange with a Responder of its own, and what releases both."""
    network = LoopbackNetwork()
    device, tester = network.fabric("dut"), network.fabric("tester")
    server = Server(device, _ADDRESS, server_factory(parts))
    device.attach(server.step)

    def inject(number: int) -> None:
        index = number % (len(FAULTS) + 1)
        if index == len(FAULTS):
            network.heal()
        else:
            network.inject(FAULTS[index])

    def release() -> None:
        server.close()
        device.close()
        tester.close()

    return RecipeRun(tester, server.address, inject=inject), release
