"""Looks at what a device shows, case by case, so that it can be held against another run.

A case must show the same wherever it stands in a run, and whatever was run before.  So it begins
with numbers of its own, from which XIDs, handles and names of clients are drawn; none of them is
another case's.  What a client does until it has been seen to live depends on what it knows of the
tester from earlier cases: this *opening* is kept apart.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import msgspec
from typing_extensions import override

from conformance.backward.workload import number_identities
from conformance.proof.detect.shown import Regions, Shown, shown, shown_acts
from conformance.tester.client.harness import Harness
from conformance.tester.server.harness import ClientHarness
from conformance.tester.xids import Xids
from rpcrdma.fabric.loopback import LoopbackFabric
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.fabric.trace import EventKind, Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conformance.suite.case import Case
    from conformance.suite.rigs import Rig
    from rpcrdma.fabric.trace import TraceEvent
    from targets.base import ActResult

__all__ = ["NotedHandles", "Seen", "Sight"]

_XIDS: Final = 0x1000
"""So many numbers are for the XIDs of a case's calls, and half as many handles are enough."""

_FIRST_XID: Final = 1 << 31

_OTHERS: Final = 1 << 32
"""Added to a case's number for what is drawn for memory that has no handle."""

_CLIENTS: Final = 0x100
"""Likewise for the names of clients that are called back."""


class Seen(msgspec.Struct, frozen=True):
    """What a device has shown in one case.

    Attributes:
        opening: until it was seen to live.  body: from then on.
    """

    opening: tuple[Shown, ...]
    body: tuple[Shown, ...]


class NotedHandles(HandleAllocator):
    """Handles whose memory is known.

    Attributes:
        regions: handle -> address and length of its memory.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.regions: Regions = {}
        self._last = 0
        self._registers = False
        self._unregistered = HandleAllocator(seed + _OTHERS)

    @override
    def handle(self) -> int:
        self._last = super().handle()
        return self._last

    @override
    def address(self, length: int) -> int:
        self._registers = True
        found = super().address(length)
        self._registers = False
        self.regions[self._last] = (found, length)
        return found

    @override
    def place(self, length: int, align: int) -> int:
        # Elsewhere, so that a device with other Receives moves none of the tester's memory.
        if self._registers:
            return super().place(length, align)
        return self._unregistered.place(length, align)


class Sight:
    """Looks at each case of a run."""

    def __init__(self, roles: Mapping[str, str]) -> None:
        """Look at nothing yet.

        Args:
            roles: case -> role of the device, of every case there is: a case's place among them
                gives it its numbers.
        """
        self._roles = roles
        self._numbers = {case: number for number, case in enumerate(roles)}
        self._rigs: Mapping[str, Rig] = {}
        self._handles = NotedHandles(0)
        self._results: tuple[ActResult | None, ...] = ()

    def stand(self, rigs: Mapping[str, Rig]) -> None:
        """The devices are there, by their roles."""
        self._rigs = rigs

    def begin(self, case: str) -> None:
        """A case begins: it gets its numbers."""
        number, rig = self._numbers[case], self._rigs[self._roles[case]]
        self._handles, self._results = NotedHandles(number), ()
        number_identities(number * _CLIENTS)
        if isinstance(rig, Harness):
            rig.xids = Xids(_FIRST_XID + number * _XIDS)
        fabric = rig.session.fabric
        if isinstance(fabric, LoopbackFabric):
            fabric.network.allocator = self._handles

    def body_ended(self, case: Case, rig: Rig) -> None:
        """The body of a case has ended; its acts are about to be forgotten."""
        if isinstance(rig, ClientHarness):
            with contextlib.suppress(Exception):  # of a device with a fault
                self._results = rig.client.results

    def end(self, case: str) -> Seen:
        """A case has ended; what the device has shown in it."""
        rig = self._rigs[self._roles[case]]
        opened, events = rig.case.opened, _without(rig.trace.events, rig.case.asides)
        # From the end: where the device was started again, the time began anew.
        ended = range(len(events), 0, -1)
        until = next((at for at in ended if events[at - 1].time < opened), 0)
        regions = self._handles.regions
        return Seen(
            tuple(shown(_of_this_case(events[:until]), regions)),
            (*shown(_of_this_case(events[until:]), regions), *shown_acts(self._results)),
        )


def _without(
    events: Sequence[TraceEvent], asides: Iterable[tuple[float, float]]
) -> Sequence[TraceEvent]:
    """The events of those connections that were not made for something found out aside."""
    spans = tuple(asides)
    if not spans:
        return events
    aside = {
        event.connection
        for event in events
        if event.kind is EventKind.CONNECT
        and any(begin <= event.time < end for begin, end in spans)
    }
    return [event for event in events if event.connection not in aside]


def _of_this_case(events: Sequence[TraceEvent]) -> Sequence[TraceEvent]:
    """The events but for the ends of connections on which nothing else happens.

    The tester ends what an earlier case, or the opening, has left.
    """
    used = {
        event.connection
        for event in events
        if (event.kind, event.side) != (EventKind.DISCONNECT, Side.LOCAL)
    }
    return [event for event in events if event.connection in used]
