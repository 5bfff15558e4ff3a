"""How a message of this end goes out: as the Sends of its transmission.

rtrext section 4.2     Message Continuation Changes
xcharext section 3.2   Requester Remote Invalidation
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.wire.transmission import divided

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action

__all__ = ["sends_of"]


def sends_of(message: Send) -> list[Action]:
    """The Sends that carry a message.

    Args:
        message: transport header and Payload stream as if one Send could carry them.  A handle
            of the peer's that ends with the message ends with its last Send.
    """
    parts = divided(message.data)
    if len(parts) == 1:  # as nearly always
        return [message]
    *first, last = (Send(message.key, part) for part in parts)
    return [*first, msgspec.structs.replace(last, invalidate=message.invalidate)]
