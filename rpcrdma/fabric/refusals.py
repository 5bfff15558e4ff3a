"""What a fabric cannot do, in the same words whatever the fabric is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.errors import ConnectionLost, DeadlineExceeded, FabricError

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Address

__all__ = ["answered_already", "full", "gone", "unanswered", "unfinished", "why_refused"]

_NOBODY_LISTENS: Final = 8
"""Code of a rejection: invalid service id (InfiniBand Architecture volume 1, 12.6.7.2)."""


def unanswered(address: Address, timeout: float) -> DeadlineExceeded:
    """Nothing has come back from where a connection was asked for."""
    return DeadlineExceeded(f"no answer from {address} within {timeout} s")


def unfinished(timeout: float) -> DeadlineExceeded:
    """A peer was accepted, and is not heard of again."""
    return DeadlineExceeded(f"the peer did not finish connecting within {timeout} s")


def answered_already() -> FabricError:
    """A connection request is accepted or rejected once."""
    return FabricError("the connection request was answered already")


def why_refused(code: int) -> str:
    """What a rejection with this code means."""
    return "nobody listens" if code == _NOBODY_LISTENS else f"the peer refused (code {code})"


def gone() -> ConnectionLost:
    """Work was posted too late."""
    return ConnectionLost("the connection is gone")


def full(posted: int, what: str = "requests") -> FabricError:
    """There is more work than the connection was made for."""
    return FabricError(f"{posted} {what} are posted: the queue is full")
