"""How a message of this end goes out: as the Sends of its transmission.

rtrext section 4.2     Message Continuation Changes
xcharext section 3.2   Requester Remote Invalidation
"""

from __future__ import annotations

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.wire.transmission import divided

__all__ = ["sends_of"]


def sends_of(key: int, message: bytes, invalidate: int | None = None) -> list[Send]:
    """The Sends that carry a message.

    Args:
        key: of the work that they are.
        message: transport header and Payload stream.
        invalidate: handle of the peer's that ends with the message, and so with the last Send.
    """
    *first, last = divided(message)
    return [*(Send(key, part) for part in first), Send(key, last, invalidate)]
