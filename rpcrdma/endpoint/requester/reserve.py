"""The Receives of a Requester that are kept for later transmissions of responses.

    rtrext section 4.3  Message Continuation and Credits

They are no credits: a credit has a Receive of its own.  One that is posted stays so, since each
Receive that is used up is posted again; what a Call leaves unused serves the next one.
"""

from __future__ import annotations

__all__ = ["Reserve"]


class Reserve:
    """How many Receives are promised to Calls, and how many are posted for these.

    Args:
        most: that may be promised at one time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._promised = 0
        self._posted = 0

    @property
    def left(self) -> int:
        """How many more may be promised."""
        return self._most - self._promised

    def take(self, receives: int) -> int:
        """Promise Receives to a Call; returns how many must be posted before it is sent."""
        self._promised += receives
        missing = max(0, self._promised - self._posted)
        self._posted += missing
        return missing

    def give_back(self, receives: int) -> None:
        """A Call is over."""
        self._promised -= receives
