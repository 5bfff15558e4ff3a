"""What is known of a device where messages of a Requester reach it: made here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.announced import NOTHING_TOLD
from conformance.oracle.memory import NO_MEMORY
from conformance.oracle.responder.expectation import ResponderState
from conformance.oracle.sizes import THRESHOLD_TWO

if TYPE_CHECKING:
    from conformance.oracle.announced import Announced
    from conformance.oracle.device import Device
    from conformance.oracle.memory import ExposedMemory
    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["state_of"]


def state_of(
    device: Device,
    upper_layer: UpperLayer | None,
    memory: ExposedMemory = NO_MEMORY,
    *,
    receives: int | None = None,
    own: Announced = NOTHING_TOLD,
    requester: Announced = NOTHING_TOLD,
) -> ResponderState:
    """The state of a device as a Responder.

    Args:
        device: what it claims.
        upper_layer: the binding of the program that it serves; None if nobody knows it.
        memory: of the Requester.
        receives: octets of the Requester's Receives; None: as many as the device may send.
        own: what it has told of round-trip reductions.
        requester: what the Requester has.
    """
    longest = device.reply_threshold if receives is None else receives
    return ResponderState(
        versions=device.versions,
        upper_layer=upper_layer,
        memory=memory,
        reply_threshold=min(device.reply_threshold, longest),
        # The claim is of Version One: in Version Two it is the Requester's property that allows
        # more, and who judges here has told of none (v2 2.3, xcharext 3.1).
        two_threshold=THRESHOLD_TWO,
        limits=device.limits,
        backward=device.backward,
        operations=device.operations,
        properties=device.properties,
        own=own,
        requester=requester,
        chosen=device.chosen,
    )
