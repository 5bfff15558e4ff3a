"""Where clients connect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.tester.server.reception import Reception
from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.loopback import LoopbackNetwork

if TYPE_CHECKING:
    from rpcrdma.fabric.base import ConnectionRequest

PARAMETERS = ConnectionParameters()


def test_hands_over_who_connects() -> None:
    network = LoopbackNetwork()
    tester, device = network.fabric("tester"), network.fabric("device")
    reception = Reception(
        tester, Address("tester", 0), lambda request: accepted.append(request.accept(PARAMETERS, 1))
    )
    accepted: list[object] = []

    device.connect(reception.address, PARAMETERS, 1.0)
    reception.look()

    assert len(accepted) == 1
    assert reception.mishap == ""


def test_tells_why_a_request_came_to_nothing() -> None:
    network = LoopbackNetwork()
    tester, device = network.fabric("tester"), network.fabric("device")
    seen: list[ConnectionRequest] = []

    def fail(request: ConnectionRequest) -> None:
        seen.append(request)
        request.accept(PARAMETERS, 1.0)
        raise FabricError("gone again")

    reception = Reception(tester, Address("tester", 0), fail)

    device.connect(reception.address, PARAMETERS, 1.0)

    assert len(seen) == 1
    assert reception.mishap == "gone again"


def test_takes_up_nobody_any_more_once_closed() -> None:
    tester = LoopbackNetwork().fabric("tester")
    reception = Reception(tester, Address("tester", 0), lambda request: None)

    reception.close()
    reception.close()

    reception.admit(1.0)
    assert reception.mishap == ""
