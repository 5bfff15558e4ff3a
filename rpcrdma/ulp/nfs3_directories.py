"""What the embedded NFSv3 server does with the names in a directory.

    RFC 1813 section 3.3    LOOKUP, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, RENAME, LINK,
                            READDIR, READDIRPLUS

Each function executes one procedure on a directory that was found (LINK: on a file), and returns
its results or raises `Nfs3Refused` or `FileError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.bindings import padded
from rpcrdma.ulp.file_node import FileError, FileKind, FileProblem
from rpcrdma.ulp.nfs3_attributes import Nfs3Refused, Subject, attributes_of, change_attributes
from rpcrdma.ulp.nfs3_binding import (
    ENTRY_FIXED,
    ENTRY_PLUS_FIXED,
    LINK_MAXIMUM,
)
from rpcrdma.wire import _generated_nfs3 as wire
from rpcrdma.wire._generated_nfs3 import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.ulp.file_node import FileNode, Listed
    from rpcrdma.ulp.file_store import FileStore

__all__ = [
    "create",
    "link",
    "lookup",
    "make_directory",
    "make_node",
    "make_symbolic_link",
    "read_directory",
    "read_directory_plus",
    "remove",
    "remove_directory",
    "rename",
]

COOKIE_VERIFIER: Final = b"lasting!"
"""Of directory cookies: each is good for ever."""

ITSELF_COOKIE: Final = 1
PARENT_COOKIE: Final = 2


def lookup(
    _store: FileStore, subject: Subject, arguments: wire.LookupArguments
) -> wire.LookupResult:
    """LOOKUP."""
    node = _named(subject.node, _text(arguments.what.name))
    return wire.LookupDone(wire.FileHandle(node.handle), attributes_of(node), subject.attributes)


def create(store: FileStore, subject: Subject, arguments: wire.CreateArguments) -> wire.MakeResult:
    """CREATE: a file that is there already may be what was asked for."""
    name = _text(arguments.where.name)
    found = subject.node.children.get(name)
    how = arguments.how
    if found is not None:
        if isinstance(how, wire.CreateUnchecked) and found.kind is FileKind.FILE:
            if how.obj_attributes.size is not None:
                change_attributes(found, how.obj_attributes)
        elif not (isinstance(how, wire.CreateExclusive) and found.verifier == how.verf):
            raise FileError(FileProblem.EXIST)
        return _made(found, subject)
    node = store.make(subject.node, name, FileKind.FILE)
    if isinstance(how, wire.CreateExclusive):
        node.verifier = how.verf
    else:
        change_attributes(node, how.obj_attributes)
    return _made(node, subject)


def make_directory(
    store: FileStore, subject: Subject, arguments: wire.MkdirArguments
) -> wire.MakeResult:
    """MKDIR."""
    node = store.make(subject.node, _text(arguments.where.name), FileKind.DIRECTORY)
    change_attributes(node, arguments.attributes)
    return _made(node, subject)


def make_symbolic_link(
    store: FileStore, subject: Subject, arguments: wire.SymlinkArguments
) -> wire.MakeResult:
    """SYMLINK."""
    target = arguments.symlink.symlink_data
    if len(target) > LINK_MAXIMUM:
        raise FileError(FileProblem.NAMETOOLONG)
    node = store.make(subject.node, _text(arguments.where.name), FileKind.LINK, target)
    change_attributes(node, arguments.symlink.symlink_attributes)
    return _made(node, subject)


def make_node(
    _store: FileStore, _subject: Subject, arguments: wire.MknodArguments
) -> wire.MakeResult:
    """MKNOD: the store has no special files."""
    known = not isinstance(arguments.what, wire.MknodOther)
    raise Nfs3Refused(Status.NFS3ERR_NOTSUPP if known else Status.NFS3ERR_BADTYPE)


def remove(
    store: FileStore, subject: Subject, arguments: wire.RemoveArguments
) -> wire.RemoveResult:
    """REMOVE."""
    store.remove(subject.node, _text(arguments.object.name), directory=False)
    return wire.RemoveDone(subject.change)


def remove_directory(
    store: FileStore, subject: Subject, arguments: wire.RemoveArguments
) -> wire.RemoveResult:
    """RMDIR."""
    store.remove(subject.node, _text(arguments.object.name), directory=True)
    return wire.RemoveDone(subject.change)


def rename(
    store: FileStore, subject: Subject, arguments: wire.RenameArguments
) -> wire.RenameResult:
    """RENAME."""
    target = Subject.of(store.find(arguments.to.dir.data))
    old, new = _text(arguments.from_.name), _text(arguments.to.name)
    store.rename(subject.node, old, target.node, new)
    return wire.RenameDone(subject.change, target.change)


def link(store: FileStore, subject: Subject, arguments: wire.LinkArguments) -> wire.LinkResult:
    """LINK: of a file; a directory is not a valid argument (RFC 1813 3.3.15)."""
    directory = Subject.of(store.find(arguments.link.dir.data))
    if subject.node.kind is FileKind.DIRECTORY:
        raise FileError(FileProblem.INVAL)
    store.link(subject.node, directory.node, _text(arguments.link.name))
    return wire.LinkDone(subject.attributes, directory.change)


def read_directory(
    _store: FileStore, subject: Subject, arguments: wire.ReaddirArguments
) -> wire.ReaddirResult:
    """READDIR: as many entries as `count` has room for."""
    node = _directory(subject.node, arguments.cookie, arguments.cookieverf)
    nothing = wire.ReaddirDone(
        subject.attributes, COOKIE_VERIFIER, wire.DirectoryList((), eof=True)
    )
    room = arguments.count - len(wire.encode_readdir_done(nothing))
    entries: list[wire.DirectoryEntry] = []
    for cookie, name, child in _listing(node, arguments.cookie):
        octets = _octets(name)
        room -= ENTRY_FIXED + padded(len(octets))
        if room < 0:
            break
        entries.append(wire.DirectoryEntry(child.number, octets, cookie))
    if room < 0 and not entries:
        raise Nfs3Refused(Status.NFS3ERR_TOOSMALL)
    listing = wire.DirectoryList(tuple(entries), eof=room >= 0)
    return wire.ReaddirDone(subject.attributes, COOKIE_VERIFIER, listing)


def read_directory_plus(
    _store: FileStore, subject: Subject, arguments: wire.ReaddirPlusArguments
) -> wire.ReaddirPlusResult:
    """READDIRPLUS: `dircount` bounds the names, `maxcount` everything."""
    node = _directory(subject.node, arguments.cookie, arguments.cookieverf)
    nothing = wire.ReaddirPlusDone(
        subject.attributes, COOKIE_VERIFIER, wire.DirectoryListPlus((), eof=True)
    )
    room = arguments.maxcount - len(wire.encode_readdir_plus_done(nothing))
    names = arguments.dircount
    entries: list[wire.DirectoryEntryPlus] = []
    for cookie, name, child in _listing(node, arguments.cookie):
        octets, handle = _octets(name), child.handle
        room -= ENTRY_PLUS_FIXED + padded(len(octets)) + padded(len(handle))
        names -= ENTRY_FIXED + padded(len(octets))
        # One entry is given in any case that there is room for: dircount is but a hint.
        if room < 0 or (names < 0 and entries):
            room = -1
            break
        entries.append(
            wire.DirectoryEntryPlus(
                child.number, octets, cookie, attributes_of(child), wire.FileHandle(handle)
            )
        )
    if room < 0 and not entries:
        raise Nfs3Refused(Status.NFS3ERR_TOOSMALL)
    listing = wire.DirectoryListPlus(tuple(entries), eof=room >= 0)
    return wire.ReaddirPlusDone(subject.attributes, COOKIE_VERIFIER, listing)


def _directory(node: FileNode, cookie: int, verifier: bytes) -> FileNode:
    if node.kind is not FileKind.DIRECTORY:
        raise FileError(FileProblem.NOTDIR)
    if cookie and verifier != COOKIE_VERIFIER:
        raise Nfs3Refused(Status.NFS3ERR_BAD_COOKIE)
    return node


def _listing(node: FileNode, cookie: int) -> Iterator[Listed]:
    if cookie < ITSELF_COOKIE:
        yield ITSELF_COOKIE, ".", node
    if cookie < PARENT_COOKIE:
        yield PARENT_COOKIE, "..", node.parent or node
    yield from node.listing(cookie)


def _named(directory: FileNode, name: str) -> FileNode:
    if directory.kind is FileKind.DIRECTORY:
        if name == ".":
            return directory
        if name == "..":
            return directory.parent or directory
    return directory.child(name)


def _made(node: FileNode, subject: Subject) -> wire.MakeDone:
    return wire.MakeDone(wire.FileHandle(node.handle), attributes_of(node), subject.change)


def _text(octets: bytes) -> str:
    """A name as the store keeps it; octets that are not UTF-8 are names as well."""
    return octets.decode("utf-8", "surrogateescape")


def _octets(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
