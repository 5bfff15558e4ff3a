"""Follows a device on a new connection on which it makes Calls: made here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.requester.tracker import RequesterTracker
from rpcrdma.wire.operations import BY_NAME, among

if TYPE_CHECKING:
    from conformance.oracle.device import Device
    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["follow"]


def follow(
    device: Device,
    upper_layer: UpperLayer | None,
    *,
    call_threshold: int,
    reply_threshold: int,
    serves_two: bool = False,
) -> RequesterTracker:
    """A tracker of the device's messages.

    Args:
        device: what it claims.
        upper_layer: the binding of the program that it calls; None if nobody knows it.
        call_threshold: octets that its peer receives by Send.
        reply_threshold: octets that its peer sends by Send.
        serves_two: whether its peer speaks Version Two on this connection.
    """
    return RequesterTracker(
        upper_layer=upper_layer,
        call_threshold=call_threshold,
        reply_threshold=reply_threshold,
        chosen=device.chosen,
        properties=device.properties,
        serves_two=serves_two,
        operations=among({BY_NAME[name].code for name in device.operations or ()}),
    )
