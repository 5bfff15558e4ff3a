"""A link before another one, to which it passes everything on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Clock
    from rpcrdma.roce.link.base import Link
    from rpcrdma.roce.packet.datagram import Datagram

__all__ = ["WrappedLink"]


class WrappedLink:
    """A link (see `base.Link`) that does all as the one below; a subclass does some otherwise.

    Args:
        inner: the link below, which is closed together with this one.
    """

    def __init__(self, inner: Link) -> None:
        self.counts = inner.counts
        self._inner = inner

    @property
    def name(self) -> str:
        """That of the link below."""
        return self._inner.name

    @property
    def clock(self) -> Clock:
        """That of the link below."""
        return self._inner.clock

    @property
    def is_virtual(self) -> bool:
        """As the link below is."""
        return self._inner.is_virtual

    @property
    def port(self) -> int:
        """That of the link below."""
        return self._inner.port

    @property
    def tap(self) -> Callable[[float, bytes], None] | None:
        """That of the link below: it shows what that one carries."""
        return self._inner.tap

    @tap.setter
    def tap(self, tap: Callable[[float, bytes], None] | None) -> None:
        self._inner.tap = tap

    def local_address(self, remote: str) -> str:
        """That of the link below."""
        return self._inner.local_address(remote)

    def path_mtu(self, remote: str) -> int:
        """That of the link below."""
        return self._inner.path_mtu(remote)

    def send(self, datagram: Datagram) -> None:
        """Pass it on."""
        self._inner.send(datagram)

    def receive(self) -> list[Datagram]:
        """What has come below."""
        return self._inner.receive()

    def sleep(self, until: float) -> None:
        """Sleep as the link below does."""
        self._inner.sleep(until)

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
        """Close the link below."""
        self._inner.close()
