"""The XIDs of the tester's calls: others in each case, each run and each process.

    RFC 5531 section 5    a server may remember by their XIDs what calls it has executed
    RFC 1813 section 4.5  servers of NFS have a duplicate request cache for it

Linux knows a call by its XID, the client's address without the port, and the beginning of its
arguments, for two minutes (fs/nfsd/nfscache.c, svc_rdma_transport.c; 6.1).  A tester that counted
from the same number again would get the Reply to a WRITE of an earlier case, run or process, and
nothing would be written.

What a report says of a case must be the same in the next run all the same, so a call is named there
by its number in the case: `#2`.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Xids"]

_XID: Final = re.compile(r"\b0x[0-9a-f]{8}\b")

_ALL: Final = 1 << 32
_LEAST: Final = 1 << 31
"""Devices' own begin below that, most of them with small numbers."""

_CASE: Final = 0x100
"""A case's first XID ends in 01, so that a person sees the number of a call in its XID."""


class Xids:
    """An endless iterator of XIDs, which knows those of the running case by their numbers."""

    def __init__(self, first: int | None = None) -> None:
        """Begin.

        Args:
            first: near which the first case's are, where runs are to be compared octet by octet;
                None: anywhere, as a device needs it that remembers earlier runs.
        """
        if first is None:
            first = _LEAST + secrets.randbelow(_LEAST // _CASE) * _CASE
        self._first = self._next = first + 1

    def begin(self) -> None:
        """Begin a case: its first call is number 1."""
        self._first = self._next = (self._next // _CASE + 1) * _CASE + 1

    def reserve(self, count: int) -> int:
        """The first of so many successive XIDs, which nobody else gets; after the last comes 0."""
        first = self._next
        self._next += count
        return first % _ALL

    def numbered(self, text: str) -> str:
        """The text with the numbers of the case's calls in place of their XIDs."""

        def number(found: re.Match[str]) -> str:
            earlier = (int(found[0], 16) - self._first) % _ALL
            return f"#{earlier + 1}" if earlier < self._next - self._first else found[0]

        return _XID.sub(number, text)

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        return self.reserve(1)
