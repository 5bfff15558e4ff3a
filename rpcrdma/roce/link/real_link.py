"""What all links of real time share: the machine's clock, sleeping at a descriptor, and the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rpcrdma.fabric.clock import RealClock
from rpcrdma.roce.link.base import LinkCounts, require_sender
from rpcrdma.roce.link.waiting import DescriptorWait

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.roce.packet.datagram import Datagram

__all__ = ["RealLink"]


class _Opened(Protocol):
    """What a link sends and receives by."""

    def close(self) -> None:
        """Free it."""
        ...


class RealLink:
    """The half of a link (see `base.Link`) that does not depend on what carries the datagrams.

    A subclass opens first whatever may fail, and comes here when all of it is open: so nothing
    of this half is left open by a link that never came to be.

    Args:
        address: the link's own, canonical text.
        port: the UDP source port of all that is sent; a device would have one for each connection.
        opened: what carries the datagrams; closed together with the link.
        incoming: descriptor that can be read when something has come.

    Raises:
        OSError: this process may open no more files; `opened` is closed again.
    """

    def __init__(self, address: str, port: int, opened: _Opened, incoming: int) -> None:
        self.tap: Callable[[float, bytes], None] | None = None
        self.counts = LinkCounts()
        self._address = address
        self._port = port
        self._opened = opened
        self._clock = RealClock()
        self._closed = False
        try:
            self._waiting = DescriptorWait(self._clock)
        except OSError:
            opened.close()
            raise
        self._waiting.watch(incoming)

    @property
    def clock(self) -> RealClock:
        """The machine's."""
        return self._clock

    @property
    def is_virtual(self) -> bool:
        """It is not."""
        return False

    @property
    def port(self) -> int:
        """The same for all that is sent."""
        return self._port

    def sleep(self, until: float) -> None:
        """Wait for a datagram, for `wake`, or until `until`; in slices while others need turns."""
        self._waiting.sleep(until)

    def wake(self) -> None:
        """End the present sleep, or the next one; from any thread."""
        self._waiting.wake()

    def wake_at(self, moment: float) -> None:
        """Nothing: time passes by itself."""

    def at(self, moment: float, action: Callable[[], None]) -> None:
        """Run `action` at `moment`, or when the link is used after it."""
        self._waiting.at(moment, action)

    def attach(self, owner: object, step: Callable[[], None]) -> None:
        """Give `step` a turn whenever this thread sleeps, in slices of 2 ms."""
        self._waiting.attach(owner, step)

    def detach(self, owner: object) -> None:
        """Forget the steps of `owner`."""
        self._waiting.detach(owner)

    def close(self) -> None:
        """Close what the link has opened."""
        if not self._closed:
            self._closed = True
            self._waiting.close()
            self._opened.close()

    def _require_sender(self, datagram: Datagram) -> None:
        require_sender(datagram, self._address, self._port)

    def _show(self, frame: bytes) -> None:
        if self.tap is not None:
            self.tap(self._clock.now(), frame)
