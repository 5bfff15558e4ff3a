"""Faults that loopback can be told to have, one dataclass each, and the plan that holds them.

A fault names the fabric (`tester`, `dut`) that misbehaves.  Counted faults count anew on every
connection.  Faults of messages themselves (wrong octets, lies about memory) are not made here: the
tester sends whatever it likes.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "DropAfterSends",
    "Fault",
    "FaultPlan",
    "IgnoreConnections",
    "RefuseConnections",
    "SlowDown",
    "VanishAfterSends",
]


@dataclass(frozen=True, slots=True)
class RefuseConnections:
    """The next `count` connection requests to `fabric` are rejected with `private_data`."""

    fabric: str
    count: int = 1
    private_data: bytes = b""


@dataclass(frozen=True, slots=True)
class IgnoreConnections:
    """The next `count` connection requests to `fabric` get no answer."""

    fabric: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class DropAfterSends:
    """Once its `sends`-th Send on a connection is on its way, `fabric` disconnects."""

    fabric: str
    sends: int


@dataclass(frozen=True, slots=True)
class VanishAfterSends:
    """Once its `sends`-th Send is on its way, `fabric` never answers or sends anything again.

    With 0 it has vanished already: also for connections that are made later.
    """

    fabric: str
    sends: int = 0


@dataclass(frozen=True, slots=True)
class SlowDown:
    """Whatever `fabric` transmits on a connection takes `seconds` longer to arrive, in order."""

    fabric: str
    seconds: float


Fault = RefuseConnections | IgnoreConnections | DropAfterSends | VanishAfterSends | SlowDown


class FaultPlan:
    """The faults in force; answers the questions that loopback asks on its way.

    It asks them for every message, and nearly always there is none: that is looked at first.
    """

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._met: dict[int, int] = {}  # index of a counted connection fault -> how often met

    def add(self, fault: Fault) -> None:
        """Put a fault in force, after those that are."""
        self._faults.append(fault)

    def clear(self) -> None:
        """End all faults; what they broke stays broken."""
        self._faults.clear()
        self._met.clear()

    def on_request(self, fabric: str) -> RefuseConnections | IgnoreConnections | None:
        """The fault that a connection request to `fabric` meets now, which uses it up once."""
        for index, fault in enumerate(self._faults):
            if not isinstance(fault, RefuseConnections | IgnoreConnections):
                continue
            met = self._met.get(index, 0)
            if fault.fabric == fabric and met < fault.count:
                self._met[index] = met + 1
                return fault
        return None

    def drops(self, fabric: str, sends: int) -> bool:
        """Whether `fabric` disconnects now that it has sent `sends` messages."""
        return bool(self._faults) and any(
            isinstance(fault, DropAfterSends) and fault.fabric == fabric and sends == fault.sends
            for fault in self._faults
        )

    def vanished(self, fabric: str, sends: int) -> bool:
        """Whether `fabric`, having sent `sends` messages, is silent from now on."""
        return bool(self._faults) and any(
            isinstance(fault, VanishAfterSends) and fault.fabric == fabric and sends >= fault.sends
            for fault in self._faults
        )

    def delay(self, fabric: str) -> float:
        """Seconds that whatever `fabric` transmits takes longer."""
        if not self._faults:
            return 0.0
        return sum(
            fault.seconds
            for fault in self._faults
            if isinstance(fault, SlowDown) and fault.fabric == fabric
        )
