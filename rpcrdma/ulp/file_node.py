"""One file, directory or symbolic link of the store that the embedded NFS servers serve.

A node knows files and no protocol; `rpcrdma.ulp.file_store` keeps the tree of them.  There is no
clock: the time of a change is the number of the change, in milliseconds after `BEGINNING`, so that
clients see times grow and every run sees the same ones.

This module does no I/O.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "BEGINNING",
    "MAXIMUM_FILE_SIZE",
    "FileError",
    "FileKind",
    "FileNode",
    "FileProblem",
    "Listed",
]

MAXIMUM_FILE_SIZE: Final = 16 * 1024 * 1024
"""A bound on what clients can make this process hold, in octets."""

BEGINNING: Final = 1_600_000_000 * 10**9
"""When every tree begins: nanoseconds since 1970."""

CHANGE_INTERVAL: Final = 10**6
"""Nanoseconds between one change and the next."""

HANDLE_PREFIX: Final = b"tree:"

FIRST_COOKIE: Final = 3
"""RFC 7530 16.24.4: 0, 1 and 2 have other meanings; version 3 needs 1 and 2 for `.` and `..`."""


class FileKind(Enum):
    """What a node is."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "symbolic link"


DEFAULT_MODES: Final = {FileKind.FILE: 0o444, FileKind.DIRECTORY: 0o755, FileKind.LINK: 0o777}
WRITABLE_MODE: Final = 0o666


class FileProblem(Enum):
    """Why something cannot be done; the names are those after NFS3ERR_ and NFS4ERR_."""

    NOENT = "no such name"
    EXIST = "the name is taken"
    NOTDIR = "not a directory"
    ISDIR = "a directory"
    INVAL = "not a valid argument, or not of this kind"
    FBIG = "the file would be too large"
    NOSPC = "the store is full"
    NAMETOOLONG = "the name is too long"
    NOTEMPTY = "the directory is not empty"
    STALE = "the file of this handle is gone"
    BADHANDLE = "not a handle of this store"


class FileError(Exception):
    """Something cannot be done, and nothing was changed."""

    def __init__(self, problem: FileProblem) -> None:
        super().__init__(problem.value)
        self.problem = problem


Listed: TypeAlias = "tuple[int, str, FileNode]"
"""An entry of a directory: the cookie after it, its name, its node."""


@dataclass(slots=True, eq=False)
class FileNode:
    """One file, directory or symbolic link.

    Attributes:
        name: the latest name that it was given; the empty string for the root.
        kind: what it is.
        number: the file identifier, from 1; never given twice.
        content: of a file; the target of a link; empty for a directory.  Stores share it until
            it is changed.
        writable: whether `write` is allowed, whatever the mode says.
        change: grows with every change.
        mode: permission bits; nobody is held to them.
        user: the owner's number.  group: likewise.
        links: names that it has, and a directory's own two; 0 once it is removed.
        parent: of a directory, the one it is in; the root is its own.
        modified: when the content changed last; nanoseconds since 1970.
        accessed: when it was read, as far as a client has said so; likewise.
        access_list: who may do what, as NFSv4 encodes it (RFC 7530 section 6.2.1); nobody is held
            to it.
        extended: what programs have written down about it, by name (RFC 8276).
        verifier: by which an exclusive creation that comes twice is recognised.
    """

    name: str
    kind: FileKind
    number: int
    content: bytes | bytearray = b""
    writable: bool = False
    change: int = 1
    mode: int = -1
    user: int = 0
    group: int = 0
    links: int = 1
    parent: FileNode | None = field(default=None, repr=False)
    modified: int = BEGINNING
    accessed: int = BEGINNING
    access_list: bytes = bytes(4)
    extended: dict[bytes, bytes] = field(default_factory=dict, repr=False)
    verifier: bytes = b""
    _children: dict[str, FileNode] = field(default_factory=dict, init=False, repr=False)
    _enter_rest: Callable[[], None] | None = field(default=None, init=False, repr=False)
    _cookies: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _next_cookie: int = field(default=FIRST_COOKIE, init=False, repr=False)

    def __post_init__(self) -> None:
        """Fill in what depends on the kind."""
        if self.mode < 0:
            writable_file = self.writable and self.kind is FileKind.FILE
            self.mode = WRITABLE_MODE if writable_file else DEFAULT_MODES[self.kind]
        if self.kind is FileKind.DIRECTORY:
            self.links = 2

    @property
    def handle(self) -> bytes:
        """The file handle: opaque to clients, and the same after a restart of the first tree."""
        return HANDLE_PREFIX + str(self.number).encode()

    @property
    def children(self) -> dict[str, FileNode]:
        """Of a directory, by name, in the order in which they are listed."""
        if self._enter_rest is not None:
            enter_rest, self._enter_rest = self._enter_rest, None
            enter_rest()
        return self._children

    @property
    def changed(self) -> int:
        """When anything of it changed last; nanoseconds since 1970."""
        return BEGINNING + self.change * CHANGE_INTERVAL

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
        content = self._changeable()
        if end > len(content):
            content.extend(bytes(end - len(content)))
        content[offset:end] = data
        self.touch(content=True)
        return True

    def resize(self, size: int) -> None:
        """Cut a file, or lengthen it by zeroes.

        Raises:
            FileError: it is not a file (ISDIR, INVAL), or the size is too large (FBIG).
        """
        if self.kind is not FileKind.FILE:
            raise FileError(
                FileProblem.ISDIR if self.kind is FileKind.DIRECTORY else FileProblem.INVAL
            )
        if size > MAXIMUM_FILE_SIZE:
            raise FileError(FileProblem.FBIG)
        content = self._changeable()
        del content[size:]
        content.extend(bytes(size - len(content)))
        self.touch(content=True)

    def _changeable(self) -> bytearray:
        """The content, which is this node's own from now on."""
        if not isinstance(self.content, bytearray):
            self.content = bytearray(self.content)
        return self.content

    def touch(self, *, content: bool = False) -> None:
        """Note a change: of the content, or of an attribute only."""
        self.change += 1
        if content:
            self.modified = self.changed

    def child(self, name: str) -> FileNode:
        """The node of a name in this directory; `.` and `..` are not looked at.

        Raises:
            FileError: this is not a directory (NOTDIR), or it has no such name (NOENT).
        """
        if self.kind is not FileKind.DIRECTORY:
            raise FileError(FileProblem.NOTDIR)
        found = self.children.get(name)
        if found is None:
            raise FileError(FileProblem.NOENT)
        return found

    def listing(self, cookie: int = 0) -> Iterator[Listed]:
        """The entries of this directory after a cookie, 0 for all of them.

        Cookies grow from entry to entry and are never given twice, so that a listing goes on at
        the right place whatever was removed or added meanwhile.
        """
        for name, node in self.children.items():
            after = self._cookies[name]
            if after > cookie:
                yield after, name, node

    def attach(self, name: str, node: FileNode) -> None:
        """Enter a node into this directory under a name that is free."""
        self.children[name] = node
        self._cookies[name] = self._next_cookie
        self._next_cookie += 1
        node.name = name
        if node.kind is FileKind.DIRECTORY:
            node.parent = self
            self.links += 1
        self.touch(content=True)

    def enter_later(self, count: int, make: Callable[[], list[FileNode]]) -> None:
        """Enter files into this empty directory, which are made only when somebody looks for them.

        Nothing else tells them from files that were entered at once.

        Args:
            count: of the files.
            make: makes their nodes, in the order in which they are listed.
        """

        def enter_rest() -> None:
            for cookie, node in enumerate(make(), first):
                self._children[node.name], self._cookies[node.name] = node, cookie

        first = self._next_cookie
        self._next_cookie += count
        self._enter_rest = enter_rest
        self.change += count
        self.modified = self.changed

    def detach(self, name: str) -> FileNode:
        """Take the node of a name out of this directory."""
        node = self.children.pop(name)
        del self._cookies[name]
        if node.kind is FileKind.DIRECTORY:
            self.links -= 1
        self.touch(content=True)
        return node
