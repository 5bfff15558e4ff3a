"""How data that came differ from those that should have come."""

from __future__ import annotations

from typing import Final

__all__ = ["differing"]

_SHOWN: Final = 8
"""Octets; what is wrong with them often tells where they come from."""


def differing(found: bytes, expected: bytes) -> str:
    """How data differ, in a clause; empty if they do not."""
    if len(found) != len(expected):
        return f"{len(found)} octets instead of {len(expected)}"
    if found == expected:
        return ""
    wrong = [place for place, octet in enumerate(found) if octet != expected[place]]
    shown = slice(wrong[0], wrong[0] + _SHOWN)
    return (
        f"{len(wrong)} of {len(found)} octets are wrong, from octet {wrong[0]} on:"
        f" {found[shown].hex()} instead of {expected[shown].hex()}"
    )
