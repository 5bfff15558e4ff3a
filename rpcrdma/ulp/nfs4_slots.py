"""The slots of an NFSv4.1 session, for either direction: one request at a time, answered once.

    RFC 5661 section 2.10.6.1     Slot Identifiers and Server Reply Cache
    RFC 5661 section 2.10.6.1.3   Optional Reply Caching

A slot remembers the number of its last request and, when asked to, the reply.  The same number
again is a retry, the next one is new, anything else is out of order.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

__all__ = ["Arrival", "Slot", "following"]

SEQUENCES: Final = 2**32


def following(sequence: int) -> int:
    """The sequence number after another; they wrap around (RFC 5661 2.10.6.1)."""
    return (sequence + 1) % SEQUENCES


class Arrival(Enum):
    """What a request on a slot is."""

    NEW = auto()
    CACHED = auto()
    """A retry whose reply is at hand: `Slot.reply`."""
    UNCACHED = auto()
    """A retry whose reply was not to be kept."""
    FALSE_RETRY = auto()
    """It has the number of a retry, but is another request."""
    MISORDERED = auto()


@dataclass(slots=True)
class Slot:
    """One slot, seen from the side that answers.

    Attributes:
        sequence: of the last request; what the next one must follow.
        reply: the encoded results of the last request, if they were kept.
        digest: what tells one request from another.
        keeps: whether the request in execution wants its reply kept.
    """

    sequence: int = 0
    reply: bytes | None = None
    digest: int = 0
    keeps: bool = False
    used: bool = False

    def arrive(self, sequence: int, digest: int, *, keep: bool) -> Arrival:
        """A request came; if it is new, it is the slot's from here on."""
        if sequence == self.sequence and self.used:
            if self.reply is None:
                return Arrival.UNCACHED
            return Arrival.CACHED if digest == self.digest else Arrival.FALSE_RETRY
        if sequence != following(self.sequence):
            return Arrival.MISORDERED
        self.sequence = sequence
        self.digest = digest
        self.reply = None
        self.keeps = keep
        self.used = True
        return Arrival.NEW

    def finish(self, results: bytes) -> None:
        """The request was executed; keep its results if that was asked for."""
        if self.keeps:
            self.reply = results
