"""The file tree that NFS scenarios expect below the root of the export.

The in-memory server (`rpcrdma.ulp.nfs4_server`) serves it on loopback; whoever prepares a real
server's export makes the same files from `TREE`.  Names are relative to the export's root.  Regular
files hold `pattern(size, seed)` until somebody writes to them; only files marked `writable` ever
are written to.

This module does no I/O.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from rpcrdma.ulp.pattern import letters, pattern

__all__ = [
    "CLIENT_TREE",
    "CROWD",
    "DIRECTORY",
    "LINK",
    "LISTINGS",
    "LONG_NAMED",
    "PLAIN",
    "TREE",
    "WRITABLE",
    "TreeDirectory",
    "TreeEntry",
    "TreeFile",
    "TreeLink",
    "file_of_size",
    "pieces",
]


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A regular file; mode 0666 if writable, else 0444."""

    name: str
    size: int
    seed: int
    writable: bool = False

    @property
    def content(self) -> bytes:
        """What the file holds at first."""
        return _content(self.size, self.seed)


@cache
def _content(size: int, seed: int) -> bytes:
    return pattern(size, seed)


@dataclass(frozen=True, slots=True)
class TreeLink:
    """A symbolic link; nothing needs to exist at its target."""

    name: str
    target: str


@dataclass(frozen=True, slots=True)
class TreeDirectory:
    """A directory, mode 0755, of empty files."""

    name: str
    entries: tuple[str, ...]


TreeEntry: TypeAlias = TreeFile | TreeLink | TreeDirectory


def _listed(number: int) -> str:
    """A name, as number N of any folder of `LISTINGS` has it."""
    return f"{number:04}-{letters(number * 7 % 61).decode()}"


LINK: Final = TreeLink("link", "/".join(f"part-{number:03}" for number in range(220)))
"""A target of 1979 octets: more than a reply inline threshold of 1024, under Linux's 4095."""

DIRECTORY: Final = TreeDirectory("many", tuple(f"entry-{number:04}" for number in range(600)))
"""A listing of well over 16 KiB with any attributes: a Long Reply."""

WRITABLE: Final = TreeFile("writable", 65536, 7, writable=True)
"""Where WRITE scenarios write; they state what they expect and put nothing back."""

PLAIN: Final = TreeFile("plain", 1048576, 0)
"""What a client under test reads the beginning of: the pattern that clients of any program get."""

TREE: Final[tuple[TreeEntry, ...]] = (
    TreeFile("size-0", 0, 1),
    TreeFile("size-1", 1, 2),
    TreeFile("size-1000", 1000, 3),
    TreeFile("size-4096", 4096, 4),
    TreeFile("size-65536", 65536, 5),
    TreeFile("size-1048576", 1048576, 6),
    WRITABLE,
    LINK,
    DIRECTORY,
    PLAIN,
)

LISTINGS: Final = tuple(
    TreeDirectory(f"list-{count}", tuple(map(_listed, range(count))))
    for count in (0, 1, 2, 40, 300, 1000)
)
"""Folders by how many names they have, of many lengths."""

CROWD: Final = TreeDirectory("crowd", tuple(f"inhabitant-{number:05}" for number in range(4000)))
"""A directory that takes many Long Replies to list."""

LONG_NAMED: Final = TreeFile("n" * 255, 1000, 8)
"""A file with the longest name that file systems usually have."""

CLIENT_TREE: Final[tuple[TreeEntry, ...]] = (*TREE, *LISTINGS, CROWD, LONG_NAMED)
"""What a client under test may find in addition; no server under test is asked for it."""


def pieces(length: int) -> tuple[tuple[TreeFile, int, bytes], ...]:
    """The files that servers' cases read and none writes: file, offset and content of each piece.

    Args:
        length: octets of a piece, at most.
    """
    files = (entry for entry in TREE if isinstance(entry, TreeFile) and entry is not PLAIN)
    return tuple(
        (file, start, file.content[start : start + length])
        for file in files
        if not file.writable
        for start in range(0, file.size, length)
    )


def file_of_size(size: int) -> TreeFile:
    """The read-only file of that size.

    Raises:
        ValueError: there is none.
    """
    for entry in TREE:
        if isinstance(entry, TreeFile) and entry.size == size and not entry.writable:
            return entry
    raise ValueError(f"no file of {size} octets in the tree")
