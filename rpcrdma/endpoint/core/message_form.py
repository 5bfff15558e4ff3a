"""The three ways in which an RPC message travels (rfc8166 section 3.5)."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["MessageForm"]


class MessageForm(Enum):
    """How a message travels."""

    SHORT = auto()  # rfc8166 3.5.1: one Send, nothing reduced
    CHUNKED = auto()  # rfc8166 3.5.2: one Send, items reduced
    LONG = auto()  # rfc8166 3.5.3: the Payload stream itself is in a chunk
