"""A switch in this process: links in virtual time that lose nothing and change nothing.

    switch = Switch()
    tester, dut = switch.link("10.9.0.2"), switch.link("10.9.0.1")

All links of a switch share one virtual clock and one event queue (`rpcrdma.fabric.schedule`), so
the same calls give the same run.  A datagram arrives `latency` seconds after it was sent; what is
sent to one link at one moment arrives together and in order.  Datagrams to an address that no link
has are lost, as on a real network.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.errors import FabricError
from rpcrdma.fabric.schedule import Schedule
from rpcrdma.roce.link.base import DYNAMIC_PORT, LinkCounts, require_sender
from rpcrdma.roce.link.path_mtu import PATH_MTUS
from rpcrdma.roce.link.route import check_same_version
from rpcrdma.roce.link.stations import frame_of
from rpcrdma.roce.packet.datagram import Datagram, is_sealed
from rpcrdma.roce.packet.internet import address_octets, address_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.clock import VirtualClock

__all__ = ["Switch", "SwitchLink"]

DEFAULT_LATENCY: Final = 10e-6
"""Seconds one way, as on loopback."""

_MOST_WAITING: Final = 4096
"""Datagrams that a link keeps for an owner who does not take them; more are dropped."""


class Switch:
    """The network between the links of one process.

    Args:
        latency: seconds one way.
        path_mtu: of every path, in octets.
    """

    def __init__(self, latency: float = DEFAULT_LATENCY, path_mtu: int = PATH_MTUS[-1]) -> None:
        self.latency = latency
        self.path_mtu = path_mtu
        self.schedule = Schedule()
        self._links: dict[str, SwitchLink] = {}

    def link(self, address: str) -> SwitchLink:
        """A link with the IP address.

        Raises:
            FabricError: another link has it.
        """
        canonical = address_text(address_octets(address))
        if canonical in self._links:
            raise FabricError(f"the switch has a link with the address {canonical} already")
        made = SwitchLink(self, canonical)
        self._links[canonical] = made
        return made

    def find(self, address: str) -> SwitchLink | None:
        """The link that has the address."""
        return self._links.get(address)

    def remove(self, address: str) -> None:
        """Free the address."""
        self._links.pop(address, None)


class SwitchLink:
    """One end at a switch (see `base.Link`)."""

    def __init__(self, switch: Switch, address: str) -> None:
        self.tap: Callable[[float, bytes], None] | None = None
        self.counts = LinkCounts()
        self._switch = switch
        self._schedule = switch.schedule
        self._address = address
        self._inbox: list[Datagram] = []
        self._coming: tuple[float, list[Datagram]] | None = None
        self._stirred = 0
        self._wakes: set[float] = set()
        self._closed = False

    @property
    def name(self) -> str:
        """For reports."""
        return "roce switch"

    @property
    def clock(self) -> VirtualClock:
        """The clock of all links of the switch."""
        return self._schedule.clock

    @property
    def is_virtual(self) -> bool:
        """It is."""
        return True

    @property
    def port(self) -> int:
        """The source port of everything on a switch."""
        return DYNAMIC_PORT

    def local_address(self, remote: str) -> str:
        """The link's only address.

        Raises:
            DeviceUnavailable: `remote` is no address, or of the other version of IP.
        """
        check_same_version(self._address, remote)
        return self._address

    def path_mtu(self, remote: str) -> int:
        """That of the switch."""
        return self._switch.path_mtu

    def send(self, datagram: Datagram) -> None:
        """Have the datagram arrive after the latency."""
        require_sender(datagram, self._address, DYNAMIC_PORT)
        target = None if self._closed else self._switch.find(datagram.destination)
        if target is None:
            self.counts.unsent += 1
            return
        self.counts.sent += 1
        self._show(datagram)
        target.expect(datagram, self.clock.now() + self._switch.latency)

    def expect(self, datagram: Datagram, moment: float) -> None:
        """Have the datagram come in at `moment`, together with others of that moment."""
        if self._coming is not None and self._coming[0] == moment:
            self._coming[1].append(datagram)
            return
        batch = [datagram]
        self._coming = (moment, batch)
        self._schedule.at(moment, partial(self._arrive, batch))

    def receive(self) -> list[Datagram]:
        """What has come since the last time."""
        if not self._inbox:
            return []
        taken, self._inbox = self._inbox, []
        self.counts.received += len(taken)
        self._schedule.note_activity()
        return taken

    def sleep(self, until: float) -> None:
        """Let virtual time pass until a datagram comes, `wake` is called, or until `until`."""
        before = self._stirred
        self._schedule.wait(
            # A step may have taken what came, and changed what the sleeper waits for.
            lambda: self._stirred != before or bool(self._inbox),
            max(0.0, until - self.clock.now()),
        )

    def wake(self) -> None:
        """End the sleeps that are under way."""
        self._stirred += 1

    def wake_at(self, moment: float) -> None:
        """Plan an event at which nothing happens, once for each moment."""
        if moment not in self._wakes:
            self._wakes.add(moment)
            self._schedule.at(moment, partial(self._wakes.discard, moment))

    def at(self, moment: float, action: Callable[[], None]) -> None:
        """Run `action` at `moment`."""
        self._schedule.at(moment, action)

    def attach(self, owner: object, step: Callable[[], None]) -> None:
        """Give `step` its turn after every event at the switch."""
        self._schedule.attach(owner, step)

    def detach(self, owner: object) -> None:
        """Forget the steps of `owner`."""
        self._schedule.detach(owner)

    def close(self) -> None:
        """Leave the switch."""
        if not self._closed:
            self._closed = True
            self._switch.remove(self._address)
            self._inbox.clear()

    def _arrive(self, batch: list[Datagram]) -> None:
        if self._coming is not None and self._coming[1] is batch:
            self._coming = None
        if self._closed:
            return
        self._stirred += 1
        room = max(0, _MOST_WAITING - len(self._inbox))
        self.counts.overflowed += len(batch[room:])
        for datagram in batch[:room]:
            self._show(datagram)
            self._inbox.append(msgspec.structs.replace(datagram, intact=is_sealed(datagram)))

    def _show(self, datagram: Datagram) -> None:
        if self.tap is not None:
            self.tap(self.clock.now(), frame_of(datagram))
