"""Looks at a device while it is given many of one kind: it serves, and what it keeps is told.

    for _ in Wear(session, connect, "connection").each(24):
        ...                            one connection, and all that belongs to it

Some come before the first look, since caches grow once.  At each look several good calls are made,
which must be served, on a connection that stays; then the device's usage is read, if its adapter
can tell.  In the end a note says of what the device keeps some for each item, and whether it has
become slow (`conformance.tester.wear`).  The answers to the items themselves are for the case.

rfc8166 section 4.5.5  RDMA Transport Errors (the loss of a connection ends no other)
rfc8166 section 8.1.4  Denial of Service
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from conformance.tester.client import build
from conformance.tester.wear import Look, losses, slowing
from conformance.verify.answers import served
from targets.usage import HasUsage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.tester.client.peer import Peer
    from conformance.verify.blame import Ids
    from rpcrdma.fabric.base import Fabric

__all__ = ["Wear"]

WARM_UP: Final = 8
"""Items before the first look."""

LOOKS: Final = 5
"""How often is looked, the first and the last time included."""

CALLS: Final = 6
"""Good calls at each look."""


class _Running(Protocol):
    """A session of either role."""

    @property
    def fabric(self) -> Fabric: ...


class Wear:
    """One device that is given many of one kind.

    Args:
        session: the running device.
        connect: makes connections.
        item: what there are many of, in the singular.
        breaks: what the device breaks if it does not serve a good call meanwhile.
    """

    def __init__(
        self, session: _Running, connect: Callable[..., Peer], item: str, *, breaks: Ids
    ) -> None:
        self._session = session
        self._connect = connect
        self._item = item
        self._breaks = breaks
        self._steady = connect()
        self._looks: list[Look] = []

    def each(self, items: int) -> Iterator[int]:
        """Count the items, with looks before, between and after them.

        Args:
            items: between the first look and the last, besides those of the warm-up.

        Raises:
            Deviation: a good call is not served.
        """
        yield from range(WARM_UP)
        due = {round(part * items / (LOOKS - 1)) for part in range(LOOKS)}
        for number in range(items):
            if number in due:
                self._look(number)
            yield WARM_UP + number
        self._look(items)
        case = self._steady.case
        for sentence in (*losses(self._looks, self._item), slowing(self._looks, self._item)):
            if sentence:
                case.remark(sentence)

    def _look(self, items: int) -> None:
        peer = self._standing()
        clock = self._session.fabric.clock
        seconds = []
        for _ in range(CALLS):
            begin = clock.now()
            call = build.small_call(peer)
            peer.send(call)
            served(peer, call, breaks=self._breaks)
            seconds.append(clock.now() - begin)
        session = self._session
        usage = session.usage() if isinstance(session, HasUsage) else None
        self._looks.append(Look(items, usage, tuple(seconds)))

    def _standing(self) -> Peer:
        """The connection that stays, or another if the device has ended it, which is lawful."""
        self._steady.waiting()  # which notices the end of a connection
        if not self._steady.connected:
            sentence = "A connection was ended that stood idle while others came and went."
            self._steady.case.remark(sentence)
            self._steady = self._connect()
        return self._steady
