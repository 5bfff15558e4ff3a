"""How long the Receives are that are posted: a size may be told when no shorter one is left.

    xcharext section 3.1  Receive Buffer Size

Receives are used up in the order in which they were posted; one that is posted takes any message
up to its length.
"""

from __future__ import annotations

from collections import deque

from rpcrdma.errors import LocalProtocolError

__all__ = ["ReceiveSizes"]


class ReceiveSizes:
    """The lengths of the posted Receives of one connection, the oldest first."""

    def __init__(self) -> None:
        self._sizes: deque[int] = deque()

    def posted(self, octets: int) -> None:
        """A Receive of this length was posted."""
        self._sizes.append(octets)

    def consumed(self) -> None:
        """A message used up the oldest Receive.

        Raises:
            LocalProtocolError: none is posted.
        """
        if not self._sizes:
            raise LocalProtocolError("a message came and no Receive was posted")
        self._sizes.popleft()

    @property
    def smallest(self) -> int | None:
        """Octets of the shortest that is posted; None if none is."""
        return min(self._sizes, default=None)

    def none_below(self, octets: int) -> bool:
        """Whether a message of this length fits whichever Receive it meets."""
        smallest = self.smallest
        return smallest is None or smallest >= octets
