# Invariant: whatever packets and messages come, in whatever order, a RoCE device raises nothing and
# its clock goes on; none of its tables grows beyond its limit; no memory changes or leaves that was
# not registered for it; a host that is not the peer changes nothing and gets nothing but messages
# of connection management; afterwards a good host connects, and Sends go both ways.
"""Fuzz harness of a whole RoCE device (`rpcrdma/roce`), fed with sequences of packets and MADs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz.fuzzed_device import MOST_DATAGRAMS, FuzzedDevice
from fuzz.invariant import BrokenInvariant
from fuzz.played_hosts import OWN, PATH_MTU, PORT
from fuzz.portrait import tables
from fuzz.registry import FuzzHarness
from fuzz.roce_steps import RoceAct, RoceStep, StepFlag, join_steps, split_steps
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.fabric.schedule import Schedule
from rpcrdma.fabric.segments import one_segment
from rpcrdma.roce.cm.registry import MOST_HALF_OPEN, MOST_TIME_WAITS
from rpcrdma.roce.fabric import RoceFabric
from rpcrdma.roce.packet.bth import BthOpcode
from rpcrdma.roce.parts import USUAL
from rpcrdma.roce.settings import ORDINARY

if TYPE_CHECKING:
    from rpcrdma.fabric.completion import Completion
    from rpcrdma.roce.connection import RoceConnection
    from rpcrdma.roce.parts import RoceParts

__all__ = ["HARNESS", "LIMITS", "check", "reference", "require_bounded"]

_GOOD_HOST: Final = "192.0.2.9"
_PATIENCE: Final = 5.0
"""Seconds that a good host needs at most."""

_PARAMETERS: Final = ConnectionParameters(initial_receives=(one_segment(PATH_MTU),) * 4)

_ORDINARY: Final = 80
"""Entries of a table without a limit of its own: work, Receives, connections, ports."""

_HANDSHAKES: Final = MOST_HALF_OPEN + MOST_TIME_WAITS + _ORDINARY

LIMITS: Final = {
    "CmRegistry._by_id": _HANDSHAKES,
    "CmRegistry._by_request": _HANDSHAKES,
    "CmRegistry._by_queue_pair": MOST_HALF_OPEN + _ORDINARY,
    "CmRegistry._half_open": MOST_HALF_OPEN,
    "CmRegistry._time_waits": MOST_TIME_WAITS,
    "CmMailbox._messages": 0,  # sent at once
    "CmMailbox._notices": 0,
    "RoceListener._waiting": MOST_HALF_OPEN,
    "PostedReceives._receives": _PARAMETERS.receive_depth,
    "ReadResponses._answered": ORDINARY.most_reads,
    "ReadResponses._waiting": 2 * ORDINARY.most_reads,
    "SwitchLink._inbox": 0,
    "FedLink._fed": MOST_DATAGRAMS,  # this harness's own
}
"""Table -> most entries that it may have between two steps."""


def reference() -> RoceParts:
    """The subject: of what the device is made."""
    return USUAL


def check(octets: bytes, parts: RoceParts) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for this sequence."""
    device = FuzzedDevice(parts)
    for step in split_steps(octets):
        device.carry_out(step)
        if step.repeat:
            require_bounded(device)
    device.wait(0.0)
    require_bounded(device)
    device.require_memory()
    _require_service(device)


def require_bounded(device: FuzzedDevice) -> None:
    """See that no table is longer than it may be.

    Raises:
        BrokenInvariant: with the table.
    """
    for table, count in tables(device.fabric, (Schedule, HandleAllocator)):
        limit = LIMITS.get(table.partition("[")[0], _ORDINARY)
        if count > limit:
            raise BrokenInvariant("table-unbounded", f"{table}: {count} entries, limit {limit}")


def _require_service(device: FuzzedDevice) -> None:
    accepted = device.serve()
    good = RoceFabric(device.switch.link(_GOOD_HOST), ORDINARY, 9)
    good.trace.keep = False
    connection = good.connect(Address(OWN, PORT), _PARAMETERS, _PATIENCE)
    connection.post_send(b"call")
    _require_received(accepted[-1], b"call")
    accepted[-1].post_send(b"reply")
    _require_received(connection, b"reply")


def _require_received(connection: RoceConnection, data: bytes) -> None:
    found: list[Completion] = []
    while more := connection.poll(0.1):
        found += more
        if any(done.data == data for done in found):
            return
    raise BrokenInvariant("not-served", f"{data!r} did not come: {found}")


def _sends(octets: bytes) -> list[bytes]:
    """The messages that Sends of a sequence carry."""
    return [
        step.carried
        for step in split_steps(octets)
        if step.act is RoceAct.PACKET and step.code == BthOpcode.SEND_ONLY and step.carried
    ]


def _seed(message: bytes) -> bytes:
    """The peer sends it, and acknowledges whatever has come to it."""
    send = RoceStep(act=RoceAct.PACKET, code=BthOpcode.SEND_ONLY, carried=message)
    acknowledgement = RoceStep(act=RoceAct.PACKET, code=BthOpcode.ACKNOWLEDGE, offset=31)
    return join_steps(
        [send, RoceStep(act=RoceAct.WAIT, flags=StepFlag.ACK_REQUEST), acknowledgement]
    )


HARNESS: Final = FuzzHarness(
    title="a whole RoCE device, fed with sequences of packets and management datagrams",
    dictionary="roce.dict",
    check=check,
    reference=reference,
    messages=_sends,
    seeds=lambda messages: [_seed(message) for message in messages if len(message) <= PATH_MTU],
)
