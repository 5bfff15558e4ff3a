"""The functions of a kernel's modules, as /proc/kallsyms tells of them, found by address."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from fuzz.live.coverage import Block

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["AREA", "Symbols"]

AREA: Final = (0xFFFF_FFFF_C000_0000, 0xFFFF_FFFF_FF00_0000)
"""Where the modules of Linux on x86-64 lie, wherever the kernel itself is put."""

_CODE: Final = "tTwW"
_PADDING: Final = "__pfx_"
"""Begins the name of what lies between two functions and is never executed."""


class Symbols:
    """Where each function of each module begins."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Read them.

        Args:
            lines: of /proc/kallsyms: address, kind, name and, in brackets, the module; what is of
                no module is passed over.
        """
        found = []
        for line in lines:
            words = line.split()
            if len(words) == 4 and words[1] in _CODE and not words[2].startswith(_PADDING):
                found.append((int(words[0], 16), words[3].strip("[]"), words[2]))
        found.sort()
        self._starts = [address for address, _, _ in found]
        self._names = [(module, name) for _, module, name in found]

    def functions(self, modules: frozenset[str]) -> frozenset[tuple[str, str]]:
        """Module and name of each function of these modules."""
        return frozenset(item for item in self._names if item[0] in modules)

    def block(self, address: int) -> Block | None:
        """What begins at an address; None before the first function of all.

        What follows the last function of a module is taken for a part of it.
        """
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        return Block(*self._names[index], address - self._starts[index])
