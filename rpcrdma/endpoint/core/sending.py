"""How a message of this end goes out: as the Sends of its transmission.

rtrext section 4.2     Message Continuation Changes
xcharext section 3.2   Requester Remote Invalidation
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.core.actions import Send

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.core.actions import Action

__all__ = ["sends_of"]


def sends_of(message: Send, later: Sequence[bytes] = ()) -> list[Action]:
    """The Sends that carry a message, one directly after the other.

    Args:
        message: the first of them, or the only one, as nearly always.  A handle of the peer's that
            ends with the message ends with its last Send.
        later: the octets of the others.
    """
    if not later:
        return [message]
    *between, last = (Send(message.key, part) for part in later)
    first = msgspec.structs.replace(message, invalidate=None)
    return [first, *between, msgspec.structs.replace(last, invalidate=message.invalidate)]
