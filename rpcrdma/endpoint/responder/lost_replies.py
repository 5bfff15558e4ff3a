"""Which calls have cost a connection already (rfc8166 section 4.5.3, D-26).

When a Requester's memory or Receive makes an RDMA operation fail, the connection is lost, and a
Requester that sends the call again would lose the next one, too.  A Responder that remembers such
calls answers the repetition by ERR_CHUNK.  One memory serves all connections of a listener.

The documents give no lifetime, and XIDs of different Requesters may be equal; so a call is known by
its XID together with octets that are like no other call's, and the memory forgets the oldest of
many.
"""

from __future__ import annotations

from typing import Final

from rpcrdma.fabric.completion import CompletionStatus

__all__ = ["LostReplies", "is_fault_of_the_call"]

_FAULTS: Final = frozenset(
    status.value
    for status in (
        CompletionStatus.REMOTE_ACCESS_ERROR,
        CompletionStatus.REMOTE_INVALID_REQUEST,
        CompletionStatus.REMOTE_OPERATION_ERROR,
    )
)
"""How work fails over the Requester's memory or Receives."""

CAPACITY: Final = 256
"""Calls that are remembered."""


def is_fault_of_the_call(reason: str) -> bool:
    """Whether work failed over what the call offered, so that it would fail again.

    A connection that ends for another reason is no fault of the call: repeated on the next one it
    is served (rfc8166 4.5.5).

    Args:
        reason: of `events.WorkFailed`.
    """
    return reason in _FAULTS


class LostReplies:
    """Remembers calls that cost a connection."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._known: dict[tuple[int, bytes], None] = {}

    def remember(self, xid: int, likeness: bytes) -> None:
        """A connection was lost over this call."""
        self._known[xid, likeness] = None
        while len(self._known) > self._capacity:
            del self._known[next(iter(self._known))]

    def knows(self, xid: int, likeness: bytes) -> bool:
        """Whether a connection was lost over this call."""
        return (xid, likeness) in self._known

    @property
    def count(self) -> int:
        """Calls that are remembered now."""
        return len(self._known)
