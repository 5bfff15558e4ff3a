"""The file in memory where the plugin counts (`plugin/coverage.c`): made here, mapped by both.

    magic       8 octets
    capacity    blocks that there is room for, a power of two
    used        blocks that have been translated, in the order of their first translation
    lost        blocks that found no room
    addresses   of each block, in the guest
    counts      how often each was executed

All but the magic are numbers of 64 bits in the machine's own order.  The file has no name in any
folder, and ends with whoever has it open.
"""

from __future__ import annotations

import mmap
import os
import struct
from typing import Final

__all__ = ["BlockFile"]

_HEAD: Final = struct.Struct("=8sQQQ")
_MAGIC: Final = b"RPCBLKS1"
_WORD: Final = 8
_USED, _LOST = 2, 3
"""Places in the head, in words."""

_CAPACITY: Final = 1 << 17
"""Five times what the modules of a guest have."""


class BlockFile:
    """A file for one machine, whose QEMU finds it at `path` as long as this is open."""

    def __init__(self, capacity: int = _CAPACITY) -> None:
        """Make it, with no block yet.

        Args:
            capacity: blocks that there is room for; a power of two.

        Raises:
            OSError: there is no memory.
        """
        self._capacity = capacity
        size = _HEAD.size + 2 * _WORD * capacity
        self._file = os.memfd_create("rpcrdma-blocks")
        os.ftruncate(self._file, size)
        self._memory = mmap.mmap(self._file, size)
        _HEAD.pack_into(self._memory, 0, _MAGIC, capacity, 0, 0)
        self._words = memoryview(self._memory).cast("Q")

    @property
    def path(self) -> str:
        """Where another process of the same user opens it."""
        return f"/proc/{os.getpid()}/fd/{self._file}"

    @property
    def used(self) -> int:
        """How many blocks there are."""
        return self._words[_USED]

    @property
    def lost(self) -> int:
        """How many translations found no room."""
        return self._words[_LOST]

    def addresses(self, first: int) -> list[int]:
        """Of the blocks from a number on."""
        start = _HEAD.size // _WORD
        return self._words[start + first : start + self.used].tolist()

    def counts(self) -> list[int]:
        """How often each block was executed, by its number."""
        start = _HEAD.size // _WORD + self._capacity
        return self._words[start : start + self.used].tolist()

    def close(self) -> None:
        """Let go of it.  Twice is allowed."""
        if self._file >= 0:
            self._words.release()
            self._memory.close()
            os.close(self._file)
            self._file = -1
