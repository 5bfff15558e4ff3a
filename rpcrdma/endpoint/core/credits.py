"""Credits: the arithmetic of rfc8166 section 3.3.1 and 3.3.3, and nothing else.

`Allowance` is the Requester's half (how many calls may be in flight), `grant` the Responder's (what
to tell the peer).  Neither knows of messages, connections or calls.
"""

from __future__ import annotations

from dataclasses import dataclass

from rpcrdma.errors import LocalProtocolError

__all__ = ["Allowance", "grant"]

WORD_MAXIMUM = 2**32 - 1


@dataclass(slots=True)
class Allowance:
    """How many calls a Requester may have in flight.

    Attributes:
        requested: the credit value that every call carries; at least 1.
        granted: what the last valid reply granted; None before the first.
        outstanding: calls sent and not completed.
    """

    requested: int
    granted: int | None = None
    outstanding: int = 0

    def __post_init__(self) -> None:
        """Refuse a request that cannot be stated."""
        if not 1 <= self.requested <= WORD_MAXIMUM:
            raise LocalProtocolError(f"{self.requested} credits cannot be requested")

    @property
    def limit(self) -> int:
        """Most calls in flight at this moment."""
        # rfc8166 3.3.3: one call until a valid reply tells the number.
        granted, requested = self.granted, self.requested
        if granted is None:
            return 1
        return granted if granted < requested else requested

    def try_take(self) -> bool:
        """Count one more call in flight if one is left; returns whether one was."""
        if self.outstanding >= self.limit:
            return False
        self.outstanding += 1
        return True

    def give_back(self) -> None:
        """Count one call less in flight.

        Raises:
            LocalProtocolError: none is in flight.
        """
        if self.outstanding < 1:
            raise LocalProtocolError("no call is in flight")
        self.outstanding -= 1

    def granted_by_reply(self, value: int) -> None:
        """Note the credit value of a valid reply."""
        # Zero is forbidden (rfc8166 3.3.1) and would stop the connection for ever; D-17 reads the
        # request likewise.
        self.granted = value or 1


def grant(requested: int, posted: int) -> int:
    """The credit value of a reply.

    Args:
        requested: by the last call; zero counts as one (D-17).
        posted: Receives that are posted; what is granted is never more, and never 0.
    """
    return max(1, min(max(requested, 1), posted))
