"""Private data: octets of the application that travel with the handshake of a connection.

    InfiniBand Architecture volume 1, 12.6 (REP, REJ); annex A11 (what rdma_cm leaves of a REQ)

A message of connection management has a field of fixed length for them.  So a receiver sees the
whole field, with zeroes after what was sent; loopback has no such messages and adds nothing.
Nobody takes the zeroes away: whoever reads private data must not mind them.
"""

from __future__ import annotations

from typing import Final

from rpcrdma.errors import FabricError

__all__ = ["MOST_IN_REJECT", "MOST_IN_REPLY", "MOST_IN_REQUEST", "require_room"]

MOST_IN_REQUEST: Final = 56
"""Octets: of the 92 of a REQ, 36 are rdma_cm's own."""

MOST_IN_REPLY: Final = 196
MOST_IN_REJECT: Final = 148


def require_room(data: bytes, most: int) -> None:
    """Refuse private data that do not fit into a message.

    Raises:
        FabricError: with both sizes.
    """
    if len(data) > most:
        raise FabricError(f"{len(data)} octets of private data; the CM carries {most} here")
