from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

from rpcrdma.ulp import nfs3
from rpcrdma.ulp.file_node import FileKind
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs3_attributes import attributes_of
from rpcrdma.ulp.nfs3_binding import LINK_MAXIMUM
from rpcrdma.ulp.nfs3_server import Nfs3Program
from rpcrdma.wire import _generated_nfs3 as wire
from rpcrdma.wire._generated_nfs3 import Status

if TYPE_CHECKING:
    from rpcrdma.ulp.cursor import Decoder
    from rpcrdma.ulp.file_node import FileNode

R = TypeVar("R")

V3 = wire.NFS_V3
NAMES = [f"entry-{number:03}" for number in range(100)]


class Export:
    """A server with `file`, and `dir` of a hundred files."""

    def __init__(self) -> None:
        self.store = FileStore(())
        self.root = self.store.root
        self.file = self.store.make(self.root, "file", FileKind.FILE, b"abc")
        self.directory = self.store.make(self.root, "dir", FileKind.DIRECTORY)
        for name in NAMES:
            self.store.make(self.directory, name, FileKind.FILE)
        self._program = Nfs3Program(self.store)

    def ask(self, ask: nfs3.Ask, decode: Decoder[R]) -> R:
        call = nfs3.call(1, ask)
        (reply,) = self._program.execute(call)
        assert len(reply) <= self._program.expectation(call).maximum
        return nfs3.parse(reply, decode)

    def make(self, procedure: int, arguments: bytes) -> wire.MakeResult:
        return self.ask(nfs3.Ask(procedure, arguments), wire.decode_make_result)


@pytest.fixture
def export() -> Export:
    return Export()


def at(directory: FileNode, name: bytes) -> wire.DirectoryName:
    return wire.DirectoryName(wire.FileHandle(directory.handle), name)


@pytest.mark.parametrize("name", [b".", b"..", b"file", b"dir"])
def test_name_is_looked_up(export: Export, name: bytes) -> None:
    found = export.ask(nfs3.lookup(export.root.handle, name), wire.decode_lookup_result)

    node = export.root.children.get(name.decode(), export.root)
    assert found == wire.LookupDone(
        wire.FileHandle(node.handle), attributes_of(node), attributes_of(export.root)
    )


@pytest.mark.parametrize(
    ("directory", "name", "status"),
    [
        ("dir", b"none", Status.NFS3ERR_NOENT),
        ("dir", b"\xff", Status.NFS3ERR_NOENT),
        ("file", b".", Status.NFS3ERR_NOTDIR),
    ],
)
def test_name_that_is_not_there_is_refused(
    export: Export, directory: str, name: bytes, status: Status
) -> None:
    node = export.root.child(directory)

    found = export.ask(nfs3.lookup(node.handle, name), wire.decode_lookup_result)

    assert found == wire.LookupFailed(status, attributes_of(node))


def test_octets_that_are_no_text_are_a_name(export: Export) -> None:
    made = export.ask(nfs3.create(export.root.handle, b"\xff\xfe"), wire.decode_make_result)
    found = export.ask(nfs3.read_directory(export.root.handle, 4096), wire.decode_readdir_result)

    assert isinstance(made, wire.MakeDone)
    assert isinstance(found, wire.ReaddirDone)
    assert found.reply.entries[-1].name == b"\xff\xfe"


def create(export: Export, name: bytes, how: wire.CreateHow) -> wire.MakeResult:
    arguments = wire.CreateArguments(at(export.root, name), how)
    return export.make(V3.NFSPROC3_CREATE, wire.encode_create_arguments(arguments))


KEEP = nfs3.AS_IT_IS
EMPTIED = wire.NewAttributes(0o640, None, None, 0, KEEP.atime, KEEP.mtime)


def test_new_file_has_the_attributes_that_were_asked_for(export: Export) -> None:
    made = create(export, b"new", wire.CreateGuarded(EMPTIED))

    node = export.root.child("new")
    assert isinstance(made, wire.MakeDone)
    assert made.obj == wire.FileHandle(node.handle)
    assert (node.mode, made.obj_attributes) == (0o640, attributes_of(node))
    assert made.dir_wcc.before != made.dir_wcc.after


def test_unchecked_creation_takes_the_file_that_is_there(export: Export) -> None:
    kept = create(export, b"file", wire.CreateUnchecked(KEEP))
    content = bytes(export.file.content)
    create(export, b"file", wire.CreateUnchecked(EMPTIED))

    assert isinstance(kept, wire.MakeDone)
    assert kept.obj == wire.FileHandle(export.file.handle)
    assert (content, bytes(export.file.content)) == (b"abc", b"")


@pytest.mark.parametrize(
    ("name", "how"),
    [
        (b"file", wire.CreateGuarded(KEEP)),
        (b"file", wire.CreateExclusive(b"12345678")),
        (b"dir", wire.CreateUnchecked(KEEP)),
    ],
)
def test_name_that_is_taken_is_refused(export: Export, name: bytes, how: wire.CreateHow) -> None:
    made = create(export, name, how)

    assert isinstance(made, wire.MakeFailed)
    assert made.status is Status.NFS3ERR_EXIST


def test_exclusive_creation_that_comes_twice_succeeds_twice(export: Export) -> None:
    first = create(export, b"new", wire.CreateExclusive(b"12345678"))
    second = create(export, b"new", wire.CreateExclusive(b"12345678"))
    other = create(export, b"new", wire.CreateExclusive(b"87654321"))

    assert isinstance(first, wire.MakeDone)
    assert isinstance(second, wire.MakeDone)
    assert first.obj == second.obj
    assert isinstance(other, wire.MakeFailed)


def test_directory_is_made_and_removed(export: Export) -> None:
    arguments = wire.MkdirArguments(at(export.root, b"new"), KEEP)
    made = export.make(V3.NFSPROC3_MKDIR, wire.encode_mkdir_arguments(arguments))
    kind = export.root.child("new").kind
    removed = remove(export, V3.NFSPROC3_RMDIR, b"new")

    assert isinstance(made, wire.MakeDone)
    assert kind is FileKind.DIRECTORY
    assert isinstance(removed, wire.RemoveDone)
    assert "new" not in export.root.children


def test_link_is_made_unless_it_is_too_long(export: Export) -> None:
    root = export.root.handle
    target = b"t" * LINK_MAXIMUM
    made = export.ask(nfs3.symbolic_link(root, b"new", target), wire.decode_make_result)
    refused = export.ask(nfs3.symbolic_link(root, b"n", target + b"t"), wire.decode_make_result)

    assert isinstance(made, wire.MakeDone)
    assert bytes(export.root.child("new").content) == target
    assert isinstance(refused, wire.MakeFailed)
    assert refused.status is Status.NFS3ERR_NAMETOOLONG


@pytest.mark.parametrize(
    ("what", "status"),
    [
        (wire.MknodFifo(KEEP), Status.NFS3ERR_NOTSUPP),
        (wire.MknodOther(wire.FileType.NF3REG), Status.NFS3ERR_BADTYPE),
    ],
)
def test_special_files_are_not_made(export: Export, what: wire.MknodData, status: Status) -> None:
    arguments = wire.MknodArguments(at(export.root, b"new"), what)

    made = export.make(V3.NFSPROC3_MKNOD, wire.encode_mknod_arguments(arguments))

    assert isinstance(made, wire.MakeFailed)
    assert made.status is status


def remove(export: Export, procedure: int, name: bytes) -> wire.RemoveResult:
    arguments = wire.encode_remove_arguments(wire.RemoveArguments(at(export.root, name)))
    return export.ask(nfs3.Ask(procedure, arguments), wire.decode_remove_result)


@pytest.mark.parametrize(
    ("procedure", "name", "status"),
    [
        (V3.NFSPROC3_REMOVE, b"none", Status.NFS3ERR_NOENT),
        (V3.NFSPROC3_REMOVE, b"dir", Status.NFS3ERR_ISDIR),
        (V3.NFSPROC3_RMDIR, b"dir", Status.NFS3ERR_NOTEMPTY),
        (V3.NFSPROC3_RMDIR, b"file", Status.NFS3ERR_NOTDIR),
    ],
)
def test_what_cannot_be_removed_stays(
    export: Export, procedure: int, name: bytes, status: Status
) -> None:
    found = remove(export, procedure, name)

    assert isinstance(found, wire.RemoveFailed)
    assert found.status is status
    assert found.wcc.after == attributes_of(export.root)


def test_file_is_removed(export: Export) -> None:
    ask = nfs3.remove(export.root.handle, b"file")

    assert isinstance(export.ask(ask, wire.decode_remove_result), wire.RemoveDone)
    assert "file" not in export.root.children


def rename(export: Export, old: bytes, target: wire.DirectoryName) -> wire.RenameResult:
    arguments = wire.RenameArguments(at(export.root, old), target)
    ask = nfs3.Ask(V3.NFSPROC3_RENAME, wire.encode_rename_arguments(arguments))
    return export.ask(ask, wire.decode_rename_result)


def test_file_is_renamed(export: Export) -> None:
    done = rename(export, b"file", at(export.directory, b"moved"))

    assert export.directory.child("moved") is export.file
    assert isinstance(done, wire.RenameDone)
    assert done.fromdir_wcc.after == attributes_of(export.root)
    assert done.todir_wcc.after == attributes_of(export.directory)


def test_rename_that_cannot_be_is_refused(export: Export) -> None:
    nowhere = wire.DirectoryName(wire.FileHandle(b"tree:999"), b"x")

    for old, target, status in (
        (b"none", at(export.root, b"x"), Status.NFS3ERR_NOENT),
        (b"file", at(export.root, b"dir"), Status.NFS3ERR_EXIST),
        (b"file", nowhere, Status.NFS3ERR_STALE),
    ):
        found = rename(export, old, target)
        assert isinstance(found, wire.RenameFailed)
        assert found.status is status


def link(export: Export, node: FileNode, name: bytes) -> wire.LinkResult:
    arguments = wire.LinkArguments(wire.FileHandle(node.handle), at(export.root, name))
    ask = nfs3.Ask(V3.NFSPROC3_LINK, wire.encode_link_arguments(arguments))
    return export.ask(ask, wire.decode_link_result)


def test_file_gets_one_more_name_and_a_directory_does_not(export: Export) -> None:
    done = link(export, export.file, b"other")
    refused = link(export, export.directory, b"another")

    assert export.root.child("other") is export.file
    assert isinstance(done, wire.LinkDone)
    assert done.file_attributes is not None
    assert done.file_attributes.nlink == 2
    assert isinstance(refused, wire.LinkFailed)
    assert refused.status is Status.NFS3ERR_INVAL


ALL_NAMES = [b".", b"..", *(name.encode() for name in NAMES)]


@pytest.mark.parametrize("count", [200, 1000, 2**16])
def test_directory_is_listed_in_pieces(export: Export, count: int) -> None:
    names: list[bytes] = []
    cookie, verifier, at_end = 0, bytes(8), False
    while not at_end:
        ask = nfs3.read_directory(export.directory.handle, count, cookie=cookie, verifier=verifier)
        found = export.ask(ask, wire.decode_readdir_result)
        assert isinstance(found, wire.ReaddirDone)
        names += [entry.name for entry in found.reply.entries]
        cookie, verifier = found.reply.entries[-1].cookie, found.cookieverf
        at_end = found.reply.eof

    assert names == ALL_NAMES


@pytest.mark.parametrize("maximum", [400, 4096, 2**16])
def test_directory_is_listed_with_attributes_and_handles(export: Export, maximum: int) -> None:
    entries: list[wire.DirectoryEntryPlus] = []
    cookie, verifier, at_end = 0, bytes(8), False
    while not at_end:
        ask = nfs3.read_directory_plus(
            export.directory.handle, maximum, cookie=cookie, verifier=verifier
        )
        found = export.ask(ask, wire.decode_readdir_plus_result)
        assert isinstance(found, wire.ReaddirPlusDone)
        entries += found.reply.entries
        cookie, verifier = found.reply.entries[-1].cookie, found.cookieverf
        at_end = found.reply.eof

    assert [entry.name for entry in entries] == ALL_NAMES
    for entry, node in zip(entries[2:], export.directory.children.values(), strict=True):
        assert entry.name_handle == wire.FileHandle(node.handle)
        assert entry.name_attributes == attributes_of(node)


def test_dircount_bounds_the_names(export: Export) -> None:
    arguments = wire.ReaddirPlusArguments(
        wire.FileHandle(export.directory.handle), 0, bytes(8), 100, 2**16
    )
    ask = nfs3.Ask(V3.NFSPROC3_READDIRPLUS, wire.encode_readdir_plus_arguments(arguments))

    found = export.ask(ask, wire.decode_readdir_plus_result)

    assert isinstance(found, wire.ReaddirPlusDone)
    assert (len(found.reply.entries), found.reply.eof) == (3, False)


def test_listing_that_cannot_be_is_refused(export: Export) -> None:
    handle = export.directory.handle
    for ask, status in (
        (nfs3.read_directory(handle, 100), Status.NFS3ERR_TOOSMALL),
        (nfs3.read_directory(export.file.handle, 4096), Status.NFS3ERR_NOTDIR),
        (nfs3.read_directory(handle, 4096, cookie=9), Status.NFS3ERR_BAD_COOKIE),
    ):
        found = export.ask(ask, wire.decode_readdir_result)
        assert isinstance(found, wire.ReaddirFailed)
        assert found.status is status
    ask = nfs3.read_directory_plus(handle, 150)
    small = export.ask(ask, wire.decode_readdir_plus_result)
    assert isinstance(small, wire.ReaddirPlusFailed)
    assert small.status is Status.NFS3ERR_TOOSMALL
