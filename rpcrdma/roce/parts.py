"""Of which classes one side of a RoCE fabric is made: a device that is broken has others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rpcrdma.roce.device import RoceDevice
from rpcrdma.roce.transport.requester import TransportRequester
from rpcrdma.roce.transport.responder import TransportResponder

__all__ = ["USUAL", "RoceParts"]


@dataclass(frozen=True, slots=True)
class RoceParts:
    """The classes of one side.

    Attributes:
        device: sorts what comes from the link.
        requester, responder: the halves of each queue pair.
    """

    device: type[RoceDevice] = RoceDevice
    requester: type[TransportRequester] = TransportRequester
    responder: type[TransportResponder] = TransportResponder


USUAL: Final = RoceParts()
"""As the standard wants it."""
