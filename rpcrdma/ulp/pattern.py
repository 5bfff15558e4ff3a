"""Octets that tell where they are: the known content of every file and every fetched item.

A tester can say of any octet it received whether it is the right one, from its position and the
seed alone; shifted, swapped or repeated parts show, because neighbouring rows of 256 octets and
neighbouring blocks of 64 KiB differ.
"""

from __future__ import annotations

from functools import lru_cache

__all__ = ["first_difference", "letters", "pattern"]

ROW = 256
BLOCK = 65536

_LETTERS = bytes(ord("a") + octet % 16 for octet in range(256))


@lru_cache(maxsize=1)
def _block() -> bytes:
    return bytes((i * 31 + (i // ROW) * 7) & 0xFF for i in range(BLOCK))


@lru_cache(maxsize=256)
def _shifted_block(shift: int) -> bytes:
    return _block().translate(bytes((octet + shift) & 0xFF for octet in range(256)))


def pattern(length: int, seed: int = 0) -> bytes:
    """The first `length` octets of the pattern with `seed`.

    Octet i is `(i * 31 + (i // 256) * 7 + (i // 65536) * 13 + seed) mod 256`.
    """
    blocks = [_shifted_block((k * 13 + seed) & 0xFF) for k in range(length // BLOCK)]
    last = _shifted_block((len(blocks) * 13 + seed) & 0xFF)[: length % BLOCK]
    return b"".join((*blocks, last))


def letters(length: int) -> bytes:
    """The pattern in the letters from a to p, for paths and names.

    Letter i is that whose number, from 0, is the pattern's octet i modulo 16.
    """
    return pattern(length).translate(_LETTERS)


def first_difference(data: bytes, seed: int = 0) -> int | None:
    """Index of the first octet of `data` that is not the pattern's, or None."""
    expected = pattern(len(data), seed)
    if data == expected:
        return None
    return next(i for i, octet in enumerate(data) if octet != expected[i])
