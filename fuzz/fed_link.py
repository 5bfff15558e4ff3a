"""A link into which a fuzzer puts datagrams of any host, and out of which it takes the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz.invariant import BrokenInvariant

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from rpcrdma.fabric.base import Clock
    from rpcrdma.roce.link.base import Link
    from rpcrdma.roce.packet.datagram import Datagram

__all__ = ["FedLink"]

_MOST_LOOKS: Final = 20_000
"""Times that the owner may look for datagrams within one input: no timer may keep it busy."""


class FedLink:
    """A link (see `rpcrdma.roce.link.base.Link`) before another one.

    Args:
        inner: carries what is for hosts that are there.
        played: the hosts that are not there.
        on_sent: is given what is sent to them.
    """

    def __init__(
        self, inner: Link, played: Container[str], on_sent: Callable[[Datagram], None]
    ) -> None:
        self.counts = inner.counts
        self.tap: Callable[[float, bytes], None] | None = None
        self._inner = inner
        self._played = played
        self._on_sent = on_sent
        self._fed: list[Datagram] = []
        self._looks = 0

    def feed(self, datagram: Datagram) -> None:
        """Have the datagram come in next."""
        self._fed.append(datagram)

    @property
    def name(self) -> str:
        """That of the link."""
        return self._inner.name

    @property
    def clock(self) -> Clock:
        """That of the link."""
        return self._inner.clock

    @property
    def is_virtual(self) -> bool:
        """As the link is."""
        return self._inner.is_virtual

    @property
    def port(self) -> int:
        """That of the link."""
        return self._inner.port

    def local_address(self, remote: str) -> str:
        """That of the link."""
        return self._inner.local_address(remote)

    def path_mtu(self, remote: str) -> int:
        """That of the link."""
        return self._inner.path_mtu(remote)

    def send(self, datagram: Datagram) -> None:
        """Send to a host that is there, or show what would be sent."""
        if datagram.destination in self._played:
            self._on_sent(datagram)
        else:
            self._inner.send(datagram)

    def receive(self) -> list[Datagram]:
        """What was fed, and what has come.

        Raises:
            BrokenInvariant: the owner looks without end.
        """
        self._looks += 1
        if self._looks > _MOST_LOOKS:
            raise BrokenInvariant("time-unbounded", f"{self._looks} looks at {self.clock.now()} s")
        fed, self._fed = self._fed, []
        return fed + self._inner.receive()

    def sleep(self, until: float) -> None:
        """Sleep as the link does, unless something was fed."""
        self._inner.sleep(self.clock.now() if self._fed else until)

    def wake(self) -> None:
        """End the present sleep."""
        self._inner.wake()

    def wake_at(self, moment: float) -> None:
        """Pass it on."""
        self._inner.wake_at(moment)

    def at(self, moment: float, action: Callable[[], None]) -> None:
        """Pass it on."""
        self._inner.at(moment, action)

    def attach(self, owner: object, step: Callable[[], None]) -> None:
        """Pass it on."""
        self._inner.attach(owner, step)

    def detach(self, owner: object) -> None:
        """Pass it on."""
        self._inner.detach(owner)

    def close(self) -> None:
        """Close the link."""
        self._inner.close()
