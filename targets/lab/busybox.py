"""The busybox that virtme-ng copies into the guest's initial RAM file system.

Nothing else lies there, no shared library either: virtme-ng takes the first busybox that it finds
and refuses it unless it is statically linked (virtme/mkinitramfs.py, virtme/commands/run.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from targets.lab.programs import find_program

__all__ = ["find_busybox", "is_static"]

_NAMES: Final = ("busybox-static", "busybox.static", "busybox")
"""In virtme-ng's order."""

# The ELF header of 64 bits, little-endian (System V gABI, ELF header and program header).
_IDENTITY: Final = b"\x7fELF\x02\x01"
_HEADER_OCTETS: Final = 64
_PROGRAM_HEADERS: Final = slice(0x20, 0x28)  # where they begin in the file
_ENTRY_OCTETS: Final = slice(0x36, 0x38)
_ENTRIES: Final = slice(0x38, 0x3A)
_TYPE_OCTETS: Final = 4
_INTERPRETER: Final = 3  # PT_INTERP: the dynamic linker that the program asks for


def find_busybox(root: Path = Path("/")) -> Path | None:
    """The busybox that virtme-ng would take, whether it is statically linked or not."""
    found = (find_program(name, root) for name in _NAMES)
    return next(filter(None, found), None)


def is_static(program: Path) -> bool:
    """Whether a program of this processor's kind runs without a dynamic linker."""
    octets = program.read_bytes()
    if len(octets) < _HEADER_OCTETS or not octets.startswith(_IDENTITY):
        return False
    first, size, count = (
        int.from_bytes(octets[place], "little")
        for place in (_PROGRAM_HEADERS, _ENTRY_OCTETS, _ENTRIES)
    )
    kinds = (octets[first + size * entry :][:_TYPE_OCTETS] for entry in range(count))
    return _INTERPRETER not in (int.from_bytes(kind, "little") for kind in kinds)
