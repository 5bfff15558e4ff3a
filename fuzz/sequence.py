"""A sequence of messages as one run of octets, so that a fuzzer can mutate it.

Each message is led by its length in two octets, big-endian.  Any octets are a sequence: a length
that reaches beyond the end takes what is left, so that no mutation is wasted.
"""

from __future__ import annotations

from typing import Final

__all__ = ["MOST_MESSAGES", "PREFIX", "join", "split"]

MOST_MESSAGES: Final = 64
"""Messages taken from one input; more than any state that a Responder keeps needs."""

PREFIX: Final = 2
"""Octets of the length before each message."""


def split(octets: bytes) -> list[bytes]:
    """The messages of a sequence."""
    messages: list[bytes] = []
    start = 0
    while start + PREFIX <= len(octets) and len(messages) < MOST_MESSAGES:
        length = int.from_bytes(octets[start : start + PREFIX], "big")
        start += PREFIX
        messages.append(octets[start : start + length])
        start += length
    return messages


def join(messages: list[bytes]) -> bytes:
    """The sequence of these messages.

    Raises:
        OverflowError: a message has more than 65535 octets.
    """
    return b"".join(len(message).to_bytes(PREFIX, "big") + message for message in messages)
