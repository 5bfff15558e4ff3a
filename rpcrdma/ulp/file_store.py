"""The files that the embedded NFS server serves: a tree in memory, made from `file_tree`.

One `FileStore` is shared by every connection of a server; it knows files and no protocol.  Handles
are names, not addresses: `b"tree:" + path`, so that they mean the same after a restart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.file_tree import TREE, TreeDirectory, TreeFile, TreeLink

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.ulp.file_tree import TreeEntry

__all__ = ["FileStore", "Kind", "Node"]

MAXIMUM_FILE_SIZE: Final = 16 * 1024 * 1024
"""A bound on what clients can make this process hold, in octets."""

HANDLE_PREFIX: Final = b"tree:"


class Kind(Enum):
    """What a node is."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "symbolic link"


@dataclass(slots=True)
class Node:
    """One file, directory or symbolic link.

    Attributes:
        path: from the root of the tree, which is the empty string.
        kind: what it is.
        number: the file identifier, from 1.
        content: of a file; the target of a link; empty for a directory.
        writable: whether `write` is allowed.
        children: of a directory, by name, in the order in which they are listed.
        change: grows with every write.
    """

    path: str
    kind: Kind
    number: int
    content: bytearray = field(default_factory=bytearray)
    writable: bool = False
    children: dict[str, Node] = field(default_factory=dict)
    change: int = 1

    @property
    def handle(self) -> bytes:
        """The file handle: opaque to clients."""
        return HANDLE_PREFIX + self.path.encode()

    @property
    def mode(self) -> int:
        """Permission bits."""
        if self.kind is Kind.FILE:
            return 0o666 if self.writable else 0o444
        return 0o755 if self.kind is Kind.DIRECTORY else 0o777

    def read(self, offset: int, count: int) -> tuple[bytes, bool]:
        """At most `count` octets from `offset` on, and whether the end was reached."""
        data = bytes(self.content[offset : offset + count])
        return data, offset + len(data) >= len(self.content)

    def write(self, offset: int, data: bytes) -> bool:
        """Write; a gap before `offset` reads as zeroes.  False, and no change, if it is too far."""
        if not data:
            return True
        end = offset + len(data)
        if end > MAXIMUM_FILE_SIZE:
            return False
        if end > len(self.content):
            self.content.extend(bytes(end - len(self.content)))
        self.content[offset:end] = data
        self.change += 1
        return True


class FileStore:
    """A tree of nodes, found by name or handle."""

    def __init__(self, entries: Iterable[TreeEntry] = TREE) -> None:
        self.root = Node("", Kind.DIRECTORY, 1)
        self._by_handle = {self.root.handle: self.root}
        for entry in entries:
            self._add(entry)

    def by_handle(self, handle: bytes) -> Node | None:
        """The node of a handle that `Node.handle` returned; None for any other octets."""
        return self._by_handle.get(handle)

    def _add(self, entry: TreeEntry) -> None:
        match entry:
            case TreeFile():
                node = self._make(self.root, entry.name, Kind.FILE)
                node.content[:] = entry.content
                node.writable = entry.writable
            case TreeLink():
                node = self._make(self.root, entry.name, Kind.LINK)
                node.content[:] = entry.target.encode()
            case TreeDirectory():
                node = self._make(self.root, entry.name, Kind.DIRECTORY)
                for name in entry.entries:
                    self._make(node, name, Kind.FILE)

    def _make(self, parent: Node, name: str, kind: Kind) -> Node:
        path = f"{parent.path}/{name}" if parent.path else name
        node = Node(path, kind, len(self._by_handle) + 1)
        parent.children[name] = node
        self._by_handle[node.handle] = node
        return node
