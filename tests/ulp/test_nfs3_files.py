from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

from rpcrdma.ulp import nfs3
from rpcrdma.ulp.file_node import MAXIMUM_FILE_SIZE, FileKind
from rpcrdma.ulp.file_store import NODES_MAXIMUM, FileStore
from rpcrdma.ulp.nfs3_attributes import attributes_of
from rpcrdma.ulp.nfs3_files import DIRECTORY_PREFERRED, READ_MAXIMUM
from rpcrdma.ulp.nfs3_server import Nfs3Program
from rpcrdma.wire import _generated_nfs3 as wire
from rpcrdma.wire._generated_nfs3 import Status

if TYPE_CHECKING:
    from rpcrdma.ulp.cursor import Decoder

R = TypeVar("R")

V3 = wire.NFS_V3
ALL = 63


class Export:
    """A server with a file, a file that is not writable, a link and a directory."""

    def __init__(self) -> None:
        self.store = FileStore(())
        root = self.store.root
        self.file = self.store.make(root, "file", FileKind.FILE, b"abcdef")
        self.fixed = self.store.make(root, "fixed", FileKind.FILE, b"fixed")
        self.fixed.writable = False
        self.link = self.store.make(root, "link", FileKind.LINK, b"target")
        self.directory = self.store.make(root, "dir", FileKind.DIRECTORY)
        self._program = Nfs3Program(self.store)

    def ask(self, ask: nfs3.Ask, decode: Decoder[R]) -> R:
        (reply,) = self._program.execute(nfs3.call(1, ask))
        return nfs3.parse(reply, decode)


@pytest.fixture
def export() -> Export:
    return Export()


def handle_of(octets: bytes) -> wire.FileHandle:
    return wire.FileHandle(octets)


def file_system(procedure: int, export: Export) -> nfs3.Ask:
    arguments = wire.FileSystemArguments(handle_of(export.store.root.handle))
    return nfs3.Ask(procedure, wire.encode_file_system_arguments(arguments))


def test_attributes_are_told(export: Export) -> None:
    found = export.ask(nfs3.get_attributes(export.file.handle), wire.decode_getattr_result)

    assert found == wire.GetattrDone(attributes_of(export.file))


@pytest.mark.parametrize(
    ("handle", "status"), [(b"tree:99", Status.NFS3ERR_STALE), (b"x", Status.NFS3ERR_BADHANDLE)]
)
def test_handle_of_nothing_is_refused(export: Export, handle: bytes, status: Status) -> None:
    found = export.ask(nfs3.get_attributes(handle), wire.decode_getattr_result)

    assert found == wire.GetattrFailed(status)


@pytest.mark.parametrize(("guarded", "size"), [(True, 2), (False, 6)])
def test_attributes_are_set_if_the_guard_fits(export: Export, guarded: bool, size: int) -> None:
    guard = attributes_of(export.file).ctime if guarded else wire.Time(1, 1)
    changed = wire.NewAttributes(None, None, None, 2, nfs3.AS_IT_IS.atime, nfs3.AS_IT_IS.mtime)
    arguments = wire.SetattrArguments(handle_of(export.file.handle), changed, guard)
    ask = nfs3.Ask(V3.NFSPROC3_SETATTR, wire.encode_setattr_arguments(arguments))

    found = export.ask(ask, wire.decode_setattr_result)

    assert len(export.file.content) == size
    assert isinstance(found, wire.SetattrDone) is guarded
    if isinstance(found, wire.SetattrFailed):
        assert found.status is Status.NFS3ERR_NOT_SYNC


def test_access_is_what_makes_sense(export: Export) -> None:
    def granted(handle: bytes) -> int:
        arguments = wire.AccessArguments(handle_of(handle), ALL)
        ask = nfs3.Ask(V3.NFSPROC3_ACCESS, wire.encode_access_arguments(arguments))
        found = export.ask(ask, wire.decode_access_result)
        assert isinstance(found, wire.AccessDone)
        return found.access

    changes = wire.ACCESS3_MODIFY | wire.ACCESS3_EXTEND
    assert granted(export.file.handle) == wire.ACCESS3_READ | changes
    assert granted(export.fixed.handle) == wire.ACCESS3_READ
    assert granted(export.link.handle) == wire.ACCESS3_READ
    assert granted(export.directory.handle) == ALL & ~wire.ACCESS3_EXECUTE
    export.fixed.mode = 0o555
    assert granted(export.fixed.handle) == wire.ACCESS3_READ | wire.ACCESS3_EXECUTE


def test_link_is_read_and_nothing_else_is_a_link(export: Export) -> None:
    found = export.ask(nfs3.read_link(export.link.handle), wire.decode_readlink_result)
    refused = export.ask(nfs3.read_link(export.file.handle), wire.decode_readlink_result)

    assert found == wire.ReadlinkDone(attributes_of(export.link), b"target")
    assert refused == wire.ReadlinkFailed(Status.NFS3ERR_INVAL, attributes_of(export.file))


@pytest.mark.parametrize(
    ("offset", "count", "data", "at_end"),
    [(0, 3, b"abc", False), (4, 99, b"ef", True), (9, 1, b"", True)],
)
def test_file_is_read(export: Export, offset: int, count: int, data: bytes, at_end: bool) -> None:
    found = export.ask(nfs3.read(export.file.handle, offset, count), wire.decode_read_result)

    assert found == wire.ReadDone(attributes_of(export.file), len(data), at_end, data)


def test_read_gives_no_more_than_it_says(export: Export) -> None:
    export.file.resize(READ_MAXIMUM + 1)

    found = export.ask(nfs3.read(export.file.handle, 0, 2**32 - 1), wire.decode_read_result)

    assert isinstance(found, wire.ReadDone)
    assert (found.count, found.eof) == (READ_MAXIMUM, False)


@pytest.mark.parametrize("stable", wire.StableHow)
def test_file_is_written_as_stable_as_asked(export: Export, stable: wire.StableHow) -> None:
    ask = nfs3.write(export.file.handle, 2, b"XY", stable)

    found = export.ask(ask, wire.decode_write_result)

    assert bytes(export.file.content) == b"abXYef"
    assert isinstance(found, wire.WriteDone)
    assert (found.count, found.committed) == (2, stable)
    assert found.file_wcc.after == attributes_of(export.file)


def test_content_that_cannot_be_written_stays(export: Export) -> None:
    count = wire.WriteArguments(handle_of(export.file.handle), 0, 3, wire.StableHow.UNSTABLE, b"XY")
    for ask, status in (
        (nfs3.write(export.directory.handle, 0, b"x"), Status.NFS3ERR_ISDIR),
        (nfs3.write(export.link.handle, 0, b"x"), Status.NFS3ERR_INVAL),
        (nfs3.write(export.fixed.handle, 0, b"x"), Status.NFS3ERR_ACCES),
        (nfs3.write(export.file.handle, MAXIMUM_FILE_SIZE, b"x"), Status.NFS3ERR_FBIG),
        (
            nfs3.Ask(V3.NFSPROC3_WRITE, wire.encode_write_arguments(count)),
            Status.NFS3ERR_INVAL,
        ),
    ):
        found = export.ask(ask, wire.decode_write_result)
        assert isinstance(found, wire.WriteFailed)
        assert found.status is status
    assert bytes(export.file.content) == b"abcdef"


def test_committing_has_the_verifier_of_writing(export: Export) -> None:
    arguments = wire.CommitArguments(handle_of(export.file.handle), 0, 0)
    ask = nfs3.Ask(V3.NFSPROC3_COMMIT, wire.encode_commit_arguments(arguments))

    written = export.ask(nfs3.write(export.file.handle, 0, b"x"), wire.decode_write_result)
    committed = export.ask(ask, wire.decode_commit_result)

    assert isinstance(written, wire.WriteDone)
    assert isinstance(committed, wire.CommitDone)
    assert written.verf == committed.verf


def test_file_system_tells_its_limits(export: Export) -> None:
    status = export.ask(file_system(V3.NFSPROC3_FSSTAT, export), wire.decode_fsstat_result)
    limits = export.ask(file_system(V3.NFSPROC3_FSINFO, export), wire.decode_fsinfo_result)
    paths = export.ask(file_system(V3.NFSPROC3_PATHCONF, export), wire.decode_pathconf_result)

    assert isinstance(status, wire.FsstatDone)
    assert (status.tfiles, status.ffiles) == (NODES_MAXIMUM, NODES_MAXIMUM - 5)
    assert isinstance(limits, wire.FsinfoDone)
    assert (limits.rtmax, limits.wtmax) == (READ_MAXIMUM, READ_MAXIMUM)
    assert (limits.dtpref, limits.maxfilesize) == (DIRECTORY_PREFERRED, MAXIMUM_FILE_SIZE)
    assert isinstance(paths, wire.PathconfDone)
    assert (paths.name_max, paths.no_trunc) == (255, True)
