"""Inline thresholds: how large a message may be that travels by Send (rfc8166 section 3.3.2).

Both values are fixed for the life of a connection.  Nothing here negotiates: without another
mechanism each is 1024 octets (rfc8166 3.3.3, D-30).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rpcrdma.errors import LocalProtocolError

__all__ = ["DEFAULT", "MINIMUM", "InlineThresholds"]

MINIMUM: Final = 1024
"""Octets that every receiver of Version One must support."""


@dataclass(frozen=True, slots=True)
class InlineThresholds:
    """The two thresholds of a connection, in octets of header and Payload stream together.

    Attributes:
        call: from Requester to Responder.
        reply: from Responder to Requester.
    """

    call: int = MINIMUM
    reply: int = MINIMUM

    def __post_init__(self) -> None:
        """Refuse less than the minimum."""
        if min(self.call, self.reply) < MINIMUM:
            raise LocalProtocolError(f"an inline threshold is less than {MINIMUM} octets: {self}")

    @property
    def backward(self) -> InlineThresholds:
        """As a backward transaction sees them: its Calls go where Replies went (D-44)."""
        return InlineThresholds(call=self.reply, reply=self.call)


DEFAULT: Final = InlineThresholds()
