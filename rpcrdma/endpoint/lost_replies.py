"""Which calls have cost a connection already (rfc8166 section 4.5.3, D-26).

When a Requester's memory or Receive makes an RDMA operation fail, the connection is lost, and a
Requester that sends the call again would lose the next one, too.  A Responder that remembers such
calls answers the repetition by ERR_CHUNK.  One memory serves all connections of a listener.

The documents give no lifetime, and XIDs of different Requesters may be equal; so a call is known by
its XID together with the octets that came inline, and the memory forgets the oldest of many.
"""

from __future__ import annotations

from typing import Final

__all__ = ["LostReplies"]

CAPACITY: Final = 256
"""Calls that are remembered."""


class LostReplies:
    """Remembers calls that cost a connection."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._known: dict[tuple[int, bytes], None] = {}

    def remember(self, xid: int, inline: bytes) -> None:
        """A connection was lost over this call."""
        self._known[xid, inline] = None
        while len(self._known) > self._capacity:
            del self._known[next(iter(self._known))]

    def knows(self, xid: int, inline: bytes) -> bool:
        """Whether a connection was lost over this call."""
        return (xid, inline) in self._known

    @property
    def count(self) -> int:
        """Calls that are remembered now."""
        return len(self._known)
