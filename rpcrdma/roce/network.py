"""RoCEv2 in one process: fabrics on a switch, in virtual time, the same run every time.

    network = RoceNetwork(seed=1)
    tester, dut = network.fabric("tester"), network.fabric("dut")
    dut.attach(step)      # called after every delivery, from inside the tester's poll and connect

As `rpcrdma.fabric.loopback`, but each message is packets: what the transport does with those that
are lost, doubled or late can be seen here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.roce.fabric import RoceFabric
from rpcrdma.roce.link.switch import Switch
from rpcrdma.roce.parts import USUAL, RoceParts
from rpcrdma.roce.settings import ORDINARY, RoceSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Clock
    from rpcrdma.fabric.schedule import Schedule
    from rpcrdma.roce.link.base import Link

__all__ = ["RoceNetwork"]

_NETWORK: Final = "192.0.2"
"""The first block for documentation (RFC 5737): these addresses are nobody's."""


class RoceNetwork:
    """The switch between the fabrics of one process.

    Args:
        seed: of all that is chosen at random.
        settings: of every fabric.
        make_allocator: makes what hands out handles: devices may do that badly.
        wrap: puts something around a side's link, such as faults; it is given the side's name.
        dut: of what the device's side is made.
    """

    def __init__(
        self,
        seed: int = 0,
        settings: RoceSettings = ORDINARY,
        make_allocator: Callable[[int], HandleAllocator] = HandleAllocator,
        wrap: Callable[[str, Link], Link] = lambda _, link: link,
        dut: RoceParts = USUAL,
    ) -> None:
        self.switch = Switch()
        self.allocator = make_allocator(seed)
        self._seed = seed
        self._settings = settings
        self._wrap = wrap
        self._parts = {"dut": dut}
        self._hosts: dict[str, str] = {}

    @property
    def schedule(self) -> Schedule:
        """The events and turns of everybody."""
        return self.switch.schedule

    @property
    def clock(self) -> Clock:
        """The virtual clock of all fabrics."""
        return self.schedule.clock

    def host(self, side: str, wanted: str = "") -> str:  # as loopback's
        """The address of a participant; which one is wanted does not matter here."""
        if side not in self._hosts:
            self._hosts[side] = f"{_NETWORK}.{len(self._hosts) + 1}"
        return self._hosts[side]

    def fabric(self, side: str) -> RoceFabric:
        """One participant; `side` (`tester`, `dut`) is its name in faults."""
        host = self.host(side)
        link = self._wrap(side, self.switch.link(host))
        seed = self._seed + int(host.rpartition(".")[2])
        parts = self._parts.get(side, USUAL)
        fabric = RoceFabric(link, self._settings, seed, self.allocator, parts)
        fabric.device.on_activity = self.schedule.note_activity
        return fabric

    def wake_at(self, moment: float) -> None:
        """See that everybody gets a turn at `moment`, even if nothing is delivered then."""
        self.schedule.at(moment, lambda: None)
