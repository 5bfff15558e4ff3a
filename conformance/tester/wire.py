"""The wire between tester and device, told to lose, double, exchange, delay or damage packets.

    wire.hit(Packets.DEVICE_WRITES, FrameAct.DROP)            the next one
    wire.hit(Packets.READ_RESPONSES, FrameAct.DROP, first=3)  the third from now on
    wire.hit(Packets.ACKNOWLEDGEMENTS, FrameAct.DROP, last=None)     all from now on
    wire.heal()                                               no more faults
    wire.require_struck()                                     the case is about nothing otherwise

A fabric whose packets nobody here sees (loopback, verbs) has no such wire: the case is N/A.  What
connection management says is never hit.  Whatever else happens to packets in the run
(`conformance.tester.weather`) is over before, and has been made up for: what is sent again would be
counted, and a device that bears one fault would meet two.

    rfc8166 section 2.3.2  RDMA Transport Requirements
    rfc8166 section 4.5.5  RDMA Transport Errors
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from conformance.tester.case import Inconclusive
from rpcrdma.roce.link.faults import FaultRule, FrameAct, FrameDirection, FrameFaults
from rpcrdma.roce.packet.bth import OPERATIONS, BthOpcode, PacketPosition, TransportOperation
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rpcrdma.fabric.base import Connection, Fabric
    from rpcrdma.roce.link.faulty_link import FaultyLink

__all__ = ["FrameAct", "Packets", "Wire", "Wired"]

_BEGINS: Final = (PacketPosition.FIRST, PacketPosition.ONLY)
_ENDS: Final = (PacketPosition.LAST, PacketPosition.ONLY)
_WITHIN: Final = (PacketPosition.MIDDLE,)


_PAUSES: Final = 250


class Packets(Enum):
    """Packets by whose they are, and by their place in a message; those of the tester without word.

    A message of one packet is the first and the last of its packets, and none in the middle.
    """

    SENDS = (FrameDirection.SENT, TransportOperation.SEND, _BEGINS)
    WRITES = (FrameDirection.SENT, TransportOperation.WRITE, _BEGINS)
    WITHIN_WRITES = (FrameDirection.SENT, TransportOperation.WRITE, _WITHIN)
    ENDS_OF_WRITES = (FrameDirection.SENT, TransportOperation.WRITE, _ENDS)
    READ_RESPONSES = (FrameDirection.SENT, TransportOperation.READ_RESPONSE, _BEGINS)
    WITHIN_READ_RESPONSES = (FrameDirection.SENT, TransportOperation.READ_RESPONSE, _WITHIN)
    ENDS_OF_READ_RESPONSES = (FrameDirection.SENT, TransportOperation.READ_RESPONSE, _ENDS)
    ACKNOWLEDGEMENTS = (FrameDirection.SENT, TransportOperation.ACKNOWLEDGE, _BEGINS)
    DEVICE_SENDS = (FrameDirection.RECEIVED, TransportOperation.SEND, _BEGINS)
    DEVICE_WRITES = (FrameDirection.RECEIVED, TransportOperation.WRITE, _BEGINS)
    WITHIN_DEVICE_WRITES = (FrameDirection.RECEIVED, TransportOperation.WRITE, _WITHIN)
    ENDS_OF_DEVICE_WRITES = (FrameDirection.RECEIVED, TransportOperation.WRITE, _ENDS)
    DEVICE_READ_REQUESTS = (FrameDirection.RECEIVED, TransportOperation.READ_REQUEST, _BEGINS)

    @property
    def direction(self) -> FrameDirection:
        """Which way they go, seen from the tester."""
        way: FrameDirection = self.value[0]
        return way

    @property
    def opcodes(self) -> Iterable[BthOpcode]:
        """Of such packets."""
        _, operation, positions = self.value
        return (
            BthOpcode(code)
            for code, meaning in OPERATIONS.items()
            if meaning.operation is operation and meaning.position in positions
        )


@runtime_checkable
class Wired(Protocol):
    """A fabric whose packets go by this process."""

    wire: FaultyLink

    def calm(self) -> None:
        """End all faults, and wait until what they took has been made up for."""
        ...

    def silence(self, connection: Connection) -> None:
        """Have this end of a connection send nothing and hear nothing any more."""
        ...


class Wire:
    """The wire of one fabric.

    Args:
        fabric: on which the tester stands.

    Raises:
        Unsupported: it has no wire.
    """

    def __init__(self, fabric: Fabric) -> None:
        if not isinstance(fabric, Wired):
            raise Unsupported(f"the fabric ({fabric.name}) has no packets that could get lost")
        fabric.calm()
        self._fabric = fabric
        self._wanted: FrameFaults = FrameFaults()

    def hit(self, packets: Packets, act: FrameAct, *, first: int = 1, last: int | None = 0) -> None:
        """Have something happen to packets that are still to come, beside what is in force.

        Args:
            packets: which kind.
            act: what happens to them.
            first: number of the first of them that is hit, counted from now.
            last: of the last one; 0: it alone, None: no end.
        """
        end = first if last == 0 else last
        rules = tuple(
            FaultRule(packets.direction, opcode, first, end, act) for opcode in packets.opcodes
        )
        self._wanted = FrameFaults(rules=(*self._wanted.rules, *rules))
        self._fabric.wire.inject(self._wanted)

    def silence(self, connection: Connection) -> None:
        """End a connection without a word: the tester's end neither sends nor answers."""
        self._fabric.silence(connection)

    def heal(self) -> None:
        """Let everything through."""
        self._wanted = FrameFaults()
        self._fabric.wire.heal()

    def await_strike(self, pause: Callable[[], object]) -> None:
        """Wait until a fault has met a packet.

        Args:
            pause: lets a little time pass.

        Raises:
            Inconclusive: none does.
        """
        for _ in range(_PAUSES):
            if self._fabric.wire.tally:
                return
            pause()
        self.require_struck()

    def require_struck(self) -> None:
        """See that a fault met a packet.

        Raises:
            Inconclusive: the device had its data moved by other packets.
        """
        if not self._fabric.wire.tally:
            raise Inconclusive("no packet of the kind that the case damages came by")
