"""A file system for the kernel's start in RAM: a cpio archive of the form `newc`.

The form is described in the kernel's Documentation/driver-api/early-userspace/buffer-format.rst.
Everything belongs to root, whoever writes the archive.
"""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Archive"]

_MAGIC: Final = "070701"
_TRAILER: Final = "TRAILER!!!"
_ALIGNMENT: Final = 4


class Archive:
    """Collects entries; a folder must come before what lies in it."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._entries = 0

    def folder(self, name: str, mode: int = 0o755) -> None:
        """Add a folder."""
        self._add(name, stat.S_IFDIR | mode)

    def file(self, name: str, content: bytes, mode: int = 0o644) -> None:
        """Add a file."""
        self._add(name, stat.S_IFREG | mode, content)

    def link(self, name: str, target: str) -> None:
        """Add a symbolic link."""
        self._add(name, stat.S_IFLNK | 0o777, target.encode())

    def device(self, name: str, major: int, minor: int, mode: int = 0o600) -> None:
        """Add a character device."""
        self._add(name, stat.S_IFCHR | mode, device=(major, minor))

    def tree(self, name: str, folder: Path) -> None:
        """Add a folder of this machine's with everything below it."""
        self.folder(name, stat.S_IMODE(folder.stat().st_mode))
        for path in sorted(folder.iterdir()):
            inner = f"{name}/{path.name}"
            if path.is_symlink():
                self.link(inner, str(path.readlink()))
            elif path.is_dir():
                self.tree(inner, path)
            else:
                self.file(inner, path.read_bytes(), stat.S_IMODE(path.stat().st_mode))

    def octets(self) -> bytes:
        """The whole archive."""
        parts = list(self._parts)
        parts.append(_entry(0, _TRAILER, 0, b"", (0, 0)))
        return b"".join(parts)

    def _add(
        self, name: str, mode: int, content: bytes = b"", device: tuple[int, int] = (0, 0)
    ) -> None:
        self._entries += 1
        self._parts.append(_entry(self._entries, name, mode, content, device))


def _entry(number: int, name: str, mode: int, content: bytes, device: tuple[int, int]) -> bytes:
    path = name.encode() + b"\0"
    # Inode, mode, owner, group, links, time, size, device of the file system, device, name, check.
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(path), 0)
    head = _padded((_MAGIC + "".join(f"{field:08X}" for field in fields)).encode("ascii") + path)
    return head + _padded(content)


def _padded(octets: bytes) -> bytes:
    return octets + bytes(-len(octets) % _ALIGNMENT)
