"""Credits: the arithmetic of rfc8166 section 3.3.1 and 3.3.3, and nothing else.

A credit stands for one Receive, and so for one Send (rtrext 4.3); nearly every call is one.

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
        outstanding: Sends of calls that are not completed.
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

    def try_take(self, sends: int) -> bool:
        """Count a call of so many Sends in flight if there is room; returns whether there was."""
        if self.outstanding + sends > self.limit:
            return False
        self.outstanding += sends
        return True

    def give_back(self, sends: int) -> None:
        """Count a call of so many Sends in flight no more.

        Raises:
            LocalProtocolError: not so many are in flight.
        """
        if self.outstanding < sends:
            raise LocalProtocolError("no call is in flight")
        self.outstanding -= sends

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
