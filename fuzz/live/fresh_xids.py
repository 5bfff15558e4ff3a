"""Kept messages under XIDs that a device has not seen: it may remember earlier calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError
from rpcrdma.wire import decode_any_header

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["with_fresh_xids"]

_WORD: Final = 4


def with_fresh_xids(messages: Sequence[bytes], xids: Iterator[int]) -> list[bytes]:
    """The messages under other XIDs; equal ones stay equal.

    The RPC message behind a header has the XID of the header, if it had it before.  What is shorter
    than an XID stays as it is.

    Args:
        messages: in order.
        xids: gives one after the other.
    """
    fresh: dict[bytes, bytes] = {}
    renamed = []
    for message in messages:
        old = message[:_WORD]
        if len(old) == _WORD and old not in fresh:
            fresh[old] = next(xids).to_bytes(_WORD, "big")
        renamed.append(_renamed(message, old, fresh.get(old, old)))
    return renamed


def _renamed(message: bytes, old: bytes, new: bytes) -> bytes:
    try:
        _, end = decode_any_header(message)
    except DecodeError:
        return new + message[len(old) :]
    payload = message[end:]
    if payload.startswith(old):
        payload = new + payload[_WORD:]
    return new + message[_WORD:end] + payload
