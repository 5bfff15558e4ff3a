"""Where the XIDs of a client's calls come from (rfc5531 section 9, rfc8166 section 2.2.2)."""

from __future__ import annotations

from itertools import count
from typing import Final

__all__ = ["XidSource"]

_FIRST: Final = 0x0C110001


class XidSource:
    """XIDs of one client: no two calls that await their replies have the same."""

    def __init__(self, first: int = _FIRST) -> None:
        self._numbers = count(first)

    def take(self) -> int:
        """The XID of the next call."""
        return next(self._numbers) & 0xFFFFFFFF
