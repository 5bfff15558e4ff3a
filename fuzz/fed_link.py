"""A link into which a fuzzer puts datagrams of any host, and out of which it takes the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz.invariant import BrokenInvariant
from rpcrdma.roce.link.wrapped_link import WrappedLink

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from rpcrdma.roce.link.base import Link
    from rpcrdma.roce.packet.datagram import Datagram

__all__ = ["FedLink"]

_MOST_LOOKS: Final = 20_000
"""Times that the owner may look for datagrams within one input: no timer may keep it busy."""


class FedLink(WrappedLink):
    """A link before another one, which carries nothing of what it is fed with.

    Args:
        inner: carries what is for hosts that are there.
        played: the hosts that are not there.
        on_sent: is given what is sent to them.
    """

    def __init__(
        self, inner: Link, played: Container[str], on_sent: Callable[[Datagram], None]
    ) -> None:
        super().__init__(inner)
        self._played = played
        self._on_sent = on_sent
        self._fed: list[Datagram] = []
        self._looks = 0

    def feed(self, datagram: Datagram) -> None:
        """Have the datagram come in next."""
        self._fed.append(datagram)

    def send(self, datagram: Datagram) -> None:
        """Send to a host that is there, or show what would be sent."""
        if datagram.destination in self._played:
            self._on_sent(datagram)
        else:
            super().send(datagram)

    def receive(self) -> list[Datagram]:
        """What was fed, and what has come.

        Raises:
            BrokenInvariant: the owner looks without end.
        """
        self._looks += 1
        if self._looks > _MOST_LOOKS:
            raise BrokenInvariant("time-unbounded", f"{self._looks} looks at {self.clock.now()} s")
        fed, self._fed = self._fed, []
        return fed + super().receive()

    def sleep(self, until: float) -> None:
        """Sleep as the link does, unless something was fed."""
        super().sleep(self.clock.now() if self._fed else until)
