"""Faults that a whole run is exposed to (`certify --faults`), and that nobody is judged by.

    weather = Weather("seed=7,loss=0.01")
    weather.begin(fabric, case)                  # before each case

What gets lost is made up for by the connection, so it must change no verdict.  Time does not pass
for the tester until that has happened: no grace period and no deadline runs while a packet is owed
(`rpcrdma.roce.link.owed`).

Each case begins with a schedule of its own, made of the seed and the case's id: a case that is run
again alone meets what it met among others, as far as the same packets go by, and so it does
whichever process of several judges it.

A case that takes the wire into its own hands (`conformance.tester.wire`) has no weather: it counts
packets from a moment on, and judges how the device bears the one fault that it makes.  Nor has a
case before which a guest took the place of a dead one: the fabric towards that is new.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.tester.wire import Wired
from rpcrdma.roce.link.faults import FrameFaults
from targets.base import TargetError

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Fabric

__all__ = ["Weather"]


class Weather:
    """What happens to the packets of a run.

    Args:
        text: the text form of `rpcrdma.roce.link.faults`, seen from the tester.

    Raises:
        FabricError: it is none; the message names the part.
        TargetError: it names no fault.
    """

    def __init__(self, text: str) -> None:
        self._faults = FrameFaults.parse(text)
        if self._faults == FrameFaults(seed=self._faults.seed, seconds=self._faults.seconds):
            raise TargetError(f"faults {text!r}: no fault is named; try seed=7,loss=0.01")

    def __str__(self) -> str:
        return str(self._faults)

    def begin(self, fabric: Fabric, case: str = "") -> None:
        """Expose a fabric to the schedule of a case; without one, to that of what is before.

        Raises:
            TargetError: it has no packets that could get lost.
        """
        if not isinstance(fabric, Wired):
            raise self.refusal(fabric.name)
        seed = self._faults.seed
        if case:
            seed = zlib.crc32(f"{seed} {case}".encode())
        fabric.wire.inject(replace(self._faults, seed=seed), patiently=True)

    def refusal(self, fabric: str) -> TargetError:
        """That a fabric cannot be exposed."""
        return TargetError(
            f"--faults {self} needs packets that go by the suite itself, and there are none over"
            f" {fabric}; use --fabric roce, or for the reference --fabric switch"
        )
