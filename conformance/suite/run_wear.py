"""What a device loses over a whole run, and whether it slows down.

Cases of rfc8166 section 8.1.4 make many of one kind.  What a device loses by anything else shows in
the run as a whole: at some ends of sections the time of good calls is taken, and what the device
holds is read.  In the end a note says of what it keeps some for each connection of the run, as
`conformance.tester.wear` has it; that is no verdict, and belongs to no case.

A device that was started again has lost nothing yet: of several lives the one with most looks is
told.  In virtual time all calls take the same, so none is made there.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from conformance.tester.wear import Look, losses, slowing
from rpcrdma.fabric.clock import VirtualClock
from targets.usage import usage_of

if TYPE_CHECKING:
    from conformance.suite.rigs import Rig

__all__ = ["RunWear"]

LOOKS: Final = 8
"""How often is looked in a run, about."""

CALLS: Final = 6
"""Good calls at each look."""

_ITEM: Final = "connection"


class RunWear:
    """What the devices of a run have been seen to hold, by role."""

    def __init__(self) -> None:
        self._devices: defaultdict[str, _Device] = defaultdict(_Device)
        self._cases = 0
        self._taken = 0

    def judged(self, role: str, rig: Rig) -> None:
        """A case has been judged."""
        self._cases += 1
        self._devices[role].connections += len(
            {event.connection for event in rig.trace.events} - {0}
        )

    def section_ends(self, role: str, rig: Rig, planned: int) -> None:
        """A section is over: look at the device, if there have been enough cases since the last.

        Args:
            role: of the device.
            rig: in which it runs.
            planned: cases of the run.
        """
        if self._cases * LOOKS < planned * (self._taken + 1):
            return
        self._taken = self._cases * LOOKS // planned
        self._devices[role].look(rig)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing that a device loses, and for one that slows down."""
        told = (sentence for device in self._devices.values() for sentence in device.sentences)
        return tuple(filter(None, told))


class _Device:
    """The device in one role.

    Attributes:
        connections: so far.
    """

    def __init__(self) -> None:
        self.connections = 0
        self._lives: dict[int, list[Look]] = {}

    def look(self, rig: Rig) -> None:
        session = rig.session
        virtual = isinstance(session.fabric.clock, VirtualClock)
        seconds = () if virtual else rig.time_calls(CALLS)
        looks = self._lives.setdefault(rig.life.starts, [])
        if not looks or looks[-1].items < self.connections:
            looks.append(Look(self.connections, usage_of(session), seconds))

    @property
    def sentences(self) -> tuple[str, ...]:
        looks = max(self._lives.values(), key=len, default=[])
        return (*losses(looks, _ITEM), slowing(looks, _ITEM))
