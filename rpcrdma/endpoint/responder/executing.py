"""The calls that a Responder's program has and has not answered, by XID.

rfc8166 section 2.2.2  (an XID is that of one call; a peer may break that rule)
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.endpoint.responder.call_rules import IncomingCall

__all__ = ["Executing"]


class Executing:
    """Calls with their unreduced payloads; several of one XID are kept apart by age."""

    def __init__(self) -> None:
        self._by_xid: dict[int, deque[tuple[IncomingCall, bytes]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._by_xid.values()))

    @property
    def oldest_xid(self) -> int | None:
        """The XID that has been waiting for longest; None if nothing waits."""
        return next(iter(self._by_xid), None)

    def calls(self) -> Iterator[IncomingCall]:
        """All of them."""
        return (call for waiting in self._by_xid.values() for call, _ in waiting)

    def add(self, xid: int, call: IncomingCall, payload: bytes) -> None:
        """A call is given to the program."""
        self._by_xid.setdefault(xid, deque()).append((call, payload))

    def take(self, xid: int, *, newest: bool) -> tuple[IncomingCall, bytes]:
        """The call that a reply answers: of several with its XID the newest, or the oldest."""
        waiting = self._by_xid[xid]
        entry = waiting.pop() if newest else waiting.popleft()
        if not waiting:
            del self._by_xid[xid]
        return entry

    def clear(self) -> None:
        """Forget them: nobody can be answered."""
        self._by_xid.clear()
