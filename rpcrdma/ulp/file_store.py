"""The files that the embedded NFS servers serve: a tree in memory, made from `file_tree`.

One `FileStore` is shared by every connection of a server; it knows files and no protocol.  What a
client may not do is a `FileError`, whose `FileProblem` has the same name in every version of NFS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.file_node import HANDLE_PREFIX, FileError, FileKind, FileNode, FileProblem
from rpcrdma.ulp.file_tree import TREE, TreeDirectory, TreeFile, TreeLink

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.ulp.file_tree import TreeEntry

__all__ = ["NAME_MAXIMUM", "NODES_MAXIMUM", "FileStore"]

NODES_MAXIMUM: Final = 20_000
"""Nodes that a store holds at most: with the size of a file, a bound on its memory."""

NAME_MAXIMUM: Final = 255
"""Octets of the longest name."""


class FileStore:
    """A tree of nodes, found by name or handle."""

    def __init__(self, entries: Iterable[TreeEntry] = TREE) -> None:
        self.root = FileNode("", FileKind.DIRECTORY, 1)
        self.root.parent = self.root
        self._by_handle = {self.root.handle: self.root}
        self._unmade: dict[FileNode, int] = {}  # directory -> its files, none of which is made yet
        self._next_number = 2
        for entry in entries:
            self._add(entry)

    def __len__(self) -> int:
        """How many nodes there are."""
        return len(self._by_handle) + sum(self._unmade.values())

    def by_handle(self, handle: bytes) -> FileNode | None:
        """The node of a handle that `FileNode.handle` returned; None for any other octets."""
        node = self._by_handle.get(handle)
        if node is None and self._unmade and handle.startswith(HANDLE_PREFIX):
            self._make_all()
            node = self._by_handle.get(handle)
        return node

    def find(self, handle: bytes) -> FileNode:
        """The node of a handle.

        Raises:
            FileError: it is gone (STALE), or this is no handle of ours (BADHANDLE).
        """
        node = self.by_handle(handle)
        if node is None:
            ours = handle.startswith(HANDLE_PREFIX)
            raise FileError(FileProblem.STALE if ours else FileProblem.BADHANDLE)
        return node

    def make(self, parent: FileNode, name: str, kind: FileKind, content: bytes = b"") -> FileNode:
        """Make a node that anybody may write to.

        Args:
            parent: the directory.
            name: free in it.
            kind: of the new node.
            content: of a file; the target of a link.

        Raises:
            FileError: NOTDIR, EXIST, INVAL, NAMETOOLONG, NOSPC.
        """
        self._check_free(parent, name)
        if len(self) >= NODES_MAXIMUM:
            raise FileError(FileProblem.NOSPC)
        return self._make(parent, name, kind, content, writable=True)

    def link(self, node: FileNode, parent: FileNode, name: str) -> None:
        """Give a node that is not a directory one more name.

        Raises:
            FileError: ISDIR, NOTDIR, EXIST, INVAL, NAMETOOLONG.
        """
        if node.kind is FileKind.DIRECTORY:
            raise FileError(FileProblem.ISDIR)
        self._check_free(parent, name)
        parent.attach(name, node)
        node.links += 1
        node.touch()

    def remove(self, parent: FileNode, name: str, *, directory: bool) -> None:
        """Remove a name; its node goes with its last name.

        Args:
            parent: the directory.
            name: in it.
            directory: whether a directory is to be removed, or anything else.

        Raises:
            FileError: NOTDIR, NOENT, ISDIR, NOTEMPTY.
        """
        node = parent.child(name)
        is_directory = node.kind is FileKind.DIRECTORY
        if is_directory is not directory:
            raise FileError(FileProblem.NOTDIR if directory else FileProblem.ISDIR)
        if node.children:
            raise FileError(FileProblem.NOTEMPTY)
        self._drop(parent, name)

    def rename(self, source: FileNode, old: str, target: FileNode, new: str) -> None:
        """Give a node another name, in place of what has that name.

        Raises:
            FileError: NOTDIR, NOENT, INVAL, NAMETOOLONG, and EXIST or NOTEMPTY if what has the new
                name cannot give way.
        """
        node = source.child(old)
        if target.kind is not FileKind.DIRECTORY:
            raise FileError(FileProblem.NOTDIR)
        _check_name(new)
        if _is_within(target, node):
            raise FileError(FileProblem.INVAL)
        taken = target.children.get(new)
        if taken is node:
            return  # both names are of the same file: nothing is to be done (RFC 1813 3.3.14)
        if taken is not None:
            if (taken.kind is FileKind.DIRECTORY) is not (node.kind is FileKind.DIRECTORY):
                raise FileError(FileProblem.EXIST)
            if taken.children:
                raise FileError(FileProblem.NOTEMPTY)
            self._drop(target, new)
        source.detach(old)
        target.attach(new, node)
        node.touch()

    def _check_free(self, parent: FileNode, name: str) -> None:
        if parent.kind is not FileKind.DIRECTORY:
            raise FileError(FileProblem.NOTDIR)
        _check_name(name)
        if name in parent.children:
            raise FileError(FileProblem.EXIST)

    def _drop(self, parent: FileNode, name: str) -> None:
        node = parent.detach(name)
        node.links = 0 if node.kind is FileKind.DIRECTORY else node.links - 1
        node.touch()
        if not node.links:
            del self._by_handle[node.handle]

    def _add(self, entry: TreeEntry) -> None:
        match entry:
            case TreeFile():
                content, writable = entry.content, entry.writable
                self._make(self.root, entry.name, FileKind.FILE, content, writable=writable)
            case TreeLink():
                self._make(self.root, entry.name, FileKind.LINK, entry.target.encode())
            case TreeDirectory():
                node = self._make(self.root, entry.name, FileKind.DIRECTORY)
                self._enter_later(node, entry.entries)

    def _make(
        self,
        parent: FileNode,
        name: str,
        kind: FileKind,
        content: bytes = b"",
        *,
        writable: bool = False,
    ) -> FileNode:
        node = FileNode(name, kind, self._next_number, content, writable)
        self._next_number += 1
        parent.attach(name, node)
        self._by_handle[node.handle] = node
        return node

    def _enter_later(self, directory: FileNode, names: tuple[str, ...]) -> None:
        """Enter empty files, which are made when somebody asks for one: few servers are."""
        first = self._next_number
        self._next_number += len(names)
        self._unmade[directory] = len(names)

        def make() -> list[FileNode]:
            nodes = [
                FileNode(name, FileKind.FILE, number) for number, name in enumerate(names, first)
            ]
            self._by_handle.update((node.handle, node) for node in nodes)
            del self._unmade[directory]
            return nodes

        directory.enter_later(len(names), make)

    def _make_all(self) -> None:
        """Make the files that nobody has asked for."""
        for directory in list(self._unmade):
            _ = directory.children


def _check_name(name: str) -> None:
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        raise FileError(FileProblem.INVAL)
    if len(name.encode("utf-8", "surrogateescape")) > NAME_MAXIMUM:
        raise FileError(FileProblem.NAMETOOLONG)


def _is_within(place: FileNode, node: FileNode) -> bool:
    """Whether `place` is `node`, or somewhere below it."""
    while place is not node:
        if place.parent is None or place.parent is place:
            return False
        place = place.parent
    return True
