"""The interface of every link: what carries UDP datagrams to port 4791 and back.

A link knows no connections and no queue pairs.  Whoever owns it (a device) sends, takes what has
come, and sleeps until something may have come.  A link is used by one thread at a time; `wake`
alone may be called from any other.

    InfiniBand Architecture volume 1, annex A17 (RoCEv2): datagrams to UDP port 4791

This file is an interface, and what every link checks: it does no I/O.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from rpcrdma.errors import FabricError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Clock
    from rpcrdma.roce.packet.datagram import Datagram

__all__ = ["DYNAMIC_PORT", "Link", "LinkCounts", "require_sender"]

DYNAMIC_PORT: Final = 49152
"""UDP source port of links that may choose: the first of those for everybody (RFC 6335 6)."""


@dataclass(slots=True)
class LinkCounts:
    """How many datagrams went through a link, and how many got lost in it; for reports.

    Attributes:
        sent: given to the network.
        received: handed to the owner.
        unsent: refused by the host or the peer's socket, or without a way to the destination.
        overflowed: dropped since too many were waiting.
        foreign: frames for somebody else, or of another protocol.
        broken: RoCEv2 frames that cannot be read: too short, a fragment, a wrong length.
    """

    sent: int = 0
    received: int = 0
    unsent: int = 0
    overflowed: int = 0
    foreign: int = 0
    broken: int = 0


class Link(Protocol):
    """One end of a network that carries RoCEv2 datagrams.

    Attributes:
        tap: is given each Ethernet frame that was sent or received, with the time: the very frame
            where the link sees one, else the one that a device would have sent.
        counts: see there.
    """

    tap: Callable[[float, bytes], None] | None
    counts: LinkCounts

    @property
    def name(self) -> str:
        """For reports."""
        ...

    @property
    def clock(self) -> Clock:
        """What all moments are given in."""
        ...

    @property
    def is_virtual(self) -> bool:
        """Whether time passes in `sleep` alone."""
        ...

    @property
    def port(self) -> int:
        """The UDP source port that what is sent must have: the ICRC covers it."""
        ...

    def local_address(self, remote: str) -> str:
        """Own address towards `remote`.

        Raises:
            DeviceUnavailable: there is no way from here to there; the message says why.
        """
        ...

    def path_mtu(self, remote: str) -> int:
        """The largest path MTU towards `remote` that the link bears, 256 to 4096 octets."""
        ...

    def send(self, datagram: Datagram) -> None:
        """Send, or lose it: nothing is raised for what gets lost.

        Raises:
            FabricError: its source address or port is not this link's, so that no ICRC of it could
                be right where it arrives.
        """
        ...

    def receive(self) -> list[Datagram]:
        """What has come, oldest first, without waiting; perhaps not all of it at once."""
        ...

    def sleep(self, until: float) -> None:
        """Return when something may have come, or at `until`; maybe earlier, without reason.

        The attached steps have had their turn at least once.  So a moment that has passed already
        is no empty request.
        """
        ...

    def wake(self) -> None:
        """Have the `sleep` that is under way, or else (real time) the next one, return at once."""
        ...

    def wake_at(self, moment: float) -> None:
        """See that everybody has a turn at `moment`.

        A virtual clock stops there, where it might have passed it in one leap; on a real one,
        steps have their turn every few milliseconds, and nothing is done.
        """
        ...

    def at(self, moment: float, action: Callable[[], None]) -> None:
        """Run `action` at `moment`, or as soon after it as the link is used."""
        ...

    def attach(self, owner: object, step: Callable[[], None]) -> None:
        """Give `step` a turn whenever this thread sleeps at a link, its own or another one.

        In virtual time: at any link of the network.  What comes at this link ends such a sleep.
        """
        ...

    def detach(self, owner: object) -> None:
        """Forget the steps of `owner`."""
        ...

    def close(self) -> None:
        """Free what the link holds; twice is allowed.  Later datagrams are lost."""
        ...


def require_sender(datagram: Datagram, address: str, port: int) -> None:
    """Refuse a datagram that is not from a link's own address and port.

    Raises:
        FabricError: no ICRC of it could be right where it arrives.
    """
    if datagram.source != address or datagram.port != port:
        raise FabricError(
            f"the link sends from {address}, port {port}, and the ICRC is for"
            f" {datagram.source}, port {datagram.port}"
        )
