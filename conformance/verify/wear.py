"""Looks at a device while it is given many of one kind: it serves, and what it keeps is told.

    for _ in Wear(session, ServedCalls(connect, SURVIVES), "connection").each(24):
        ...                            one connection, and all that belongs to it

Some come before the first look, since caches grow once.  At each look several good calls are made,
which must be served: by the tester on a connection that stays, or by a client that is told to.
Then the device's usage is read, if its adapter can tell.  In the end a note says of what the device
keeps some for each item, and whether it has become slow (`conformance.tester.wear`).  The answers
to the items themselves are for the case.

rfc8166 section 4.5.5  RDMA Transport Errors (the loss of a connection ends no other)
rfc8166 section 8.1.4  Denial of Service
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from conformance.tester.client import build
from conformance.tester.wear import Look, losses, slowing, timed
from conformance.verify import calls
from conformance.verify.answers import served
from targets.usage import usage_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.tester.case import CaseLog
    from conformance.tester.client.peer import Peer
    from conformance.tester.server.acting import ActingClient
    from conformance.verify.blame import Ids
    from rpcrdma.fabric.base import Fabric

__all__ = ["ActedCalls", "ServedCalls", "Wear"]

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


class GoodCalls(Protocol):
    """What good calls are made by."""

    @property
    def case(self) -> CaseLog:
        """Notes of the running case."""
        ...

    def ready(self) -> None:
        """See that a connection is there: making one is no part of a call."""
        ...

    def make(self) -> None:
        """Make one.

        Raises:
            Deviation: it is not served, or not made.
        """
        ...


class ServedCalls:
    """Good calls to a server, on a connection that stays.

    Args:
        connect: makes connections.
        breaks: what the device breaks if it does not serve one.
    """

    def __init__(self, connect: Callable[..., Peer], breaks: Ids) -> None:
        self._connect = connect
        self._breaks = breaks
        self._steady = connect()

    @property
    def case(self) -> CaseLog:
        """Notes of the running case."""
        return self._steady.case

    def ready(self) -> None:
        """Connect anew if the device has ended the connection, which is lawful."""
        self._steady.waiting()  # which notices the end of a connection
        if not self._steady.connected:
            sentence = "A connection was ended that stood idle while others came and went."
            self.case.remark(sentence)
            self._steady = self._connect()

    def make(self) -> None:
        """Make one."""
        call = build.small_call(self._steady)
        self._steady.send(call)
        served(self._steady, call, breaks=self._breaks)


class ActedCalls:
    """Good calls of a client, which is told to make them.

    Args:
        client: the device.
        breaks: what it breaks if it does not.
    """

    def __init__(self, client: ActingClient, breaks: tuple[str, ...]) -> None:
        self._client = client
        self._breaks = breaks

    @property
    def case(self) -> CaseLog:
        """Notes of the running case."""
        return self._client.service.case

    def ready(self) -> None:
        """One more call: its client connects anew if it has to."""
        self.make()

    def make(self) -> None:
        """Have one made."""
        calls.done(self._client.serve_good_act(), self._breaks)


class Wear:
    """One device that is given many of one kind.

    Args:
        session: the running device.
        good: makes good calls, to the device or by it.
        item: what there are many of, in the singular.
    """

    def __init__(self, session: _Running, good: GoodCalls, item: str) -> None:
        self._session = session
        self._good = good
        self._item = item
        self._looks: list[Look] = []

    def each(self, items: int) -> Iterator[int]:
        """Count the items, with looks before, between and after them.

        Args:
            items: between the first look and the last, besides those of the warm-up.

        Raises:
            Deviation: a good call is not served, or not made.
        """
        yield from range(WARM_UP)
        due = {round(part * items / (LOOKS - 1)) for part in range(LOOKS)}
        for number in range(items):
            if number in due:
                self._look(number)
            yield WARM_UP + number
        self._look(items)
        for sentence in (*losses(self._looks, self._item), slowing(self._looks, self._item)):
            if sentence:
                self._good.case.remark(sentence)

    def _look(self, items: int) -> None:
        self._good.ready()
        seconds = timed(self._session.fabric.clock, CALLS, self._good.make)
        self._looks.append(Look(items, usage_of(self._session), seconds))
