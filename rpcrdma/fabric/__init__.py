"""What carries messages: one verbs-shaped interface, in process (loopback) or over pyverbs.

The interface is `rpcrdma.fabric.base`; `LoopbackNetwork` makes fabrics in this process, and
`VerbsFabric` is that of the devices, for which alone pyverbs is imported, once it is used.
Faults for loopback are in `rpcrdma.fabric.faults`.  Everything else may change.
"""

from __future__ import annotations

from rpcrdma.fabric.base import (
    Access,
    Address,
    Clock,
    Connection,
    ConnectionParameters,
    ConnectionRequest,
    Fabric,
    Listener,
    MemoryRegion,
)
from rpcrdma.fabric.clock import RealClock, VirtualClock
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode, WorkId
from rpcrdma.fabric.loopback import LoopbackFabric, LoopbackNetwork
from rpcrdma.fabric.segments import Placement, ReceiveSegment, one_segment
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent
from rpcrdma.fabric.verbs import VerbsFabric

__all__ = [
    "Access",
    "Address",
    "Clock",
    "Completion",
    "CompletionStatus",
    "Connection",
    "ConnectionParameters",
    "ConnectionRequest",
    "EventKind",
    "Fabric",
    "Listener",
    "LoopbackFabric",
    "LoopbackNetwork",
    "MemoryRegion",
    "Opcode",
    "Placement",
    "RealClock",
    "ReceiveSegment",
    "Side",
    "Trace",
    "TraceEvent",
    "VerbsFabric",
    "VirtualClock",
    "WorkId",
    "one_segment",
]
